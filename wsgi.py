"""The application that gunicorn serves and the flask command loads, and the command ``rowgate``.

``app`` is built when it is first asked for: to import this module loads nothing.
"""

from __future__ import annotations

import gc
import sys
from importlib.util import find_spec
from logging.config import dictConfig
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# What the service is made of. Other projects have packages of these names, too.
OWN = ("rowgate", "app", "blueprints", "schemas", "config")
# Whether this process is ``flask serve``.
SERVES = sys.argv[1:2] == ["serve"]


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        globals()["app"] = _built()
    except AttributeError as error:
        # Whoever asks for an attribute takes an AttributeError for its absence.
        raise RuntimeError("The application cannot be built") from error
    return globals()["app"]


def main() -> None:
    """The command ``rowgate``: that of Flask, for this application. A .env in the working folder is read."""
    _refuse_foreign()
    from flask.cli import FlaskGroup

    FlaskGroup(name="rowgate", create_app=_built, add_version_option=False, help="The service and its commands.")()


def _built() -> Any:
    """The application by the settings of the environment; ends the process where they do not fit."""
    _refuse_foreign()
    if SERVES:
        from app.runtime import interruption

        interruption.leave_at_signals()
    # Nothing that is loaded here becomes garbage: to look for it again and again takes a quarter of the start.
    gc.disable()
    from app import plugins
    from app.runtime import logs
    from config import SettingError, Settings, named

    try:
        plugins.load(named("PLUGINS"), named("DOMAINS"))
        settings = Settings.from_environment()
        dictConfig(logs.configuration(settings))
        return _created(settings)
    except SettingError as error:
        sys.exit(f"rowgate: {error}")
    finally:
        gc.freeze()
        gc.enable()


def _created(settings: Any) -> Any:
    from app.factory import create_app

    try:
        # ``flask serve`` itself answers no requests, and the worker of jobs that is forked from it does not, either.
        # Nor has gunicorn a use for commands.
        return create_app(settings, lazy_routes=SERVES, commands="gunicorn.arbiter" not in sys.modules)
    except OSError as error:
        sys.exit(f"rowgate: VAR_DIR cannot be used: {error}")


def _refuse_foreign() -> None:
    """End the process where something else would be imported in place of a part of the service: from the folder that it
    is started in, which gunicorn looks in first, or from another distribution."""
    for name in OWN:
        # A folder without __init__.py is passed over for a module of that name further down the path.
        beside = [each for each in (Path(name, "__init__.py"), Path(f"{name}.py")) if each.exists()]
        spec = find_spec(name)
        found = Path((spec and (spec.origin or next(iter(spec.submodule_search_locations or ()), ""))) or "")
        places = [each.resolve() for each in (*beside, found)]
        foreign = [each for each in places if HERE not in (each.parent, each.parent.parent)]
        if foreign:
            text = "would be imported in place of the service's own"
            sys.exit(f"rowgate: {foreign[0]} {text} {name}: move it, or start in another folder")

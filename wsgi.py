"""The application that gunicorn serves and the flask command loads."""

import gc
import sys

# Nothing that is loaded here becomes garbage: to look for it again and again takes a quarter of the start.
gc.disable()
from logging.config import dictConfig  # noqa: E402

from flask.cli import FlaskGroup  # noqa: E402

from app import plugins  # noqa: E402
from app.factory import create_app  # noqa: E402
from app.runtime import logs  # noqa: E402
from config import SettingError, Settings, named_plugins  # noqa: E402

try:
    plugins.load(named_plugins())
    settings = Settings.from_environment()
    dictConfig(logs.configuration(settings))
    app = create_app(settings)
except SettingError as error:
    sys.exit(f"rowgate: {error}")
except OSError as error:
    sys.exit(f"rowgate: VAR_DIR cannot be used: {error}")
finally:
    gc.freeze()
    gc.enable()


def main() -> None:
    """The command ``rowgate``: that of Flask, for this application."""
    FlaskGroup(create_app=lambda: app)()

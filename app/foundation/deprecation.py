"""Names that have changed: the old one goes on with a warning for one minor version."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Renamed:
    """A name that is called ``instead`` (module and name) since one version, and goes with another."""

    instead: str
    since: str
    until: str


# By the old name, with its module.
RENAMED: dict[str, Renamed] = {}


def renamed(module: str, names: dict[str, Renamed]) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``module``, whose old ``names`` lead to the new ones with a DeprecationWarning:

    ``__getattr__ = renamed(__name__, {"old": Renamed("rowgate.new", since="0.4", until="0.5")})``
    """
    RENAMED.update({f"{module}.{old}": new for old, new in names.items()})

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new = names[name]
        warnings.warn(
            f"{module}.{name} is called {new.instead} since {new.since}, and goes with {new.until}",
            DeprecationWarning,
            stacklevel=2,
        )
        home, _, attribute = new.instead.rpartition(".")
        return getattr(import_module(home), attribute)

    return find

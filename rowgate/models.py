"""The models of the service that have routes, by their names: to refer to, to subscribe to, to query.

``from rowgate.models import CrmDeal``
"""

from __future__ import annotations

from typing import Any

from app.engine.declare.catalogue import every_model


def __getattr__(name: str) -> Any:
    found = {each.__name__: each for each in every_model()}.get(name)
    if found is None:
        raise AttributeError(f"No model that has routes is called {name}")
    return found


def __dir__() -> list[str]:
    return sorted(each.__name__ for each in every_model())

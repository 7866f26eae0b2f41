"""Events between rooms: a lower room emits one, higher rooms subscribe to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

P = ParamSpec("P")


class Event(Generic[P]):
    """Something that happens. Reactions run where it is emitted, in the same transaction, in the order in which they
    were subscribed; what they raise reaches whoever emitted it."""

    def __init__(self) -> None:
        self._reactions: list[Callable[P, Any]] = []

    def subscribe(self, reaction: Callable[P, Any]) -> Callable[P, Any]:
        """Call the function whenever this happens; to be used as a decorator."""
        self._reactions.append(reaction)
        return reaction

    def emit(self, *arguments: P.args, **more: P.kwargs) -> None:
        """Call what has subscribed."""
        for reaction in self._reactions:
            reaction(*arguments, **more)

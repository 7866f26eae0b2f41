"""A request of a batch, as the operation that it asks for reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from app.engine.read.query import Selection
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.foundation.errors import Invalid
from schemas import tags
from schemas.query.queries import refuse_unknown


@dataclass(frozen=True)
class RoutedSubRequest:
    """A request of a batch whose route is known: the id in its path, its query, its body and its condition. ``reserve``
    makes room for the records that its answer could hold with what it expands."""

    identifier: str
    args: MultiDict[str, str]
    body: Any
    if_match: str | None
    reserve: Callable[[int], None]

    @property
    def condition(self) -> Precondition:
        return UNCONDITIONAL if self.if_match is None else tags.read(self.if_match, "ifMatch")

    def check(self, *, takes_body: bool = False, takes_query: bool = False, takes_condition: bool = False) -> None:
        """Refuse what the operation does not take; raises Invalid and InvalidFilter."""
        if self.body is not None and not takes_body:
            raise Invalid({"body": ["The request takes none."]})
        if self.if_match is not None and not takes_condition:
            raise Invalid({"ifMatch": ["The request takes none."]})
        if not takes_query:
            refuse_unknown(self.args, ())

    def expand(self, selection: Selection, take: int = 1) -> None:
        """Count what is expanded beside ``take`` records, before it is read; raises AnswerTooLarge."""
        if selection.expansions:
            self.reserve(take * selection.records)

"""One scope for readers and another for writers, as one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from app.engine.declare.combinations import any_within
from app.engine.declare.principal import Reader
from app.engine.declare.scope import Condition, Model, Rule, Scope


@dataclass(frozen=True)
class ReadersAndWriters(Scope):
    """Who reads rows by one scope, and who writes them by another; what ``Policy(readers=…, writers=…)`` makes."""

    reading: Scope = None  # type: ignore[assignment]
    writing: Scope = None  # type: ignore[assignment]

    @property
    def readers(self) -> Rule:
        return self.reading.readers

    @property
    def writers(self) -> Rule:
        return self.writing.writers

    @property
    def has_index(self) -> bool:
        return self.reading.has_index

    @property
    def owner_column(self) -> str:
        return self.writing.owner_column

    @property
    def organization_column(self) -> str:
        return self.writing.organization_column or self.reading.organization_column

    @property
    def parent_column(self) -> str:
        return self.writing.parent_column or self.reading.parent_column

    @property
    def colleague_fields(self) -> tuple[str, ...]:
        return self.reading.colleague_fields

    def within(self, row: Model, organization: Any) -> Condition | None:
        return any_within((self.reading, self.writing), row, organization)

    def parts(self) -> Iterator[Scope]:
        yield from self.reading.parts()
        yield from self.writing.parts()

    def columns(self) -> Iterator[str]:
        yield from self.reading.columns()
        yield from self.writing.columns()

    def asks_for_public(self, filters: Collection[str]) -> bool:
        return self.reading.asks_for_public(filters)

    def own(self, model: Model, reader: Reader) -> Condition:
        return self.reading.own(model, reader)

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        return self.reading.list_condition(model, reader)

    def public_rows(self, model: Model) -> Condition:
        return self.reading.public_rows(model)

    def unowned(self, model: Model) -> Condition:
        return self.reading.unowned(model)

    def colleagues(self, model: Model, reader: Reader) -> Condition:
        return self.reading.colleagues(model, reader)

    def bounds(self, model: Model, *, writes: bool = False) -> Condition:
        return (self.writing if writes else self.reading).bounds(model, writes=writes)

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        return self.writing.writable(model, reader, rule)

"""Members of JSON as fields that conditions ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.declare.record import Field
from app.engine.declare.shapes import member_kind, member_sql


@dataclass(frozen=True, eq=False)
class Member(Field):
    """What lies at ``path`` within a field of JSON, for whoever sees that field."""

    path: tuple[str, ...] = ()

    def sql(self, column: str) -> str:
        """The value in the JSON of ``column``."""
        return member_sql(column, self.spec.kind, self.path)


def member_of(field: Field, path: Sequence[str]) -> Member | None:
    """The member at ``path`` of ``field``; None where there is none that can be compared."""
    kind = member_kind(field.spec.kind, path)
    if kind is None:
        return None
    attribute = ".".join((field.attribute, *path))
    return Member(attribute, field.name, replace(field.spec, kind=kind), field.column, path=tuple(path))

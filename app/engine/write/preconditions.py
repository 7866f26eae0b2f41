"""Preconditions of writes: which version of a record the caller has seen (RFC 9110, section 13)."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.declare.record import Record
from app.foundation.errors import PreconditionFailed, PreconditionRequired


@dataclass(frozen=True, slots=True)
class Precondition:
    """A write counts only while the stored version is one of ``versions``; None admits every version. What was asked
    for is told from what was not by ``is_given``."""

    versions: frozenset[int] | None = None
    is_given: bool = True

    def check(self, model: type[Record], record: Record, *, seen: bool = True) -> None:
        """Judge the locked ``record``; raises PreconditionRequired and PreconditionFailed, which names the version to
        who may see the row."""
        if self.versions is None:
            if model.requires_version and not self.is_given:
                raise PreconditionRequired()
        elif record.row_version not in self.versions:
            raise PreconditionFailed(details={"version": record.row_version} if seen else None)


UNCONDITIONAL = Precondition(is_given=False)

"""The writes of a model within a unit, and what they reply: HTTP and the batch carry out the same."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from app.engine.declare.record import Record
from app.engine.read.encoding import Representation
from app.engine.write.preconditions import Precondition
from app.engine.write.unit_of_work import Unit
from blueprints.replies import Reply

Values = dict[str, Any]


def created(unit: Unit, model: type[Record], given: Values, *, minimal: bool = False) -> Reply:
    """The record that was made, or its id and version."""
    return reply_with(unit.create(model, given), minimal=minimal)


def reply_with(record: Representation, *, minimal: bool) -> Reply:
    """A record that was made."""
    if minimal:
        return Reply({"id": record["id"], "version": record.version}, 201, record.version)
    return Reply.of(record, 201)


def changed(unit: Unit, model: type[Record], identifier: UUID, given: Values, condition: Precondition) -> Reply:
    """The record as it is now."""
    return Reply.of(unit.update(model, identifier, given, condition))


def deleted(unit: Unit, model: type[Record], identifier: UUID, condition: Precondition) -> Reply:
    """That the record is gone; of the guide routes, the record that was there."""
    last = unit.delete(model, identifier, condition, returning=model.guide)
    return removed(identifier) if last is None else Reply(last)


def removed(identifier: UUID) -> Reply:
    """That the record is gone."""
    return Reply({"id": str(identifier), "deleted": True})

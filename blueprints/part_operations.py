"""What a request of a batch may do: the operations on one model, by the names of their routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from flask import current_app
from werkzeug.datastructures import MultiDict

from app.engine.declare.catalogue import every_model
from app.engine.declare.record import Record
from app.engine.read import pages, records
from app.engine.read.aggregates import sums
from app.engine.read.query import Selection
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Invalid
from blueprints import lists, writes
from blueprints.base import load, parse_id
from blueprints.crud import operation_id
from blueprints.replies import Reply
from schemas import tags
from schemas.derive import create_schema, update_schema
from schemas.queries import item_selection, list_query, refuse_unknown
from schemas.sums import sum_query

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
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


Work = Callable[[Unit, type[Record], Request], Reply]


@cache
def part_operations() -> dict[str, tuple[type[Record], Work]]:
    """The operations by the names of their routes, each with its model."""
    found: dict[str, tuple[type[Record], Work]] = {}
    for model in every_model():
        if not model.served_apart:
            found |= {operation_id(model, verb): (model, work) for verb, work in WORK.items()}
    return found


def _list(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_query=True)
    query = list_query(model, unit.principal, asked.args, current_app.config["SETTINGS"])
    asked.expand(query.selection, query.take)
    page = pages.list_page(model, unit.principal, query)
    envelope = lists.guide_envelope if model.guide else lists.envelope
    return Reply(envelope(query, page))


def _sum(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_query=True)
    query = sum_query(model, unit.principal, asked.args, current_app.config["SETTINGS"])
    groups, more = sums(model, unit.principal, query)
    return Reply({"data": groups, "meta": {"take": query.take, "more": more}})


def _read(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_query=True)
    selection = item_selection(model, unit.principal, asked.args, current_app.config["SETTINGS"])
    asked.expand(selection)
    return Reply.of(records.get(model, unit.principal, parse_id(asked.identifier), selection))


def _create(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_body=True)
    return writes.created(unit, model, load(create_schema(model), asked.body))


def _update(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_body=True, takes_condition=True)
    given = load(update_schema(model), asked.body)
    return writes.changed(unit, model, parse_id(asked.identifier), given, asked.condition)


def _delete(unit: Unit, model: type[Record], asked: Request) -> Reply:
    asked.check(takes_condition=True)
    return writes.deleted(unit, model, parse_id(asked.identifier), asked.condition)


WORK: dict[str, Work] = {
    "list": _list, "aggregate": _sum, "read": _read, "create": _create, "update": _update, "patch": _update,
    "delete": _delete,
}  # fmt: skip

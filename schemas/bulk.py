"""Many records in one body, each read by the schema of its model, with what is wrong told by its index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MultiDict

from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.query import Junction
from app.engine.read.query_context import QueryContext, allowed, invalid
from app.engine.write.conflicts import UniqueRule
from app.engine.write.faults import Faults
from app.engine.write.hooks import require
from app.engine.write.plan import MAX_RECORDS, Change
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.engine.write.upserts import Resolution, rule_of, rules_of
from app.foundation.errors import Invalid, require_found
from app.foundation.identifiers import uuid_of
from config import Settings
from schemas import tags
from schemas.derive import create_schema, update_schema
from schemas.errors import flatten_messages
from schemas.query.queries import TIME_ZONE, time_zone

MAX_IDS_IN_URL = 200
MAX_VALUES = 1000
ON_CONFLICT, RESOLUTION, RETURN, IDS = "onConflict", "resolution", "return", "ids"
Values = dict[str, Any]


def new_records(model: type[Record], body: Sequence[Any]) -> tuple[dict[int, Values], Faults]:
    """The records to make, by their index, and what is wrong with the others; raises Invalid."""
    _check_number(body)
    return _loaded(create_schema(model), dict(enumerate(body)))


def changes(model: type[Record], body: Sequence[Any]) -> tuple[dict[int, Change], Faults]:
    """The changes to make, by their index, and what is wrong with the others; raises Invalid."""
    _check_number(body)
    named: dict[int, tuple[UUID, Precondition]] = {}
    rest: dict[int, Any] = {}
    faults = Faults()
    for index, each in enumerate(body):
        with faults.of(index):
            members = dict(_object(each))
            named[index] = (_identifier(members.pop("id", None)), _condition(members.pop("ifMatch", None)))
            rest[index] = members
    loaded, wrong = _loaded(update_schema(model), rest)
    faults.update(wrong)
    return {index: Change(named[index][0], given, named[index][1]) for index, given in loaded.items()}, faults


def named_records(args: MultiDict[str, str], body: Any) -> tuple[dict[int, Change], Faults]:
    """The records to delete, by their index; raises Invalid."""
    require((IDS in args) == (body is None), IDS, "Name the records in the query or in the body.")
    if body is None:
        ids: list[Any] = args[IDS].split(",")
        require(len(ids) <= MAX_IDS_IN_URL, IDS, f"Longer than maximum length {MAX_IDS_IN_URL}.")
        require("" not in ids, IDS, "Must be ids, between commas.")
    else:
        unknown = [name for name in _object(body) if name != IDS]
        if unknown or not isinstance(body.get(IDS), list):
            raise Invalid({unknown[0]: ["Unknown field."]} if unknown else {IDS: ["Must be an array of ids."]})
        ids = body[IDS]
    _check_number(ids)
    found, faults = {}, Faults()
    for index, each in enumerate(ids):
        with faults.of(index):
            found[index] = Change(_identifier(each))
    return found, faults


def upserting(model: type[Record], args: MultiDict[str, str]) -> tuple[UniqueRule, Resolution] | None:
    """The unique rule and the resolution that the parameters of an upsert name, if they do; raises InvalidFilter."""
    if ON_CONFLICT not in args:
        if RESOLUTION in args:
            raise invalid(RESOLUTION, f"Comes beside {ON_CONFLICT}.")
        return None
    rule = rule_of(model, tuple(args[ON_CONFLICT].split(",")))
    if rule is None:
        raise invalid(ON_CONFLICT, allowed(rules_of(model)) if rules_of(model) else "The model has no unique rule.")
    resolution = args.get(RESOLUTION, Resolution.MERGE)
    if resolution not in list(Resolution):
        raise invalid(RESOLUTION, allowed(list(Resolution)))
    return rule, Resolution(resolution)


def is_minimal(args: MultiDict[str, str]) -> bool:
    """Whether ids and versions are all that is wanted back; raises InvalidFilter."""
    if args.get(RETURN, "minimal") != "minimal":
        raise invalid(RETURN, allowed(["minimal"]))
    return RETURN in args


def matching(
    model: type[Record], principal: Principal, body: Mapping[str, Any], settings: Settings, *, sets: bool
) -> tuple[Junction, Values, int, bool]:
    """What a write about all matching rows says: conditions, changes, how many rows it expects at most, and whether it
    only counts. Raises Invalid and InvalidFilter."""
    known = ("where", *["set"] * sets, "max", "dryRun", TIME_ZONE)
    for name in body:
        require(name in known, name, "Unknown field.")
    conditions, most, dry = body.get("where"), body.get("max", 0), body.get("dryRun", False)
    require(isinstance(conditions, dict), "where", "Is required, and must be an object; {} matches every record.")
    fits = isinstance(most, int) and not isinstance(most, bool) and 1 <= most <= MAX_RECORDS
    require(fits, "max", f"Is required, and must be a whole number from 1 to {MAX_RECORDS}.")
    require(isinstance(dry, bool), "dryRun", "Must be true or false.")
    parser = ConditionParser(QueryContext(principal, settings, MAX_VALUES), time_zone(body.get(TIME_ZONE)))
    where = parser.where(model, conditions, "where")
    if not sets:
        return where, {}, most, dry
    require(isinstance(body.get("set"), dict), "set", "Is required, and must be an object.")
    given, faults = _loaded(update_schema(model), {0: body["set"]})
    if faults:
        raise faults[0]
    return where, given[0], most, dry


def _loaded(schema: Schema, items: Mapping[int, Any]) -> tuple[dict[int, Values], Faults]:
    found: dict[int, Values] = {}
    faults = Faults()
    for index, each in items.items():
        with faults.of(index):
            try:
                found[index] = schema.load(_object(each))
            except ValidationError as error:
                raise Invalid({name: flatten_messages(told) for name, told in error.messages_dict.items()}) from error
    return found, faults


def _check_number(items: Sequence[Any]) -> None:
    if not items:
        raise Invalid("The array must hold at least one record")
    if len(items) > MAX_RECORDS:
        raise Invalid(f"The array must hold at most {MAX_RECORDS} records")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid("Must be a JSON object")
    return value


def _identifier(value: Any) -> UUID:
    require(isinstance(value, str), "id", "Is required, and must be a string.")
    return require_found(uuid_of(value))


def _condition(value: Any) -> Precondition:
    if value is None:
        return UNCONDITIONAL
    require(isinstance(value, str), "ifMatch", "Must be a string.")
    return tags.read(value, "ifMatch")

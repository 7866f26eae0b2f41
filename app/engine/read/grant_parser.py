"""Grants read from JSON: strictly where they are set, and where they are used without those that fit no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import orjson
from flask import current_app, has_app_context

from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import ADMIN_READS, HIDDEN
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.declare.structures import Grants
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.encoding import dumps
from app.engine.read.grants import OPERATIONS, WRITES, Grant, GrantList, Narrowing, hash_of
from app.engine.read.query import Junction
from app.engine.read.query_context import QueryContext, allowed
from app.engine.read.statements import StatementCache
from app.foundation.errors import Failure, Invalid, InvalidFilter
from config import Settings

DEFAULT_OPERATIONS = ("list", "read")
MEMBERS = ("models", "operations", "fields", "where")
MAX_GRANTS, MAX_CONDITIONS, MAX_VALUES, MAX_NAMES = 50, 64, 1000, 500
MAX_BYTES = Grants().max_bytes
# Lists that were read lately.
KEPT = 1024
# Accounts and organizations, which a star leaves out and no grant writes.
APART = "auth"
# Who asks the conditions of grants: anybody who is signed in, and no admin.
EYES = Principal(Credential.KEY, UUID(int=0), frozenset({"read"}), UUID(int=0))

# The organization whose member is narrowed, or None for a key, and the list as it is stored.
StoredList = tuple[UUID | None, str]


def parse_grants(given: Any, location: str = "access") -> tuple[Grant, ...]:
    """The grants of a list; raises Invalid at what breaks a rule."""
    if not isinstance(given, list) or len(given) > MAX_GRANTS:
        raise _invalid(location, f"Must be a list of at most {MAX_GRANTS} grants.")
    if len(dumps(given)) > MAX_BYTES:
        raise _invalid(location, f"Is longer than {MAX_BYTES} bytes.")
    conditions = _conditions()
    return tuple(_grant(each, f"{location}[{index}]", conditions) for index, each in enumerate(given))


def load(stored: Sequence[StoredList]) -> Narrowing:
    """What lists narrow, as they were stored. A grant that names what is gone by now opens nothing."""
    kept: StatementCache = current_app.extensions.setdefault("grants", StatementCache(KEPT))
    key = tuple(stored)
    return kept.get(
        key,
        lambda: Narrowing(
            [_load(each) for each in key], hash_of([f"{organization} {text}" for organization, text in key])
        ),
    )


def fit_one_list_each(lists: Iterable[Sequence[Any]]) -> bool:
    """Whether in each of ``lists`` grants that were set in several are no more together than one may hold. A grant is
    read once, in however many lists it is."""
    conditions: dict[bytes, int] = {}
    for given in lists:
        written = [dumps(grant) for grant in given]
        for text, grant in zip(written, given, strict=True):
            if text not in conditions:
                conditions[text] = _conditions_of(grant)
        if (
            len(given) > MAX_GRANTS
            or sum(map(len, written)) + len(written) + 1 > MAX_BYTES
            or sum(conditions[text] for text in written) > MAX_CONDITIONS
        ):
            return False
    return True


def _conditions_of(given: Any) -> int:
    """How many conditions a grant has; none where it fits no more."""
    conditions = _conditions()
    try:
        _grant(given, "access", conditions)
    except Failure:
        return 0
    return conditions.count


def _conditions() -> ConditionParser:
    """What reads the conditions of one list, and counts them."""
    settings = current_app.config["SETTINGS"] if has_app_context() else Settings()
    bounds = replace(settings, max_conditions=MAX_CONDITIONS)
    return ConditionParser(QueryContext(EYES, bounds, MAX_VALUES))


def unfit(given: Any) -> list[str]:
    """What of a list that was stored fits no more, in words."""
    return [str(failure.text) for failure in _parsed(given) if isinstance(failure, Failure)]


def _load(stored: StoredList) -> GrantList:
    organization, text = stored
    grants = tuple(each for each in _parsed(orjson.loads(text)) if isinstance(each, Grant))
    return GrantList(grants, organization)


def _parsed(given: Any) -> list[Grant | Failure]:
    found: list[Grant | Failure] = []
    for each in given:
        try:
            found += parse_grants([each])
        except Failure as failure:
            found.append(failure)
    return found


def _grant(given: Any, location: str, conditions: ConditionParser) -> Grant:
    if not isinstance(given, dict):
        raise _invalid(location, "Must be a JSON object.")
    for name in given:
        if name not in MEMBERS:
            raise _invalid(f"{location}.{name}", f"Unknown member. {allowed(MEMBERS)}")
    operations = _names(given.get("operations", list(DEFAULT_OPERATIONS)), f"{location}.operations")
    for index, name in enumerate(operations):
        if name not in OPERATIONS:
            raise _invalid(f"{location}.operations[{index}]", f"Unknown operation. {allowed(OPERATIONS)}")
    models = _models(given.get("models"), f"{location}.models", writes=bool(WRITES.intersection(operations)))
    fields = None if given.get("fields") is None else _fields(given["fields"], models, f"{location}.fields")
    where = {} if given.get("where") is None else _where(given["where"], models, f"{location}.where", conditions)
    return Grant(models, frozenset(operations), fields, where)


def _models(given: Any, location: str, *, writes: bool) -> tuple[type[Record], ...]:
    known = {model.qualified_name(): model for model in every_model()}
    found: dict[str, type[Record]] = {}
    for index, name in enumerate(_names(given, location)):
        domain = name.removesuffix("/*")
        fitting = {
            path: model
            for path, model in known.items()
            if name == path or (name == "*" and model.domain != APART) or (name != domain == model.domain)
        }
        if not fitting:
            raise _invalid(f"{location}[{index}]", "There is no such model: name crm/contact, crm/* or *.")
        if writes and any(model.domain == APART for model in fitting.values()):
            raise _invalid(f"{location}[{index}]", "Accounts and organizations are written by no grant.")
        found |= fitting
    return tuple(found[path] for path in sorted(found))


def _fields(given: Any, models: Sequence[type[Record]], location: str) -> frozenset[str]:
    names = _names(given, location, may_be_empty=True)
    for index, name in enumerate(names):
        for model in models:
            known = {field.name for field in model.fields().values() if not field.spec.flags & {HIDDEN, ADMIN_READS}}
            if name not in known:
                raise _invalid(f"{location}[{index}]", f"Unknown field of {model.qualified_name()}.")
    return frozenset(names)


def _where(
    given: Any, models: Sequence[type[Record]], location: str, conditions: ConditionParser
) -> dict[type[Record], Junction]:
    """The condition on each of the models; one without parts is met by every row."""
    try:
        trees = {model: conditions.where(model, given, location) for model in models}
    except InvalidFilter as failure:
        raise Invalid(failure.details["fields"]) from failure
    return {model: tree for model, tree in trees.items() if tree.parts}


def _names(given: Any, location: str, *, may_be_empty: bool = False) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given) or len(given) > MAX_NAMES:
        raise _invalid(location, f"Must be a list of at most {MAX_NAMES} names.")
    if not given and not may_be_empty:
        raise _invalid(location, "Must name at least one.")
    return given


def _invalid(location: str, message: str) -> Invalid:
    return Invalid({location: [message]})

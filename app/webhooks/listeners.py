"""Endpoints as listeners: what each hears of, with the rights that its user has now."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from flask import current_app

from app.auth.credentials.members import member_principals
from app.engine.changes.feed import own_conditions
from app.engine.changes.telling import Followed
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.query_context import QueryContext, invalid
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.errors import InvalidFilter
from app.webhooks.event_types import is_heard, models_heard

# Values in one list of conditions.
MAX_VALUES = 100
COLUMNS = """
id, user_id, organization_id, url, event_types, "where", secret, previous_secret, previous_secret_until, begins_at
"""
ENABLED = Statement(f"SELECT {COLUMNS} FROM integration_webhook_endpoint WHERE enabled", {})  # noqa: S608
NAMED = Statement(
    f"SELECT {COLUMNS} FROM integration_webhook_endpoint WHERE id = ANY (%(wanted)s)",  # noqa: S608
    {},
)
ANY_ENABLED = Statement("SELECT EXISTS (SELECT FROM integration_webhook_endpoint WHERE enabled)", {})


@dataclass(eq=False)
class Endpoint:
    """An address that hears of events, and the caller in whose name it does."""

    id: UUID
    user_id: UUID
    organization_id: UUID
    url: str
    event_types: Sequence[str]
    where: dict[str, Any] | None
    secret: str
    previous_secret: str | None
    previous_secret_until: datetime | None
    begins_at: int
    principal: Principal
    followed: Followed
    models: frozenset[str]
    # Why nobody can tell what it hears, such as conditions that name what is not there.
    fault: str | None

    @property
    def owner(self) -> UUID:
        return self.user_id

    @property
    def group(self) -> Hashable:
        """What it has in common with those that one statement judges with it."""
        return self.followed.shape, self.principal.reader, self.principal.grants_hash, self.fault

    def hears(self, type: str) -> bool:
        """Whether it was asked to be told of events of ``type``."""
        return is_heard(self.event_types, type)


def enabled() -> list[Endpoint]:
    """Return the endpoints that are switched on, and whose users may hear of anything."""
    return _loaded(ENABLED, {})


def named(identifiers: Collection[UUID]) -> dict[UUID, Endpoint]:
    """Return those with the given ids, likewise."""
    return {each.id: each for each in _loaded(NAMED, {"wanted": list(identifiers)})}


def is_any_enabled() -> bool:
    """Whether anything is switched on."""
    with autocommit_connection() as connection:
        return bool(ANY_ENABLED.rows(connection, {})[0][0])


def followed_by(principal: Principal, event_types: Collection[str], where: dict[str, Any] | None) -> Followed:
    """Return what a caller follows who wants these events; raises InvalidFilter for conditions that are no longer, or
    not, theirs to ask."""
    models = _models(tuple(event_types), _Rights(principal.reader, principal.grants_hash, principal))
    if where is None:
        return Followed(models)
    if len(models) != 1:
        raise invalid("where", "Needs event types of exactly one model.")
    context = QueryContext(principal, current_app.config["SETTINGS"], MAX_VALUES)
    return Followed(models, own_conditions(context, models[0], where))


def _loaded(statement: Statement, asked: dict[str, Any]) -> list[Endpoint]:
    with autocommit_connection() as connection:
        rows = statement.rows(connection, asked)
    principals = member_principals({(user, organization) for _, user, organization, *_ in rows})
    found = []
    for row in rows:
        _, user_id, organization_id, _, types, where, *_ = row
        principal = principals.get((user_id, organization_id))
        if principal is None:
            continue
        fault = None
        try:
            followed = followed_by(principal, types, where)
        except InvalidFilter as failure:
            followed, fault = followed_by(principal, types, None), failure.text
        models = frozenset(model.qualified_name() for model in followed.models)
        found.append(Endpoint(*row, principal, followed, models, fault))  # type: ignore[call-arg]
    return found


@lru_cache(maxsize=1024)
def _models(event_types: tuple[str, ...], wanted: _Rights) -> tuple[type[Record], ...]:
    return tuple(models_heard(event_types, wanted.principal).values())


@dataclass(frozen=True)
class _Rights:
    """What decides of which models a caller hears; many have the same."""

    reader: Hashable
    grants: str
    principal: Principal = field(compare=False)

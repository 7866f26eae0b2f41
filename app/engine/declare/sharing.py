"""Rows that are shared with the caller, whosever they are.

A share names one recipient: a user, a team, or an address. It counts while it has not ended, and one within an
organization for its members; ``outside`` marks those that the organization has let out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Boolean, String, Uuid, bindparam, column, exists, func, literal_column, or_, select, table
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP

from app.engine.declare.scope import ORGANIZATIONS, Condition, Model, any_of

SHARES = table(
    "auth_share",
    column("model", String()),
    column("record_id", Uuid()),
    column("record_created_at", TIMESTAMP(timezone=True)),
    column("recipient", String()),
    column("may", String()),
    column("until", TIMESTAMP(timezone=True)),
    column("organization_id", Uuid()),
    column("outside", Boolean()),
)
RECIPIENTS = bindparam("caller_recipients", type_=ARRAY(String()))


def shared_rows(model: Model, *, writes: bool = False, listed: bool = False) -> Condition:
    """The rows of ``model`` that are shared with the caller, to be read, or only those to be written as well. Where
    they are ``listed``, all of them are found first; otherwise the shares of the row at hand are looked at."""
    standing = [SHARES.c.recipient == RECIPIENTS.any_(), *active_shares(model, SHARES.c)]
    if writes:
        standing.append(SHARES.c.may == literal_column("'write'"))
    if not listed:
        return exists().where(SHARES.c.record_id == model.id, *standing)
    shared: Condition = model.id == any_of(select(SHARES.c.record_id).where(*standing))
    return shared


def active_shares(model: Model, shares: Any) -> Iterator[Condition]:
    """The shares of rows of ``model`` that count for the caller, among those with the caller's recipients."""
    yield shares.model == literal_column(f"'{model.qualified_name()}'")
    yield or_(shares.until.is_(None), shares.until > func.now())
    yield or_(shares.outside, shares.organization_id == ORGANIZATIONS.any_())

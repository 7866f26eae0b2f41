"""Why a caller may do something or may not: the scope of the credential, the policy of the model, and grants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Uuid, bindparam, cast, select

from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import MANAGERS, Credential, Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import Condition, Rule
from app.engine.read.encoding import Projection
from app.engine.read.grants import WRITES, GrantList, NarrowedReader
from app.engine.read.statements import autocommit_connection, compiled

ROLES = {Rule.MANAGERS: MANAGERS, Rule.OWNERS: ("owner",)}


@dataclass(frozen=True)
class Explanation:
    """Whether it is ``allowed``, and ``because`` of what."""

    allowed: bool
    because: list[str]


def explain(principal: Principal, model: type[Record], operation: str, identifier: UUID | None) -> Explanation:
    """Explain what ``principal`` may do with records of ``model``, or with the one called ``identifier``."""
    closed = [*_closed(principal, model, operation)]
    if closed or identifier is None:
        return Explanation(not closed, closed or [*_opened(principal, model, operation)])
    by_policy, by_grants = _judged(principal, model, operation, identifier)
    if not by_policy:
        closed.append(f"The policy of {model.qualified_name()} does not let the caller {operation} this record.")
    if not by_grants:
        closed.append(f"The record meets the condition of no grant that opens {operation}.")
    return Explanation(not closed, closed or [*_opened(principal, model, operation)])


def _has_role(principal: Principal, model: type[Record], operation: str, roles: Sequence[str]) -> bool:
    """Whether the caller has one of ``roles`` somewhere, or needs none, as for what is shared with them."""
    may_be_shared = operation == "update" and model.policy.shares and bool(principal.recipients)
    return principal.is_admin or may_be_shared or bool(principal.organizations(*roles))


def _closed(principal: Principal, model: type[Record], operation: str) -> Iterator[str]:
    """What closes the operation on all records."""
    name, scope = model.qualified_name(), "write" if operation in WRITES else "read"
    if scope not in principal.scopes:
        yield f"The credential does not have the scope {scope}."
    session_only = model.policy.session_only
    is_key = principal.credential in (Credential.KEY, Credential.ANONYMOUS_KEY)
    if is_key and (session_only is SessionOnly.ALL or (session_only is SessionOnly.WRITES and scope == "write")):
        yield f"{name} needs a session in place of a key."
    rule: Rule = getattr(model.policy, _rule(operation))
    if rule is Rule.NONE:
        yield f"Nobody may {operation} records of {name}."
    elif rule is Rule.ADMIN and not principal.is_admin:
        yield f"Only platform admins {operation} records of {name}."
    elif rule in ROLES and not _has_role(principal, model, operation, ROLES[rule]):
        yield f"Only members with the role {' or '.join(ROLES[rule])} {operation} records of {name}."
    for place, each in _lists(principal):
        for needed in dict.fromkeys((_rule(operation), operation)):
            if each.concerns(model) and not each.opening(model, needed):
                yield f"No grant {_whose(each, place)} opens {needed} on {name}."


def _opened(principal: Principal, model: type[Record], operation: str) -> Iterator[str]:
    """What lets the caller do it."""
    yield f"The policy of {model.qualified_name()} admits it: {getattr(model.policy, _rule(operation)).value}."
    for place, each in _lists(principal):
        if each.concerns(model):
            numbers = ", ".join(str(number + 1) for number in sorted(each.opening(model, operation)))
            yield f"Grant {numbers} {_whose(each, place)} opens it."


def _judged(principal: Principal, model: type[Record], operation: str, identifier: UUID) -> tuple[bool, bool]:
    """Whether the policy, and whether grants let the caller do it with the record."""
    reader = principal.reader
    conditions = {
        "by_policy": _by_policy(model, reader.base, operation),
        "by_grants": reader.granted(model, _rule(operation), operation),
    }
    columns: list[Any] = [cast(condition, Boolean).label(name) for name, condition in conditions.items()]
    wanted = model.id == bindparam("wanted_id", type_=Uuid())
    statement = compiled(select(*columns).where(wanted), Projection(tuple(conditions), (), ()))
    with autocommit_connection() as connection:
        rows = statement.rows(connection, {"wanted_id": identifier} | principal.binds)
    return bool(rows and rows[0][0]), bool(rows and rows[0][1])


def _by_policy(model: type[Record], reader: Reader, operation: str) -> Condition:
    if operation in ("update", "delete"):
        return model.policy.writable(model, reader, operation)
    return model.policy.visible(model, reader)


def _rule(operation: str) -> str:
    return {"export": "list", "import": "create"}.get(operation, operation)


def _lists(principal: Principal) -> list[tuple[int, GrantList]]:
    """The lists of the caller that narrow anything."""
    reader: object = principal.reader
    return list(enumerate(reader.lists)) if isinstance(reader, NarrowedReader) else []


def _whose(narrowing: GrantList, place: int) -> str:
    if narrowing.organization is None:
        return "of the key"
    return f"of the membership in {narrowing.organization} (list {place + 1})"

"""Comments on records: whoever reads a record, and not only because it is public, reads and writes them beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Mapped

from app.auth.accounts import users
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.sharing.shareable import organization_above
from app.engine.changes.judgments import roots
from app.engine.changes.purging import purged
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import column, reference, string, timestamp
from app.engine.declare.indexes import index
from app.engine.declare.kind import Identifier
from app.engine.declare.principal import Principal
from app.engine.declare.record import Base, Record
from app.engine.read.statements import autocommit_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, Invalid, require_found
from app.foundation.events import Event

LONGEST, MOST, MOST_MENTIONS = 4000, 1000, 20
Model = type[Record]
# Comments of records that are gone, and cannot come back; ``table`` is that of the model.
LEFT = """
DELETE FROM platform_comment AS c WHERE c.model = %(model)s
AND NOT EXISTS (SELECT FROM {table} AS t WHERE t.id = c.record_id)
AND NOT EXISTS (SELECT FROM platform_change AS l WHERE l.record_id = c.record_id)
"""


class PlatformComment(Base):
    """What somebody has written about a record."""

    __tablename__ = "platform_comment"
    keys = (index("record_id", "-created_at"), index("user_id"))

    model: Mapped[str] = string(min=3, max=100, note="its qualified name")
    record_id: Mapped[UUID] = column(Identifier(), note="no foreign key: it may be of any model")
    user_id: Mapped[UUID | None] = reference("auth_user", "set null", note="who wrote it")
    text: Mapped[str] = string(min=1, max=LONGEST)
    edited_at: Mapped[datetime | None] = timestamp()


class Shown(NamedTuple):
    """A comment, who wrote it, where that is somebody still, and whether the caller may remove it."""

    comment: PlatformComment
    author: AuthUser | None
    is_removable: bool = False


# People are named in a comment who see its record.
mentioned: Event[[Unit, Record, PlatformComment, list[UUID]]] = Event()


@cache
def takes_comments(model: Model) -> bool:
    """Whether records of ``model`` are somebody's: what is everybody's has no comments, which all would read."""
    above = (model, *roots(model))
    parts = (part for each in above for part in each.policy.scope.parts())
    return not (model.is_credential or any(part.is_nobodys for part in parts))


def listed(unit: Unit, model: Model, identifier: UUID, take: int, skip: int) -> tuple[list[Shown], int]:
    """A page of the comments on a record, the newest first, and how many there are. Raises NotFound."""
    manages = _manages(unit, _require_readable(unit, model, identifier))
    of_it = PlatformComment.record_id == identifier
    count = unit.session.scalar(select(func.count()).select_from(PlatformComment).where(of_it)) or 0
    newest = _shown().where(of_it).order_by(PlatformComment.created_at.desc(), PlatformComment.id.desc())
    rows = unit.session.execute(newest.limit(take).offset(skip))
    return [Shown(row[0], row[1], manages or is_own(row[0], unit.principal)) for row in rows], count


def write(unit: Unit, model: Model, identifier: UUID, text: str, mentions: Sequence[UUID]) -> Shown:
    """Comment on a record, and tell those of ``mentions`` who see it. Raises NotFound; Forbidden for nobody's key;
    Invalid for a mention of somebody else than a colleague; Conflict where a record has the most comments."""
    user_id = require_found(unit.principal.user_id, Forbidden("Comments are written by users"))
    record = _require_readable(unit, model, identifier)
    named = [each for each in _colleagues(unit, mentions) if _sees(unit, each, model, identifier)]
    unit.lock(f"comments of {identifier}")
    number = select(func.count()).where(PlatformComment.record_id == identifier)
    if (unit.session.scalar(number) or 0) >= MOST:
        raise Conflict(f"A record has at most {MOST} comments")
    made = PlatformComment(model=model.qualified_name(), record_id=identifier, user_id=user_id, text=text)
    unit.store(made)
    if named:
        mentioned.emit(unit, record, made, named)
    return Shown(made, unit.session.get(AuthUser, user_id), is_removable=True)


def change(unit: Unit, model: Model, identifier: UUID, comment_id: UUID, text: str) -> Shown:
    """Write one's own comment anew. Raises NotFound, and Forbidden for one of somebody else."""
    _require_readable(unit, model, identifier)
    found = _find(unit, model, identifier, comment_id)
    if not is_own(found.comment, unit.principal):
        raise Forbidden("Only who wrote a comment changes it")
    found.comment.text, found.comment.edited_at = text, now()
    unit.session.flush()
    return found._replace(is_removable=True)


def remove(unit: Unit, model: Model, identifier: UUID, comment_id: UUID) -> None:
    """Remove one's own comment, or as a manager of the record's organization any. Raises NotFound and Forbidden."""
    record = _require_readable(unit, model, identifier)
    found = _find(unit, model, identifier, comment_id)
    if not (is_own(found.comment, unit.principal) or _manages(unit, record)):
        raise Forbidden("Only who wrote a comment, or a manager, removes it")
    unit.session.delete(found.comment)


def is_own(comment: PlatformComment, principal: Principal) -> bool:
    """Whether the principal wrote a comment."""
    return comment.user_id is not None and comment.user_id == principal.user_id


def sweep() -> None:
    """Remove the comments of records that are gone for good, as periodic work."""
    with autocommit_connection() as connection:
        names = {name for (name,) in connection.rows("SELECT DISTINCT model FROM platform_comment", {})}
        for model in (each for each in every_model() if each.qualified_name() in names):
            connection.execute(LEFT.format(table=model.__tablename__), {"model": model.qualified_name()})


@purged.subscribe
def forget(unit: Unit, identifiers: list[UUID]) -> None:
    """Remove comments with what the log has of their records."""
    unit.bookkeep(delete(PlatformComment).where(PlatformComment.record_id.in_(identifiers)))


def _require_readable(unit: Unit, model: Model, identifier: UUID) -> Record:
    """A record that the caller reads whole, and otherwise than as the public does. Raises NotFound, also where it is
    shared with somebody outside of its organization, and Forbidden for grants that hide a part of it."""
    return require_found(_readable(unit, model, identifier, unit.principal))


def _readable(unit: Unit, model: Model, identifier: UUID, principal: Principal) -> Record | None:
    policy, reader = model.policy, principal.reader
    own = (policy.own(model, reader), policy.visible(model, reader))
    record: Record | None = unit.session.scalar(select(model).where(model.id == identifier, *own), principal.binds)
    if record is None:
        return None
    if not reader.admits_wholly(model, "read"):
        raise Forbidden()
    organization = organization_above(unit, record)
    is_within = organization is None or principal.is_admin or organization in principal.memberships
    return record if is_within else None


def _manages(unit: Unit, record: Record) -> bool:
    return unit.principal.manages(organization_above(unit, record))


def _shown() -> Any:
    return select(PlatformComment, AuthUser).outerjoin(AuthUser, AuthUser.id == PlatformComment.user_id)


def _find(unit: Unit, model: Model, identifier: UUID, comment_id: UUID) -> Shown:
    of_it = (PlatformComment.record_id == identifier, PlatformComment.model == model.qualified_name())
    wanted = _shown().where(PlatformComment.id == comment_id, *of_it).with_for_update(of=PlatformComment)
    return Shown(*require_found(unit.session.execute(wanted).first()))


def _colleagues(unit: Unit, mentions: Collection[UUID]) -> list[UUID]:
    """Those who are mentioned, but for the author; raises Invalid for who shares no organization with the author."""
    wanted = set(mentions) - {unit.principal.user_id}
    within = AuthMember.organization_id.in_(unit.principal.organizations())
    found = set(unit.session.scalars(select(AuthMember.user_id).where(AuthMember.user_id.in_(wanted), within)))
    if found != wanted:
        raise Invalid({"mentions": ["Must be members of your organization."]})
    return sorted(found)


def _sees(unit: Unit, user_id: UUID, model: Model, identifier: UUID) -> bool:
    principal = users.user_principal(unit.session, user_id)
    if principal is None:
        return False
    with suppress(Forbidden):
        return _readable(unit, model, identifier, principal) is not None
    return False

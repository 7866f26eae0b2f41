"""What shows a record to others: links, and shares with people, teams and addresses."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import DIGEST, boolean, column, enum, integer, reference, string, timestamp
from app.engine.declare.indexes import index
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.record import Base


class AuthLink(Base):
    """A link that shows a record, and what belongs to it, as its maker sees it."""

    __tablename__ = "auth_link"
    keys = (index("record_id"), index("expires_at"))

    token_hash: Mapped[str] = string(DIGEST, min=64, max=64, unique=True)
    model: Mapped[str] = string(min=3, max=100)
    record_id: Mapped[UUID] = column(Identifier())
    organization_id: Mapped[UUID | None] = reference("auth_organization", "cascade", note="that the record belongs to")
    created_by_id: Mapped[UUID] = reference("auth_user", "cascade")
    expires_at: Mapped[datetime] = timestamp()
    uses: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    last_used_at: Mapped[datetime | None] = timestamp()


class AuthShare(Base):
    """A record that is shared with a user, a team or an address. ``recipient`` is the id or the address for which it
    counts: that of an address is the user's, once somebody has come with it."""

    __tablename__ = "auth_share"
    keys = (
        index("recipient", "model", "-record_created_at", "-record_id"),
        index("record_id"),
        index("email", where="email IS NOT NULL"),
        index("until", where="until IS NOT NULL"),
    )

    model: Mapped[str] = string(min=3, max=100)
    record_id: Mapped[UUID] = column(Identifier())
    record_created_at: Mapped[datetime] = timestamp(note="of the record: lists have the newest first")
    recipient: Mapped[str] = string(min=3, max=254)
    user_id: Mapped[UUID | None] = reference("auth_user", "cascade")
    team_id: Mapped[UUID | None] = reference("auth_team", "cascade")
    email: Mapped[str | None] = string(min=3, max=254)
    may: Mapped[str] = enum("read", "write")
    until: Mapped[datetime | None] = timestamp()
    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", note="of the record, or in which a personal record is shared"
    )
    outside: Mapped[bool] = boolean(default=False, note="the recipient need be no member of the organization")
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null")

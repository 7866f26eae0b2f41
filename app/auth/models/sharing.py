"""Links by which anybody reads one record."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import DIGEST, column, integer, reference, string, timestamp
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

"""Bodies and answers about links that show one record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields, validates

from app.auth.sharing.links import LONGEST
from app.foundation.clock import now
from schemas.fields import Identifier, Moment, WireSchema


class LinkCreate(WireSchema):
    """Until when a link shows its record; seven days without it."""

    until = Moment()

    @validates("until")
    def is_within_bounds(self, value: datetime, **_: Any) -> None:
        """Refuse what is over, and what lasts for years."""
        if not now() < value <= now() + LONGEST:
            raise ValidationError(f"Must be in the future, and at most {LONGEST.days} days away.")


class Link(WireSchema):
    """A link, without its secret."""

    id = Identifier(required=True)
    until = Moment(required=True)
    uses = fields.Integer(required=True)
    last_used_at = Moment(required=True, allow_none=True, data_key="lastUsedAt")
    created_by_id = Identifier(required=True, data_key="createdById")
    created_at = Moment(required=True, data_key="createdAt")


class NewLink(Link):
    """A link with its secret, which is shown once."""

    token = fields.String(required=True)
    url = fields.String(required=True)


class LinkList(WireSchema):
    """The links of a record that have not ended, newest first."""

    data = fields.List(fields.Nested(Link), required=True)


class LinkedRecord(WireSchema):
    """What a link shows: the fields of the record, and beside them the records that belong to it."""

    model = fields.String(required=True)
    until = Moment(required=True)
    record = fields.Dict(required=True)

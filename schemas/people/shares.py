"""Bodies and answers about records that are shared with people, teams and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates, validates_schema

from app.auth.sharing.shares import MOST_OF_A_RECORD, Share
from app.foundation.clock import now
from schemas.fields import Email, Embedded, Identifier, Moment, WireSchema

MAY = validate.OneOf(["read", "write"], error="Must be one of: {choices}.")


class Recipient(WireSchema):
    """With whom: a user, a team or an address."""

    user_id = Identifier(data_key="userId")
    team_id = Identifier(data_key="teamId")
    email = Email(validate=validate.Length(min=3, max=254))

    @validates_schema
    def is_one(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuse none and several."""
        if len(data) != 1:
            raise ValidationError("Takes one of userId, teamId and email.")


class RecordShare(WireSchema):
    """With whom a record is shared, for what, and until when."""

    with_ = fields.Nested(Recipient, required=True, data_key="with")
    may = fields.String(required=True, validate=MAY)
    until = Moment(allow_none=True)

    @validates("until")
    def is_to_come(self, value: datetime | None, **_: Any) -> None:
        """Refuse what is over."""
        if value is not None and value <= now():
            raise ValidationError("Must be in the future.")

    @post_load
    def to_share(self, data: dict[str, Any], **_: Any) -> Share:
        return Share(data["may"], until=data.get("until"), **data["with_"])


class ShareList(WireSchema):
    """With whom a record is shared, whole: whoever is not in it has the record no longer."""

    data = fields.List(
        fields.Nested(RecordShare),
        required=True,
        validate=validate.Length(max=MOST_OF_A_RECORD, error="Must have at most {max} items."),
    )

    @validates_schema(skip_on_field_errors=True)
    def names_each_once(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuse a recipient that is named twice."""
        if len({each.with_whom for each in data["data"]}) < len(data["data"]):
            raise ValidationError("Names somebody twice.", "data")


class SharedRecord(WireSchema):
    """A record that is shared with the caller; ``shared_by`` may be gone."""

    model = fields.String(required=True)
    id = Identifier(required=True)
    may = fields.String(required=True, validate=MAY)
    until = Moment(required=True, allow_none=True)
    shared_at = Moment(required=True, data_key="sharedAt")
    shared_by = Embedded(required=True, allow_none=True, data_key="sharedBy")


class SharedRecords(WireSchema):
    """What is shared with the caller, what was shared last first."""

    data = fields.List(fields.Nested(SharedRecord), required=True)

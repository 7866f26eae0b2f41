"""Bodies and answers about access: lists of grants, and why a caller may do something."""

from __future__ import annotations

from marshmallow import fields, validate

from app.engine.read.grants import OPERATIONS
from schemas.fields import Grants, Identifier, Text, WireSchema

OPERATION = validate.OneOf(OPERATIONS, error="Must be one of: {choices}.")


class AccessList(WireSchema):
    """A list of grants, or null for none."""

    access = Grants(required=True, allow_none=True)


class MemberAccess(AccessList):
    """What narrows a member: the own list, and that of the member's teams."""

    team_access = Grants(required=True, allow_none=True, data_key="teamAccess")


class AccessSubject(WireSchema):
    """Of whom is asked: one's own key, or a member of an organization that one manages."""

    key_id = Identifier(data_key="keyId")
    member_id = Identifier(data_key="memberId")


class AccessQuestion(WireSchema):
    """Whether somebody may do something: with any record of a model, or with one."""

    model = Text(required=True)
    operation = Text(required=True, validate=OPERATION)
    id = Identifier()
    as_ = fields.Nested(AccessSubject, data_key="as")


class AccessExplanation(WireSchema):
    """Whether it is allowed, and because of what."""

    allowed = fields.Boolean(required=True)
    because = fields.List(fields.String(), required=True)


class AccessToModel(WireSchema):
    """What the caller may do with records of a model, and of which fields; null for all."""

    model = fields.String(required=True)
    operations = fields.List(fields.String(validate=OPERATION), required=True)
    fields_ = fields.List(fields.String(), required=True, allow_none=True, data_key="fields")


class AccessOverview(WireSchema):
    """What the calling credential may do. Whether grants narrow it, ``narrowed`` says."""

    scopes = fields.List(fields.String(), required=True)
    narrowed = fields.Boolean(required=True)
    models = fields.List(fields.Nested(AccessToModel), required=True)

"""Jobs that users follow, on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.jobs.following import STATUSES
from app.jobs.models import PlatformJob
from schemas.envelopes import ListMeta
from schemas.fields import Identifier, Moment, Number, Text, WireSchema


class FollowedJob(WireSchema):
    """Work that a user waits for."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    task = Text(required=True, metadata={"description": "What is done."})
    record_id = Identifier(
        required=True, data_key="recordId", metadata={"format": "uuid", "description": "The record that it is about."}
    )
    status = Text(required=True, validate=validate.OneOf(STATUSES))
    progress = Number(required=True, validate=validate.Range(0, 1), metadata={"description": "How far it has come."})
    message = Text(required=True, allow_none=True, metadata={"description": "What it is at."})
    result = fields.Raw(required=True, allow_none=True, metadata={"description": "What came of it, as JSON."})
    error_message = Text(required=True, allow_none=True, data_key="errorMessage")
    due_at = Moment(
        required=True,
        allow_none=True,
        data_key="dueAt",
        metadata={"description": "Where it was asked for at a moment."},
    )
    created_at = Moment(required=True, data_key="createdAt")
    started_at = Moment(required=True, allow_none=True, data_key="startedAt")
    ended_at = Moment(required=True, allow_none=True, data_key="endedAt")


class FollowedJobList(WireSchema):
    """A page of jobs, the newest first."""

    data = fields.List(fields.Nested(FollowedJob), required=True)
    meta = fields.Nested(ListMeta, required=True)


def job_of(job: PlatformJob) -> dict[str, Any]:
    """A job as its user gets it."""
    shown = FollowedJob._declared_fields.items()
    return {field.data_key or name: getattr(job, name) for name, field in shown}

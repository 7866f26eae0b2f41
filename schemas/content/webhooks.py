"""Webhooks on the wire: endpoints, and what was delivered to them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from marshmallow import fields, validate
from werkzeug.datastructures import MultiDict

from app.engine.read.query import DEFAULT_TAKE
from app.engine.read.query_context import allowed, invalid
from app.foundation.clock import NOT_A_MOMENT, moment_of
from app.webhooks.models import IntegrationWebhookDelivery, IntegrationWebhookEndpoint
from schemas.changes import HistoryMeta
from schemas.envelopes import ListMeta
from schemas.fields import Flag, Identifier, Json, Moment, Strings, Text, Url, WireSchema
from schemas.query.queries import bounded, once

MAX_TAKE = 100
STATUSES = ("pending", "delivering", "delivered", "failed", "abandoned")
REASONS = ("gone", "failing", "overflow")
ABOUT_TYPES = "Such as crm.deal.update; a trailing * stands for all parts behind it: crm.deal.*, crm.*, *."
ABOUT_WHERE = "Conditions on fields of the one model that the event types are of."


def _event_types(**options: Any) -> Strings:
    return Strings(
        each=[validate.Length(1, 200)], validate=validate.Length(1, 100), data_key="eventTypes",
        metadata={"description": ABOUT_TYPES}, **options,
    )  # fmt: skip


def _url(**options: Any) -> Url:
    return Url(
        validate=validate.Length(1, 2048), metadata={"format": "uri", "description": "https alone; in development "
        "also http on this machine."}, **options,
    )  # fmt: skip


class WebhookUpdate(WireSchema):
    """What changes of an endpoint."""

    url = _url()
    description = Text(validate=validate.Length(max=500), allow_none=True)
    event_types = _event_types()
    where = Json(shape="object", max_bytes=16_384, allow_none=True, metadata={"description": ABOUT_WHERE})
    enabled = Flag()


class WebhookCreate(WebhookUpdate):
    """A new endpoint."""

    url = _url(required=True)
    event_types = _event_types(required=True)
    organization_id = Identifier(
        data_key="organizationId", metadata={"format": "uuid", "description": "The one you act in, unless given."}
    )


class Webhook(WebhookUpdate):
    """An endpoint that hears of events."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    organization_id = Identifier(required=True, data_key="organizationId", metadata={"format": "uuid"})
    failure_count = fields.Integer(
        required=True, data_key="failureCount", metadata={"description": "Attempts that failed since one arrived."}
    )
    failing_since = Moment(required=True, data_key="failingSince", allow_none=True)
    disabled_at = Moment(required=True, data_key="disabledAt", allow_none=True)
    disabled_reason = fields.String(
        required=True, data_key="disabledReason", allow_none=True, validate=validate.OneOf([*REASONS, None]),
        metadata={"description": "Why it was switched off, unless somebody did so: it answered 410; nothing arrived "
                  "for five days; more than 100,000 events waited."},
    )  # fmt: skip
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class WebhookMade(Webhook):
    """An endpoint with its secret, which is shown once."""

    secret = fields.String(required=True, allow_none=True, metadata={"description": "Verifies the signatures."})


class WebhookList(WireSchema):
    """A page of endpoints, newest first."""

    data = fields.List(fields.Nested(Webhook), required=True)
    meta = fields.Nested(ListMeta, required=True)


class Delivery(WireSchema):
    """One event for one endpoint, and what its latest attempt came to."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    event_id = fields.String(required=True, data_key="eventId", metadata={"description": "The header webhook-id."})
    event_type = fields.String(required=True, data_key="eventType")
    record_id = Identifier(required=True, data_key="recordId", allow_none=True, metadata={"format": "uuid"})
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    attempts = fields.Integer(required=True)
    next_attempt_at = Moment(required=True, data_key="nextAttemptAt", allow_none=True)
    payload = Json(required=True, allow_none=True, metadata={"description": "What was sent; null before that."})
    response_status = fields.Integer(required=True, data_key="responseStatus", allow_none=True)
    response_excerpt = fields.String(required=True, data_key="responseExcerpt", allow_none=True)
    error_message = fields.String(required=True, data_key="errorMessage", allow_none=True)
    duration_ms = fields.Integer(required=True, data_key="durationMs", allow_none=True)
    delivered_at = Moment(required=True, data_key="deliveredAt", allow_none=True)
    created_at = Moment(required=True, data_key="createdAt")


class DeliveryList(WireSchema):
    """Deliveries of an endpoint, newest first."""

    data = fields.List(fields.Nested(Delivery), required=True)
    meta = fields.Nested(HistoryMeta, required=True)


def webhook_of(endpoint: IntegrationWebhookEndpoint) -> dict[str, Any]:
    """An endpoint as it is answered: never with its secret."""
    return {
        "id": endpoint.id, "userId": endpoint.user_id, "organizationId": endpoint.organization_id, "url": endpoint.url,
        "description": endpoint.description, "eventTypes": endpoint.event_types, "where": endpoint.where,
        "enabled": endpoint.enabled, "failureCount": endpoint.failure_count, "failingSince": endpoint.failing_since,
        "disabledAt": endpoint.disabled_at, "disabledReason": endpoint.disabled_reason,
        "createdAt": endpoint.created_at, "updatedAt": endpoint.updated_at,
    }  # fmt: skip


def delivery_of(delivery: IntegrationWebhookDelivery) -> dict[str, Any]:
    """A delivery as it is answered."""
    waits = delivery.status in ("pending", "failed")
    return {
        "id": delivery.id, "eventId": delivery.event_id, "eventType": delivery.event_type,
        "recordId": delivery.record_id, "status": delivery.status, "attempts": delivery.attempts,
        "nextAttemptAt": delivery.next_attempt_at if waits else None, "payload": delivery.payload or None,
        "responseStatus": delivery.response_status, "responseExcerpt": delivery.response_excerpt,
        "errorMessage": delivery.error_message, "durationMs": delivery.duration_ms,
        "deliveredAt": delivery.delivered_at, "createdAt": delivery.created_at,
    }  # fmt: skip


def deliveries_query(args: MultiDict[str, str]) -> tuple[str | None, int, str | None]:
    """Read which deliveries are wanted: the status, how many, and behind which cursor; raises InvalidFilter and
    InvalidPagination."""
    status = once("status", args.getlist("status")) if "status" in args else None
    if status is not None and status not in STATUSES:
        raise invalid("status", allowed(STATUSES))
    cursor = once("cursor", args.getlist("cursor")) if "cursor" in args else ""
    return status, bounded(args, "take", 1, MAX_TAKE, DEFAULT_TAKE), cursor or None


def replayed_since(args: MultiDict[str, str]) -> datetime:
    """Read since when events are to be sent again; raises InvalidFilter."""
    moment = moment_of(once("since", args.getlist("since"))) if "since" in args else None
    if moment is None:
        raise invalid("since", NOT_A_MOMENT)
    return moment

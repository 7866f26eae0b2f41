"""Webhooks: addresses that hear of changes, and what was delivered to them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials.access import Access, declare_access
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.unit_of_work import Unit
from app.webhooks import addresses, endpoints, resending
from blueprints.http.base import Blueprint, paged, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.content.webhooks import (
    MAX_TAKE,
    STATUSES,
    Delivery,
    DeliveryList,
    Webhook,
    WebhookCreate,
    WebhookList,
    WebhookMade,
    WebhookUpdate,
    deliveries_query,
    delivery_of,
    replayed_since,
    webhook_of,
)
from schemas.envelopes import Deleted
from schemas.query.queries import window

# They hear what their user may see, and whoever looks with the eyes of another user neither sees nor makes any.
users = declare_access(Access(private=True, guarded=True))
PATH = "/<string:id>"
GIVEN = {"url": "https://hooks.example.com/rowgate", "eventTypes": ["crm.deal.*"], "description": "Search index"}
MOMENT = "2027-01-01T09:00:00.000Z"
EXAMPLE = {
    "id": EXAMPLE_ID, "userId": EXAMPLE_ID, "organizationId": EXAMPLE_ID, **GIVEN, "where": None, "enabled": True,
    "failureCount": 0, "failingSince": None, "disabledAt": None, "disabledReason": None, "createdAt": MOMENT,
    "updatedAt": MOMENT,
}  # fmt: skip
MADE = {**EXAMPLE, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}
DELIVERED = {
    "id": EXAMPLE_ID, "eventId": "0b0e3c52-6f0c-5c36-9d3c-0f5f6b9a8a10", "eventType": "crm.deal.update",
    "recordId": EXAMPLE_ID, "status": "delivered", "attempts": 1, "nextAttemptAt": None,
    "payload": {"type": "crm.deal.update", "timestamp": MOMENT, "data": {"recordId": EXAMPLE_ID}},
    "responseStatus": 204, "responseExcerpt": "", "errorMessage": None, "durationMs": 41, "deliveredAt": MOMENT,
    "createdAt": MOMENT,
}  # fmt: skip
TEXT = (
    "Events are posted to the address as Standard Webhooks 1.0 has it, signed with the `secret`, which is shown once. "
    "The endpoint hears of what you may see in the organization, and goes with your membership."
)
OF_DELIVERIES: list[dict[str, Any]] = [
    {
        "name": "status", "in": "query", "schema": {"type": "string", "enum": list(STATUSES)},
        "description": "Only deliveries in this state.",
    },
    window_parameters(MAX_TAKE)[0],
    {
        "name": "cursor", "in": "query", "schema": {"type": "string"}, "description": "The `next` of an earlier page.",
    },
]  # fmt: skip
SINCE: list[dict[str, Any]] = [
    {
        "name": "since", "in": "query", "required": True, "schema": {"type": "string", "format": "date-time"},
        "description": "Changes from this moment on are sent again.",
    },
]  # fmt: skip


def build() -> Blueprint:
    """The blueprint of webhooks."""
    blp = Blueprint("hooks", __name__, url_prefix="/api/v1/_webhooks", description="Changes sent to your servers.")
    _route_lists(blp)
    _route_endpoints(blp)
    _route_deliveries(blp)
    return blp


def _route_lists(blp: Blueprint) -> None:
    @serve(blp, "GET", "", Operation(
        "listWebhooks", "List webhooks", access=users, query=window_parameters(MAX_TAKE),
        gives=Answer(WebhookList, example={"data": [EXAMPLE], "meta": {"count": 1, "take": 20, "skip": 0}}),
        description="Yours, and as a manager those of others in the organization.",
    ))  # fmt: skip
    def list_webhooks() -> Response:
        return respond(_listed, *window(request.args, MAX_TAKE))

    @serve(blp, "POST", "", Operation(
        "createWebhook", "Make a webhook", access=users, takes=Body(WebhookCreate, example=GIVEN),
        gives=Answer(WebhookMade, example=MADE, status=201), fails=(404, 409), once=True, description=TEXT,
    ))  # fmt: skip
    def create_webhook(given: dict[str, Any]) -> Response:
        addresses.check(given["url"])
        return respond(_created, given)


def _route_endpoints(blp: Blueprint) -> None:
    @serve(blp, "GET", PATH, Operation(
        "readWebhook", "Read a webhook", access=users, gives=Answer(Webhook, example=EXAMPLE),
    ))  # fmt: skip
    def read_webhook(id: str) -> Response:
        return respond(lambda unit: Reply(webhook_of(endpoints.find(unit, parse_id(id)))))

    @serve(blp, "PATCH", PATH, Operation(
        "updateWebhook", "Change a webhook", access=users, takes=Body(WebhookUpdate, example={"enabled": False}),
        gives=Answer(Webhook, example=EXAMPLE), fails=(403,), once=True,
        description="Managers switch off those of others. What was missed meanwhile is sent by a replay.",
    ))  # fmt: skip
    def update_webhook(given: dict[str, Any], id: str) -> Response:
        if "url" in given:
            addresses.check(given["url"])
        return respond(lambda unit: Reply(webhook_of(endpoints.change(unit, parse_id(id), given))))

    @serve(blp, "DELETE", PATH, Operation(
        "deleteWebhook", "Remove a webhook and its deliveries", access=users, gives=Answer(Deleted), once=True,
    ))  # fmt: skip
    def delete_webhook(id: str) -> Response:
        return respond(_deleted, id)

    @serve(blp, "POST", f"{PATH}/_rotate", Operation(
        "rotateWebhookSecret", "Give a webhook another secret", access=users,
        gives=Answer(WebhookMade, example=MADE), fails=(403,), once=True,
        description="For 24 hours both secrets sign.",
    ))  # fmt: skip
    def rotate_webhook_secret(id: str) -> Response:
        return respond(_rotated, parse_id(id))


def _route_deliveries(blp: Blueprint) -> None:
    @serve(blp, "POST", f"{PATH}/_test", Operation(
        "testWebhook", "Send a test", access=users, gives=Answer(Delivery, example=DELIVERED, status=202),
        fails=(403, 409), once=True, description="An event of the type `webhook.test`.",
    ))  # fmt: skip
    def test_webhook(id: str) -> Response:
        return respond(lambda unit: Reply(delivery_of(resending.send_test(unit, parse_id(id))), 202))

    @serve(blp, "GET", f"{PATH}/_deliveries", Operation(
        "listWebhookDeliveries", "List what was sent to a webhook, and what waits", access=users, query=OF_DELIVERIES,
        gives=Answer(DeliveryList, example={"data": [DELIVERED], "meta": {"next": None}}), fails=(403,),
    ))  # fmt: skip
    def list_webhook_deliveries(id: str) -> Response:
        return respond(_deliveries, parse_id(id), *deliveries_query(request.args))

    @serve(blp, "POST", f"{PATH}/_deliveries/<string:delivery>/_redeliver", Operation(
        "redeliverWebhook", "Send a delivery again", access=users,
        gives=Answer(Delivery, example=DELIVERED, status=202), fails=(403, 409), once=True,
        description="One that has arrived or was given up, with what the record has now.",
    ))  # fmt: skip
    def redeliver_webhook(id: str, delivery: str) -> Response:
        return respond(
            lambda unit: Reply(delivery_of(resending.redeliver(unit, parse_id(id), parse_id(delivery))), 202)
        )

    @serve(blp, "POST", f"{PATH}/_replay", Operation(
        "replayWebhook", "Send all since a moment again", access=users, query=SINCE,
        gives=Answer(Webhook, example=EXAMPLE, status=202), fails=(403, 409), once=True,
        description="As a job, in the order of the commits, for as long as the log reaches back.",
    ))  # fmt: skip
    def replay_webhook(id: str) -> Response:
        since = replayed_since(request.args)
        return respond(_replayed, parse_id(id), since)


def _listed(unit: Unit, take: int, skip: int) -> Reply:
    found, count = endpoints.listed(unit, take, skip)
    return Reply(paged([webhook_of(each) for each in found], count, take, skip))


def _created(unit: Unit, given: dict[str, Any]) -> Reply:
    return _shown_once(*endpoints.create(unit, dict(given)), 201)


def _rotated(unit: Unit, identifier: UUID) -> Reply:
    return _shown_once(*endpoints.rotate(unit, identifier), 200)


def _shown_once(endpoint: Any, secret: str, status: int) -> Reply:
    shown = {**webhook_of(endpoint), "secret": secret}
    return Reply(shown, status, secrets=("secret",), headers={"Cache-Control": "no-store"})


def _deleted(unit: Unit, identifier: str) -> Reply:
    endpoints.delete(unit, parse_id(identifier))
    return Reply({"id": identifier, "deleted": True})


def _deliveries(unit: Unit, endpoint: UUID, status: str | None, take: int, cursor: str | None) -> Reply:
    found, following = resending.deliveries(unit, endpoint, status, take, cursor)
    return Reply({"data": [delivery_of(each) for each in found], "meta": {"next": following}}).within_bounds()


def _replayed(unit: Unit, identifier: UUID, since: Any) -> Reply:
    resending.replay(unit, identifier, since)
    return Reply(webhook_of(endpoints.find(unit, identifier)), 202)

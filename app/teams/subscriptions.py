"""Subscriptions to change notifications of Graph: created, renewed at half of their life, recreated when lost."""

from __future__ import annotations

import logging
import secrets
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from sqlalchemy import delete, insert, select, update
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Conflict, Failure, Invalid, NotFound, UpstreamFailure, require_found
from app.foundation.settings import settings
from app.teams import app_tokens, graph
from app.teams.errors import TeamsPermissionDenied
from app.teams.models import IntegrationGraphSubscription as Subscription
from app.teams.reading import json_of, moment_of

log = logging.getLogger(__name__)


# How long each kind of resource may be subscribed to; the others take the usual time.
LIVES = (("presence", timedelta(minutes=60)), ("callRecord", timedelta(minutes=4230)))
USUAL_LIFE = timedelta(minutes=4320)
WEBHOOK = "/api/integrations/teams/webhooks"


@dataclass(frozen=True)
class Wanted:
    """What a subscription is about."""

    tenant_id: str
    resource: str
    change_type: str
    certificate_id: str | None = None

    @property
    def life(self) -> timedelta:
        """The longest that Graph keeps a subscription to this."""
        return next((life for word, life in LIVES if word in self.resource), USUAL_LIFE)


@dataclass(frozen=True)
class Made:
    """A subscription as Graph has taken it."""

    id: str
    ends: datetime
    secret: str


def subscribe(wanted: Wanted) -> UUID:
    """Make a subscription and keep it up from now on; raises TeamsPermissionDenied, TeamsCredentialsRefused, Conflict,
    Invalid, Unavailable and UpstreamFailure."""
    made = _create(wanted)
    values = {
        "id": uuid7(), "subscription_id": made.id, "tenant_id": wanted.tenant_id, "resource": wanted.resource,
        "change_type": wanted.change_type, "client_state": vault().encrypt(made.secret),
        "encryption_certificate_id": wanted.certificate_id, "expires_at": made.ends,
    }  # fmt: skip
    run_unit(SYSTEM, Unit.bookkeep, insert(Subscription).values(values))
    return UUID(str(values["id"]))


def keep(row_id: UUID) -> None:
    """Renew a subscription, or make it anew when Graph has it no more, as a job."""
    with reading() as session:
        row = session.get(Subscription, row_id)
        if row is None:
            return
        wanted, known, lost = _wanted(row), row.subscription_id, row.status == "removed" or row.expires_at <= now()
    try:
        changes = _made_anew(wanted) if lost else _renewed(wanted, known)
    except Failure as failure:
        # Whether it is for good or for now: what is due is asked for again every ten minutes.
        log.warning("The Graph subscription %s is not renewed: %s", row_id, failure.text)
        return
    left = update(Subscription).where(Subscription.id == row_id, Subscription.subscription_id == known)
    if not run_unit(SYSTEM, Unit.bookkeep, left.values(status="active", **changes)) and "subscription_id" in changes:
        _call(wanted.tenant_id, "DELETE", f"/{changes['subscription_id']}")


def renew_due(unit: Unit) -> None:
    """Have the subscriptions renewed that are past half of their life, and those that are lost."""
    for row in unit.session.scalars(select(Subscription)).all():
        if row.status != "active" or row.expires_at < now() + _wanted(row).life / 2:
            graph.renew_soon(unit, row.id)


def renew(unit: Unit, row_id: UUID) -> None:
    """Have a subscription renewed by a job; raises NotFound."""
    require_found(unit.session.get(Subscription, row_id))
    graph.renew_soon(unit, row_id)


def unsubscribe(row_id: UUID) -> None:
    """End a subscription at Graph and here; raises NotFound, and what ``subscribe`` does."""
    with reading() as session:
        row = require_found(session.get(Subscription, row_id))
        tenant_id, known = row.tenant_id, row.subscription_id
    try:
        _call(tenant_id, "DELETE", f"/{known}")
    except NotFound:
        log.info("Graph had forgotten the subscription %s", known)
    gone = delete(Subscription).where(Subscription.id == row_id, Subscription.subscription_id == known)
    if not run_unit(SYSTEM, Unit.bookkeep, gone):
        raise Conflict("The subscription was made anew meanwhile: try again")


def _wanted(row: Subscription) -> Wanted:
    return Wanted(row.tenant_id, row.resource, row.change_type, row.encryption_certificate_id)


def _renewed(wanted: Wanted, known: str) -> dict[str, Any]:
    """What changes in the row of a subscription that lives on."""
    try:
        answer = _call(wanted.tenant_id, "PATCH", f"/{known}", {"expirationDateTime": _written(now() + wanted.life)})
    except NotFound:
        return _made_anew(wanted)
    return {"expires_at": moment_of(answer.get("expirationDateTime")) or now() + wanted.life}


def _made_anew(wanted: Wanted) -> dict[str, Any]:
    made = _create(wanted)
    return {"subscription_id": made.id, "expires_at": made.ends, "client_state": vault().encrypt(made.secret)}


def _create(wanted: Wanted) -> Made:
    secret, ends = secrets.token_urlsafe(32), now() + wanted.life
    body: dict[str, Any] = {
        "changeType": wanted.change_type, "resource": wanted.resource,
        "notificationUrl": settings.public_url + WEBHOOK, "lifecycleNotificationUrl": settings.public_url + WEBHOOK,
        "expirationDateTime": _written(ends), "clientState": secret,
    }  # fmt: skip
    if wanted.certificate_id:
        body |= {
            "includeResourceData": True, "encryptionCertificate": certificate(wanted.certificate_id),
            "encryptionCertificateId": wanted.certificate_id,
        }  # fmt: skip
    try:
        answer = _call(wanted.tenant_id, "POST", "", body)
    except Conflict:
        # Nothing here knows of it: it was made by a process that did not live to write it down.
        _forget_stray(wanted, body["notificationUrl"])
        answer = _call(wanted.tenant_id, "POST", "", body)
    if not isinstance(answer.get("id"), str):
        raise UpstreamFailure("Microsoft Graph gave no subscription")
    return Made(answer["id"], moment_of(answer.get("expirationDateTime")) or ends, secret)


def _forget_stray(wanted: Wanted, url: str) -> None:
    """End the subscription at Graph that is in the way, unless it is one that is kept up here."""
    with reading() as session:
        kept = set(session.scalars(select(Subscription.subscription_id).where(Subscription.status != "removed")))
    asked = {"resource": wanted.resource, "changeType": wanted.change_type, "notificationUrl": url}
    for each in _at_graph(wanted.tenant_id):
        if isinstance(each, Mapping) and asked.items() <= each.items() and each.get("id") not in kept:
            _call(wanted.tenant_id, "DELETE", f"/{each['id']}")


def _at_graph(tenant_id: str) -> Iterator[Any]:
    """What Graph has of this app's subscriptions in a tenant, page by page."""
    address = f"{settings.teams_graph_url}/v1.0/subscriptions"
    page = ""
    while True:
        answer = _call(tenant_id, "GET", page)
        yield from answer.get("value") or ()
        following = str(answer.get("@odata.nextLink", ""))
        if not following.startswith(f"{address}?"):
            return
        page = following.removeprefix(address)


def certificate(key_id: str) -> str:
    """The public part of a private key as Graph takes it: an X.509 certificate signed by itself, DER in base64; raises
    Invalid for a key that is not there."""
    try:
        private = graph.private_key(key_id)
    except (graph.Unreadable, OSError, ValueError):
        raise Invalid({"certificate": ["There is no such private key in TEAMS_CERTIFICATES."]}) from None
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "rowgate")])
    made = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now() - timedelta(days=1))
        .not_valid_after(now() + timedelta(days=365))
        .sign(private, hashes.SHA256())
    )
    return b64encode(made.public_bytes(serialization.Encoding.DER)).decode()


def _call(tenant_id: str, method: str, which: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Ask Graph about subscriptions. A token that it does not take is renewed once."""
    url = f"{settings.teams_graph_url}/v1.0/subscriptions{which}"
    for _ in range(2):
        headers = {"Authorization": f"Bearer {app_tokens.app_token(tenant_id, app_tokens.GRAPH)}"}
        try:
            answer = requests.request(
                method, url, json=body, headers=headers, timeout=app_tokens.TIMEOUT, allow_redirects=False
            )
        except requests.RequestException:
            raise UpstreamFailure("Microsoft Graph cannot be reached") from None
        if answer.ok:
            return json_of(answer)
        if answer.status_code != 401:
            break
        app_tokens.forget(tenant_id, app_tokens.GRAPH)
    known: dict[int, Failure] = {
        400: Invalid({"subscription": [_error_message(answer)]}), 401: TeamsPermissionDenied(),
        403: TeamsPermissionDenied(), 404: NotFound(), 409: Conflict("Graph has a subscription to this already"),
    }  # fmt: skip
    raise known.get(answer.status_code) or UpstreamFailure("Microsoft Graph did not take the subscription")


def _error_message(answer: requests.Response) -> str:
    error = json_of(answer).get("error")
    message = error.get("message") if isinstance(error, Mapping) else None
    return str(message or "Was not taken by Graph.")[:300]


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

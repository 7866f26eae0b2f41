"""Change notifications of Microsoft Graph: which of them are believed, and what they lead to."""

from __future__ import annotations

import binascii
import hmac
import json
import logging
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from flask import current_app
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import now
from app.models.internal import IntegrationGraphSubscription, IntegrationInboundEvent
from app.secrets import vault
from app.teams import meetings
from app.teams.inbox import Arrival
from app.teams.senders import check_publisher, is_same_secret
from app.teams.times import moment_of
from app.teams.tokens import TokenRefused

log = logging.getLogger(__name__)

MOST_ITEMS = 1000
LIFECYCLE = {"reauthorizationRequired": "reauthorizing", "subscriptionRemoved": "removed"}
CALLS = {"callStarted": "Start", "CallStarted": "Start", "callEnded": "End", "CallEnded": "End"}

Json = Mapping[str, Any]


class Unreadable(Exception):
    """Content that cannot be decrypted, or is not what was signed."""


def arrivals(session: Session, items: Sequence[Any], tokens: Sequence[Any]) -> list[Arrival]:
    """The notifications of a batch that carry the secret of a subscription that is known. The others are dropped, and
    nobody learns that."""
    subscription = IntegrationGraphSubscription
    names = {item.get("subscriptionId") for item in items if isinstance(item, Mapping)}
    wanted = select(subscription).where(subscription.subscription_id.in_([str(name) for name in names if name]))
    known = {each.subscription_id: each for each in session.scalars(wanted)}
    believed = []
    for item in items:
        found = known.get(str(item.get("subscriptionId"))) if isinstance(item, Mapping) else None
        if found is None or not is_same_secret(item.get("clientState"), vault().decrypt(found.client_state)):
            log.warning("A Graph notification was dropped: unknown subscription or wrong client state")
            continue
        believed.append(_arrival(item, tokens))
    return believed


def _arrival(item: Json, tokens: Sequence[Any]) -> Arrival:
    subscription = item["subscriptionId"]
    data = item.get("resourceData")
    version = data.get("@odata.etag", "") if isinstance(data, Mapping) else ""
    own = item.get("id") or f"{item.get('resource')}+{item.get('changeType')}+{version}"
    lifecycle = item.get("lifecycleEvent")
    key = f"graph:{subscription}:{lifecycle or ''}{own}"
    if lifecycle and not item.get("id"):
        key += f":{now().date()}"
    kind = "meeting_notification" if "onlineMeeting" in str(item.get("resource")) else "channel_event"
    payload = {"item": {name: value for name, value in item.items() if name != "clientState"}, "tokens": list(tokens)}
    return Arrival("graph", "other" if lifecycle else kind, key, payload)


def handle(session: Session, event: IntegrationInboundEvent) -> None:
    """Do what follows a notification."""
    item, tokens = event.payload["item"], event.payload.get("tokens") or []
    wanted = IntegrationGraphSubscription.subscription_id == item["subscriptionId"]
    subscription = session.scalar(select(IntegrationGraphSubscription).where(wanted).with_for_update())
    if subscription is None:
        event.status = "ignored"
        return
    subscription.last_event_at = now()
    if item.get("lifecycleEvent") in LIFECYCLE:
        subscription.status = LIFECYCLE[item["lifecycleEvent"]]
        return
    if "encryptedContent" in item:
        try:
            check_publisher(tokens, {str(item.get("tenantId"))})
            resource = decrypted(item["encryptedContent"])
        except (TokenRefused, Unreadable) as refused:
            log.warning("A Graph notification with content was not believed: %s", refused)
            event.status = "ignored"
            return
        _call_event(session, str(item.get("tenantId")), resource)


def decrypted(content: Any) -> dict[str, Any]:
    """The resource in an ``encryptedContent`` (RSA-OAEP with SHA-1 for the key, HMAC-SHA-256, AES-CBC); raises
    Unreadable."""
    try:
        private = _private_key(str(content["encryptionCertificateId"]))
        key = private.decrypt(b64decode(content["dataKey"]), OAEP(MGF1(hashes.SHA1()), hashes.SHA1(), None))  # noqa: S303
        data = b64decode(content["data"])
        if not hmac.compare_digest(hmac.digest(key, data, "sha256"), b64decode(content["dataSignature"])):
            raise Unreadable("signature")
        opened = Cipher(algorithms.AES(key), modes.CBC(key[:16])).decryptor()
        padded, unpadder = opened.update(data) + opened.finalize(), padding.PKCS7(128).unpadder()
        found = json.loads(unpadder.update(padded) + unpadder.finalize())
    except (KeyError, TypeError, ValueError, OSError, binascii.Error, InvalidKey) as error:
        raise Unreadable(type(error).__name__) from None
    if not isinstance(found, dict):
        raise Unreadable("no object")
    return found


def _private_key(name: str) -> RSAPrivateKey:
    folder = current_app.config["SETTINGS"].teams_certificates
    if not folder or not name.replace("-", "").replace("_", "").isalnum():
        raise Unreadable("no such key")
    key = serialization.load_pem_private_key((Path(folder) / f"{name}.pem").read_bytes(), None)
    if not isinstance(key, RSAPrivateKey):
        raise Unreadable("no RSA key")
    return key


def _call_event(session: Session, tenant_id: str, resource: Json) -> None:
    """Take note of the start or end of a meeting's call, in either of the spellings there are."""
    name = str(resource.get("eventType") or resource.get("@odata.type") or "").rpartition(".")[2]
    what = CALLS.get(name)
    if what is not None:
        at = moment_of(resource.get("eventDateTime")) or now()
        meeting_id = str(resource.get("meetingId") or resource.get("id") or "")
        meetings.happened(session, tenant_id, {}, meeting_id, what, at, None)

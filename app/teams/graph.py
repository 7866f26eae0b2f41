"""Change notifications of Microsoft Graph: authentication, decryption and effects."""

from __future__ import annotations

import binascii
import hmac
import json
import logging
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Unavailable
from app.foundation.settings import settings
from app.jobs.queue import defer
from app.teams import meetings
from app.teams.inbox import Arrival, digest_of
from app.teams.models import IntegrationGraphSubscription, IntegrationInboundEvent
from app.teams.reading import Json, moment_of
from app.teams.senders import check_publisher, is_same_secret
from app.teams.tokens import KeysAway, TokenRefused, UnknownKey

KEEP = "keep_graph_subscription"
log = logging.getLogger(__name__)

LIFECYCLE = {"reauthorizationRequired": "reauthorizing", "subscriptionRemoved": "removed"}
CALLS = {"callStarted": "Start", "CallStarted": "Start", "callEnded": "End", "CallEnded": "End"}


class Unreadable(Exception):
    """Content that cannot be decrypted, or is not what was signed."""


def arrivals(session: Session, items: Sequence[Any], tokens: Sequence[Any]) -> list[Arrival]:
    """The notifications of a batch that carry the secret of a subscription that is known. The others are dropped, and
    nobody learns that."""
    subscription = IntegrationGraphSubscription
    sent = [item for item in items if isinstance(item, Mapping) and isinstance(item.get("subscriptionId"), str)]
    wanted = select(subscription).where(subscription.subscription_id.in_({item["subscriptionId"] for item in sent}))
    known = {each.subscription_id: each for each in session.scalars(wanted)}
    believed = [
        _arrival(item, tokens if "encryptedContent" in item else ())
        for item in sent
        if (found := known.get(item["subscriptionId"])) is not None
        and is_same_secret(item.get("clientState"), vault().decrypt(found.client_state))
    ]
    if len(believed) < len(items):
        log.warning("%d Graph notifications were dropped: not of a subscription here", len(items) - len(believed))
    return believed


def _arrival(item: Json, tokens: Sequence[Any]) -> Arrival:
    key = f"graph:{item['subscriptionId']}:{item.get('id') or digest_of(item)}"
    kind = "meeting_notification" if "onlineMeeting" in str(item.get("resource")) else "channel_event"
    payload = {"item": {name: value for name, value in item.items() if name != "clientState"}, "tokens": list(tokens)}
    return Arrival("graph", "other" if "lifecycleEvent" in item else kind, key, payload)


def handle(unit: Unit, event: IntegrationInboundEvent) -> None:
    """Do what follows a notification; raises Unavailable where that cannot be told yet."""
    item = event.payload["item"]
    resource: Json = {}
    if "encryptedContent" in item:
        try:
            check_publisher(event.payload.get("tokens") or [], {str(item.get("tenantId"))})
            resource = decrypted(item["encryptedContent"])
        except (KeysAway, UnknownKey):
            raise Unavailable() from None
        except (TokenRefused, Unreadable) as refused:
            log.warning("A Graph notification with content was not believed: %s", refused)
            event.status = "ignored"
            return
    wanted = IntegrationGraphSubscription.subscription_id == item["subscriptionId"]
    subscription = unit.session.scalar(select(IntegrationGraphSubscription).where(wanted).with_for_update())
    if subscription is None:
        event.status = "ignored"
        return
    subscription.last_event_at = now()
    lifecycle = item.get("lifecycleEvent")
    if isinstance(lifecycle, str) and lifecycle in LIFECYCLE and subscription.status != "removed":
        subscription.status = LIFECYCLE[lifecycle]
        renew_soon(unit, subscription.id)
    _call_event(unit, str(item.get("tenantId"))[:64], resource)


def renew_soon(unit: Unit, subscription_id: UUID) -> None:
    """Have a job renew a subscription; of several, one at a time."""
    defer(unit, KEEP, subscription_id, one_of=subscription_id)


def decrypted(content: Any) -> dict[str, Any]:
    """The resource in an ``encryptedContent`` (RSA-OAEP with SHA-1 for the key, HMAC-SHA-256, AES-CBC); raises
    Unreadable."""
    try:
        private = private_key(str(content["encryptionCertificateId"]))
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


def private_key(name: str) -> RSAPrivateKey:
    """The private key with this id; raises Unreadable, and OSError or ValueError for a file that is none."""
    folder = settings.teams_certificates
    if not folder or not name.replace("-", "").replace("_", "").isalnum():
        raise Unreadable("no such key")
    key = serialization.load_pem_private_key((Path(folder) / f"{name}.pem").read_bytes(), None)
    if not isinstance(key, RSAPrivateKey):
        raise Unreadable("no RSA key")
    return key


def _call_event(unit: Unit, tenant_id: str, resource: Json) -> None:
    """Take note of the start or end of a meeting's call, in either of the spellings there are."""
    what = CALLS.get(str(resource.get("eventType") or resource.get("@odata.type") or "").rpartition(".")[2])
    if what is not None:
        at = moment_of(resource.get("eventDateTime")) or now()
        meeting_id = str(resource.get("meetingId") or resource.get("id") or "")
        meetings.happened(unit, tenant_id, {}, meeting_id, what, at, None)

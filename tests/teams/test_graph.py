"""Notifications of Microsoft Graph: the handshake, who is believed, and content that has to be decrypted."""

from __future__ import annotations

import hmac
import json
import os
from base64 import b64encode
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from joserfc import jwt
from sqlalchemy import select

from app.foundation.clock import now
from app.foundation.crypto import vault
from app.jobs import registry
from app.teams.models import IntegrationGraphSubscription, IntegrationInboundEvent, IntegrationTeamsMeeting
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.teams.inbox import WEBHOOK
from tests.teams.microsoft import APP_ID, TENANT, A, C

PUBLISHER = "0bf30f3b-4a52-48df-9a82-234910c4a086"
OTHER = "0f9c2b8e-33f1-4d0c-9d1e-2a7f6d5b4c3a"
CERTIFICATE = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A folder with a certificate for content."""
    folder = tmp_path_factory.mktemp("certificates")
    pem = CERTIFICATE.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "cert-1.pem").write_bytes(pem)
    return folder


@pytest.fixture
def graph(build_once, teams, certificates):
    """The application with a certificate for content."""
    kept = ("teams_app_id", "microsoft_authority", "teams_bot_metadata_url")
    settings = {name: getattr(teams.config["SETTINGS"], name) for name in kept}
    return build_once(teams_certificates=str(certificates), **settings)


@pytest.fixture
def subscription(graph):
    identifier = str(uuid4())
    with graph.app_context(), transaction() as session:
        session.add(IntegrationGraphSubscription(
            subscription_id=identifier, tenant_id=TENANT, resource="/communications", change_type="updated",
            client_state=vault().encrypt("s3cr3t"), expires_at=now(),
        ))  # fmt: skip
    return identifier


def item(subscription, **values):
    return {
        "id": f"n-{uuid4()}", "subscriptionId": subscription, "tenantId": TENANT, "clientState": "s3cr3t",
        "changeType": "updated", "resource": "communications/onlineMeetings", **values,
    }  # fmt: skip


def deliver(graph, *items, tokens=None):
    body = {"value": list(items)} | ({"validationTokens": tokens} if tokens is not None else {})
    response = Actor(graph).post(WEBHOOK, body)
    assert (response.status_code, response.json) == (202, {"accepted": len(items)})
    registry.work(graph, concurrency=1, until_empty=True)


def statuses(graph, subscription):
    mine = IntegrationInboundEvent.payload["item"]["subscriptionId"].astext == subscription
    with graph.app_context(), transaction() as session:
        return sorted(session.scalars(select(IntegrationInboundEvent.status).where(mine)))


def publisher_token(ms, key=A, **claims):
    usual = {
        "iss": f"https://sts.windows.net/{TENANT}/", "aud": APP_ID, "tid": TENANT, "appid": PUBLISHER,
        "nbf": int(now().timestamp()) - 10, "exp": int(now().timestamp()) + 600,
    }  # fmt: skip
    return jwt.encode({"alg": "RS256", "kid": key.kid}, {**usual, **claims}, key)


def encrypted(resource, certificate="cert-1", **changes):
    key = os.urandom(32)
    padder = padding.PKCS7(128).padder()
    plain = padder.update(json.dumps(resource).encode()) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).encryptor()
    data = encryptor.update(plain) + encryptor.finalize()
    sealed = CERTIFICATE.public_key().encrypt(key, OAEP(MGF1(hashes.SHA1()), hashes.SHA1(), None))
    return {
        "data": b64encode(data).decode(), "dataSignature": b64encode(hmac.digest(key, data, "sha256")).decode(),
        "dataKey": b64encode(sealed).decode(), "encryptionCertificateId": certificate, **changes,
    }  # fmt: skip


@pytest.mark.parametrize("token", ["Validation: Testing+1", "a b<script>&ü", "x" * 2048])
def test_the_handshake_is_echoed_as_plain_text(teams, token):
    response = Actor(teams).send(
        "POST", WEBHOOK, query_string={"validationToken": token}, content_type="text/plain; charset=utf-8"
    )
    assert (response.status_code, response.get_data(as_text=True)) == (200, token)
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("token", ["", "x" * 2049])
def test_a_handshake_without_a_proper_token_is_refused(teams, token):
    assert Actor(teams).send("POST", WEBHOOK, query_string={"validationToken": token}).status_code == 400


def test_a_notification_with_the_secret_of_its_subscription_is_processed_once(graph, subscription):
    sent = item(subscription)
    deliver(graph, sent)
    deliver(graph, sent)
    assert statuses(graph, subscription) == ["processed"]


@pytest.mark.parametrize("change", [{"clientState": "wrong"}, {"clientState": None}, {"clientState": 5}])
def test_a_wrong_secret_is_dropped_and_nobody_learns_it(graph, subscription, change):
    deliver(graph, item(subscription, **change), item(str(uuid4())), "rubbish", {})
    assert statuses(graph, subscription) == []


def test_of_a_batch_that_is_absurdly_long_the_rest_is_dropped(graph, subscription):
    deliver(graph, *[{"subscriptionId": "x"}] * 1000, item(subscription))
    assert statuses(graph, subscription) == []


def test_large_bodies_count_against_the_limit_of_their_address(build):
    strict = build(default_limit="2 per minute")
    large, small = {"value": ["x" * 70_000]}, {"value": []}
    assert [Actor(strict).post(WEBHOOK, body).status_code for body in (large, large, large, small)] == [
        202,
        202,
        429,
        202,
    ]


def test_the_secret_is_not_kept_with_the_event(graph, subscription):
    deliver(graph, item(subscription))
    with graph.app_context(), transaction() as session:
        mine = IntegrationInboundEvent.payload["item"]["subscriptionId"].astext == subscription
        assert "s3cr3t" not in json.dumps(session.scalars(select(IntegrationInboundEvent.payload).where(mine)).one())


@pytest.mark.parametrize(
    ("event", "status"), [("reauthorizationRequired", "reauthorizing"), ("subscriptionRemoved", "removed")]
)
def test_lifecycle_notifications_change_the_subscription(graph, subscription, event, status):
    deliver(graph, item(subscription, lifecycleEvent=event))
    with graph.app_context(), transaction() as session:
        wanted = IntegrationGraphSubscription.subscription_id == subscription
        assert session.scalar(select(IntegrationGraphSubscription.status).where(wanted)) == status


@pytest.mark.parametrize("name", ["callStarted", "#Microsoft.Communication.CallStarted"])
def test_content_is_decrypted_and_believed_with_a_publishers_token(graph, ms, subscription, name):
    meeting = f"MCMx{uuid4().hex}"
    content = encrypted({"eventType": name, "meetingId": meeting, "eventDateTime": "2026-01-01T09:00:01.1234567Z"})
    deliver(graph, item(subscription, encryptedContent=content), tokens=[publisher_token(ms)])
    assert statuses(graph, subscription) == ["processed"]
    with graph.app_context(), transaction() as session:
        wanted = IntegrationTeamsMeeting.teams_meeting_id == meeting
        assert session.scalar(select(IntegrationTeamsMeeting.status).where(wanted)) == "inProgress"


UNBELIEVED = {
    "no token": lambda ms: ([], {}),
    "another publisher": lambda ms: ([publisher_token(ms, appid="x")], {}),
    "another audience": lambda ms: ([publisher_token(ms, aud="x")], {}),
    "another tenant": lambda ms: ([publisher_token(ms, tid=OTHER, iss=f"https://sts.windows.net/{OTHER}/")], {}),
    "expired": lambda ms: ([publisher_token(ms, exp=1)], {}),
    "one bad of two": lambda ms: ([publisher_token(ms), publisher_token(ms, appid="x")], {}),
    "a changed signature": lambda ms: ([publisher_token(ms)], {"dataSignature": b64encode(b"x" * 32).decode()}),
    "an unknown certificate": lambda ms: ([publisher_token(ms)], {"encryptionCertificateId": "../../etc/passwd"}),
    "rubbish": lambda ms: ([publisher_token(ms)], {"dataKey": "!!"}),
}


def test_content_whose_key_is_not_known_yet_waits(graph, ms, subscription):
    content = encrypted({"eventType": "callStarted", "meetingId": uuid4().hex})
    deliver(graph, item(subscription, encryptedContent=content), tokens=[publisher_token(ms, key=C)])
    assert statuses(graph, subscription) == ["failed"]
    assert Actor(graph).post(WEBHOOK, {"value": [{"subscriptionId": []}]}).status_code == 202


def test_two_notifications_without_an_id_are_two(graph, ms, subscription):
    for name in ("callStarted", "callEnded"):
        sent = item(subscription, encryptedContent=encrypted({"eventType": name, "meetingId": "MCMx-two"}))
        del sent["id"]
        deliver(graph, sent, tokens=[publisher_token(ms)])
    with graph.app_context(), transaction() as session:
        wanted = IntegrationTeamsMeeting.teams_meeting_id == "MCMx-two"
        assert session.scalar(select(IntegrationTeamsMeeting.status).where(wanted)) == "ended"


@pytest.mark.parametrize("why", UNBELIEVED)
def test_content_that_is_not_proved_is_ignored_with_the_same_answer(graph, ms, subscription, why):
    tokens, changes = UNBELIEVED[why](ms)
    meeting = f"MCMx{uuid4().hex}"
    content = encrypted({"eventType": "callStarted", "meetingId": meeting}, **changes)
    deliver(graph, item(subscription, encryptedContent=content), tokens=tokens)
    assert statuses(graph, subscription) == ["ignored"]

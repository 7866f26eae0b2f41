"""Subscriptions at Microsoft Graph: made, renewed at half of their life, made anew when they are lost."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import timedelta
from uuid import uuid4

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from sqlalchemy import delete, select, update

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.teams import subscriptions
from app.teams.models import IntegrationGraphSubscription
from app.teams.reading import moment_of
from app.testing.cast import Actor
from app.testing.database import transaction
from app.testing.waiting import work
from tests.teams.inbox import WEBHOOK
from tests.teams.microsoft import TENANT


@pytest.fixture(autouse=True)
def none_of_before(app):
    """What other tests left would be renewed as well."""
    with app.app_context(), transaction() as session:
        session.execute(delete(IntegrationGraphSubscription))


@pytest.fixture
def resource():
    return f"/teams/{uuid4()}/channels/19:c1@thread.tacv2/messages"


@pytest.fixture
def run(teams):
    def run(*arguments, app=teams):
        return app.test_cli_runner().invoke(args=["teams", "subscriptions", *arguments])

    return run


@pytest.fixture
def subscribed(run, teams, resource):
    """Makes a subscription and returns its row."""

    def subscribed(*more):
        made = run("add", resource, "--tenant", TENANT, *more)
        assert made.exit_code == 0, made.output
        return row_of(teams, resource)

    return subscribed


def row_of(app, resource):
    with app.app_context(), transaction() as session:
        of = select(IntegrationGraphSubscription).where(IntegrationGraphSubscription.resource == resource)
        row = session.scalar(of)
        session.expunge_all()
        return row


def age(app, resource, **values):
    with app.app_context(), transaction() as session:
        of = update(IntegrationGraphSubscription).where(IntegrationGraphSubscription.resource == resource)
        session.execute(of.values(**values))


def test_a_subscription_names_the_webhook_and_a_secret_of_its_own(teams, ms, subscribed, resource):
    row = subscribed()
    (asked,) = ms.subscriptions.values()
    url = f"{teams.config['SETTINGS'].public_url}{WEBHOOK}"
    assert (asked["notificationUrl"], asked["lifecycleNotificationUrl"]) == (url, url)
    assert (asked["resource"], asked["changeType"], asked["id"]) == (resource, "created,updated", row.subscription_id)
    with teams.app_context():
        assert asked["clientState"] == vault().decrypt(row.client_state)
    assert timedelta(minutes=4319) < row.expires_at - now() <= timedelta(minutes=4320)
    assert "encryptionCertificate" not in asked


@pytest.mark.parametrize(
    ("of", "minutes"),
    [("/communications/presences/u1", 60), ("/communications/callRecords", 4230), ("/chats/c1", 4320)],
)
def test_each_kind_of_resource_has_its_longest_life(of, minutes):
    assert subscriptions.Wanted(TENANT, of, "created").life == timedelta(minutes=minutes)


def test_content_is_asked_for_with_the_certificate_of_our_key(build, teams, ms, run, resource, tmp_path):
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "cert-1.pem").write_bytes(private.private_bytes(*encoding))
    names = ("teams_app_id", "teams_app_secret", "teams_tenant_id", "microsoft_authority", "teams_graph_url")
    kept = {name: getattr(teams.config["SETTINGS"], name) for name in names}
    app = build(teams_certificates=str(tmp_path), **kept)
    made = run("add", resource, "--tenant", TENANT, "--certificate", "cert-1", app=app)
    assert made.exit_code == 0, made.output
    (asked,) = ms.subscriptions.values()
    certificate = x509.load_der_x509_certificate(b64decode(asked["encryptionCertificate"]))
    assert certificate.public_key() == private.public_key()
    assert (asked["includeResourceData"], asked["encryptionCertificateId"]) == (True, "cert-1")


def test_a_certificate_that_is_not_there_is_refused(ms, run, resource):
    made = run("add", resource, "--tenant", TENANT, "--certificate", "cert-9")
    assert (made.exit_code, ms.subscriptions) == (1, {})


def test_it_is_renewed_at_half_of_its_life_and_not_before(teams, ms, subscribed, resource):
    row = subscribed()
    with teams.app_context():
        run_unit(SYSTEM, subscriptions.renew_due)
    assert [method for method, _ in ms.graph_calls] == ["POST"]
    age(teams, resource, expires_at=now() + timedelta(minutes=2159))
    with teams.app_context():
        run_unit(SYSTEM, subscriptions.renew_due)
    work(teams)
    renewed = row_of(teams, resource)
    assert renewed.expires_at > now() + timedelta(minutes=4319)
    assert moment_of(ms.subscriptions[row.subscription_id]["expirationDateTime"]) == renewed.expires_at


def lifecycle(app, row, event):
    with app.app_context():
        secret = vault().decrypt(row.client_state)
    item = {"subscriptionId": row.subscription_id, "clientState": secret, "tenantId": TENANT, "lifecycleEvent": event}
    assert Actor(app).post(WEBHOOK, {"value": [item]}).status_code == 202
    work(app)


def test_it_is_renewed_when_graph_wants_it_authorized_again(teams, ms, subscribed, resource):
    row = subscribed()
    lifecycle(teams, row, "reauthorizationRequired")
    # At a full ten minutes the worker looks by itself as well.
    assert [method for method, _ in ms.graph_calls][:2] == ["POST", "PATCH"]
    assert row_of(teams, resource).status == "active"


def test_it_is_made_anew_with_another_secret_when_graph_has_removed_it(teams, ms, subscribed, resource):
    row = subscribed()
    ms.subscriptions.clear()
    lifecycle(teams, row, "subscriptionRemoved")
    renewed = row_of(teams, resource)
    assert (renewed.id, renewed.status) == (row.id, "active")
    assert list(ms.subscriptions) == [renewed.subscription_id] != [row.subscription_id]
    assert renewed.client_state != row.client_state


def test_it_is_made_anew_when_it_ran_out_while_nobody_renewed(teams, ms, subscribed, resource):
    row = subscribed()
    ms.subscriptions.clear()
    age(teams, resource, expires_at=now() - timedelta(hours=1))
    with teams.app_context():
        run_unit(SYSTEM, subscriptions.renew_due)
    work(teams)
    assert row_of(teams, resource).subscription_id != row.subscription_id


def test_one_that_graph_has_forgotten_is_made_anew(teams, ms, subscribed, resource):
    row = subscribed()
    ms.subscriptions.clear()
    with teams.app_context():
        subscriptions.keep(row.id)
    assert list(ms.subscriptions) == [row_of(teams, resource).subscription_id]


def test_one_that_was_made_and_never_written_down_is_replaced(teams, ms, subscribed, resource):
    url = f"{teams.config['SETTINGS'].public_url}{WEBHOOK}"
    stray = {"id": "stray", "resource": resource, "changeType": "created,updated", "notificationUrl": url}
    ms.subscriptions["stray"] = stray
    row = subscribed()
    assert list(ms.subscriptions) == [row.subscription_id] != ["stray"]


def test_one_of_somebody_else_is_left_alone(ms, run, resource):
    theirs = {"id": "theirs", "resource": resource, "changeType": "created,updated", "notificationUrl": "https://x/"}
    ms.subscriptions["theirs"] = theirs
    made = run("add", resource, "--tenant", TENANT)
    assert (made.exit_code, list(ms.subscriptions)) == (1, ["theirs"])


def test_one_that_is_there_already_is_refused(ms, run, subscribed, resource):
    row = subscribed()
    again = run("add", resource, "--tenant", TENANT)
    assert (again.exit_code, list(ms.subscriptions)) == (1, [row.subscription_id])


REFUSALS = {"not allowed": [403], "bad": [400], "away": [503], "a token nobody takes": [401, 401]}


@pytest.mark.parametrize("why", REFUSALS)
def test_what_graph_refuses_is_one_line_and_no_row(teams, ms, run, resource, why):
    ms.graph_answers = list(REFUSALS[why])
    made = run("add", resource, "--tenant", TENANT)
    assert (made.exit_code, len(made.output.splitlines())) == (1, 1)
    assert row_of(teams, resource) is None


def test_an_old_token_is_replaced_once(ms, subscribed):
    ms.graph_answers = [401]
    subscribed()
    assert [token for _, token in ms.graph_calls] == ["Bearer t1", "Bearer t2"]


def test_a_graph_that_is_away_is_asked_again_at_the_next_look(teams, ms, subscribed, resource):
    row = subscribed()
    ms.graph_answers = [503]
    lifecycle(teams, row, "reauthorizationRequired")
    assert row_of(teams, resource).status == "reauthorizing"
    with teams.app_context():
        run_unit(SYSTEM, subscriptions.renew_due)
    work(teams)
    assert row_of(teams, resource).status == "active"


def test_a_removed_one_is_gone_here_and_there(teams, ms, run, subscribed, resource):
    row = subscribed()
    assert run("remove", str(row.id)).exit_code == 0
    assert (ms.subscriptions, row_of(teams, resource)) == ({}, None)
    assert run("remove", str(row.id)).exit_code == 1


def test_the_list_shows_no_secret(teams, run, subscribed, resource):
    row = subscribed()
    listed = run("list", "--json")
    (shown,) = [each for each in json.loads(listed.output) if each["resource"] == resource]
    assert (shown["id"], shown["status"]) == (str(row.id), "active")
    with teams.app_context():
        secrets = (row.client_state, vault().decrypt(row.client_state))
    assert [secret for secret in secrets if secret in listed.output] == []

"""Microsoft on loopback, and the application that is set up for it."""

from __future__ import annotations

import pytest

from app.auth.models.identity import AuthAccount
from app.teams import tokens
from app.testing.cast import Actor, Cast
from app.testing.database import transaction
from tests.teams.inbox import WEBHOOK
from tests.teams.microsoft import APP_ID, METADATA, TENANT, microsoft


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Keys come from the process of the tests itself, which has other things to do too."""
    monkeypatch.setattr(tokens, "TIMEOUT", (10, 10))


@pytest.fixture(scope="module")
def running_microsoft():
    with microsoft() as running:
        yield running


@pytest.fixture
def ms(running_microsoft):
    running_microsoft.reset()
    return running_microsoft


@pytest.fixture
def teams(build_once, ms):
    """The application with a bot and a tab, which has no keys and no tokens yet."""
    application = build_once(
        teams_app_id=APP_ID, teams_app_secret="s3cret", teams_tenant_id=TENANT, microsoft_authority=ms.url,
        teams_bot_metadata_url=ms.url + METADATA, teams_connector_hosts="127.0.0.1",
        teams_graph_url=ms.url,
    )  # fmt: skip
    for kept in ("teams_keys", "teams_app_tokens"):
        application.extensions.pop(kept, None)
    return application


@pytest.fixture
def teams_cast(teams):
    return Cast(teams)


@pytest.fixture
def known(teams, teams_cast):
    """Makes users who are known in the tenant by an object id."""

    def make(object_id, tenant=TENANT):
        actor = teams_cast.user()
        with teams.app_context(), transaction() as session:
            issuer = f"{teams.config['SETTINGS'].microsoft_authority}/{tenant}/v2.0"
            account = AuthAccount(user_id=actor.user_id, provider_id="microsoft", issuer=issuer, account_id=object_id)
            session.add(account)
        return actor

    return make


@pytest.fixture
def send(teams, ms):
    """Sends an activity as the Bot Framework does, or nearly so."""

    def send(activity=None, token=None, header=None, **claims):
        body = ms.activity() if activity is None else activity
        authorization = f"Bearer {token or ms.bot_token(**claims)}" if header is None else header
        headers = {"Authorization": authorization} if authorization else {}
        return Actor(teams).post(WEBHOOK, body, headers=headers)

    return send

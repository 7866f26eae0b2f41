"""What somebody whom nobody knows can make the service keep."""

from __future__ import annotations

from sqlalchemy import func, select

from app.auth.keys import key_usage
from app.auth.models.clients import AuthClientRequest
from app.auth.models.keys import AuthApiKeyAnalytics
from app.foundation import crypto
from app.runtime.rate_limits import Limit
from blueprints.pages import clients
from tests.auth.clients.connecting import call_tool, rows


def test_one_network_has_few_requests_kept_before_anybody_has_signed_in(app, client, monkeypatch):
    monkeypatch.setattr(clients, "AUTHORIZATIONS", Limit("client-authorization", 2, 3600))
    asked = select(AuthClientRequest)

    def ask(address):
        return app.test_client().get(client.address(), environ_base={"REMOTE_ADDR": address}).status_code

    before = len(rows(app, asked))
    assert [ask("203.0.113.77") for _ in range(4)] == [303, 303, 429, 429]
    assert len(rows(app, asked)) == before + 2
    assert ask("198.51.100.77") == 303


def test_guessed_access_tokens_leave_no_rows(app):
    used = select(func.count()).select_from(AuthApiKeyAnalytics)
    with app.app_context():
        key_usage.flush(app)
    before = rows(app, used)
    answers = [call_tool(app, crypto.make(crypto.ACCESS), "list_models") for _ in range(5)]
    with app.app_context():
        key_usage.flush(app)
    assert {each.status_code for each in answers} == {401}
    assert rows(app, used) == before

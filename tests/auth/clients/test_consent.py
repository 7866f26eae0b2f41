"""Who consents to a client, how lately they have proved who they are, and to how much."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.auth.clients import connections, registry, resource
from app.auth.models.identity import AuthSession
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.foundation.errors import Invalid
from app.testing.database import transaction
from tests.account.letters import count_of
from tests.account.visitors import TOKEN, Visitor
from tests.auth.clients.connecting import CALLBACK, Client, connect, decide, listed_tools, page_of, register, told
from tests.auth.sign_in.visitors import SAME_ORIGIN


def id_of(visitor):
    return visitor.client.get("/api/auth/session", headers=SAME_ORIGIN).json["user"]["id"]


def prove(visitor, at):
    """Have the last proof of the visitor given at a time."""
    own = AuthSession.user_id == id_of(visitor)
    with visitor.app.app_context(), transaction() as session:
        session.execute(update(AuthSession).where(own).values(authenticated_at=at))


def test_consent_needs_a_proof_that_is_not_old(app, visitor, client):
    path = page_of(visitor, client)
    prove(visitor, now() - timedelta(minutes=11))
    led = visitor.client.get(path)
    assert led.headers["Location"] == f"/account/confirm?next={path}"
    prove(visitor, now())
    token = TOKEN.search(visitor.client.get(path).text)[1]
    prove(visitor, now() - timedelta(minutes=11))
    form = {"csrf": token, "may": "read", "reach": "all", "organization": "01a1fedd-47f3-7536-a333-810773c4a6d4"}
    sent = visitor.client.post(f"{path}/allow", data=form, headers=SAME_ORIGIN)
    assert sent.status_code == 403
    assert f'href="/account/confirm?next={path}"' in sent.text


def test_whoever_is_not_signed_in_signs_in_and_comes_back_to_the_consent(app, client):
    stranger = Visitor(app)
    path = page_of(stranger, client)
    assert stranger.client.get(path).headers["Location"] == f"/account/sign-in?next={path}"


def test_an_impersonating_admin_connects_nothing(app, cast, visitor, client):
    opened = cast.user(role="admin").post("/api/auth/impersonate", {"userId": id_of(visitor)}).json["token"]
    path = page_of(visitor, client)
    refused = app.test_client().get(path, headers={"Authorization": f"Bearer {opened}"})
    assert refused.status_code in (303, 403)
    called = app.test_client().post("/mcp", json={}, headers={"Authorization": f"Bearer {opened}"})
    assert called.status_code == 403


def test_a_consent_that_goes_beyond_what_is_asked_or_had_is_refused(app, visitor, client):
    path = page_of(visitor, client)
    for chosen in ({"organization": "01a1fedd-47f3-7536-a333-810773c4a6d4"}, {"reach": "chosen"},
                   {"reach": "chosen", "model": ["no/model"]}):  # fmt: skip
        assert decide(visitor, path, **chosen).status_code == 400, chosen
    assert told(decide(visitor, path))["code"]


def test_nobody_consents_to_more_than_was_asked_for(app, cast, client):
    person = cast.user()
    with app.app_context():
        asked = connections.ask(registry.find(client.client_id), CALLBACK, None, ["read"], "x" * 43)
        consent = connections.Consent(person.organization_id, ["read", "write"])
        with pytest.raises(Invalid):
            run_unit(person.principal, connections.allow, asked, consent)


def test_a_request_is_decided_once(visitor, client):
    path = page_of(visitor, client)
    assert told(decide(visitor, path, "deny"))["error"] == "access_denied"
    assert visitor.client.get(path).status_code == 404


def test_whoever_connects_a_client_gets_a_mail_about_it(app, visitor, client):
    connect(visitor, client)
    assert count_of(app, visitor.email, "client-connected") == 1


@pytest.mark.parametrize(
    ("tool", "model", "values"),
    [
        ("create_record", "auth/invitation", {"email": "mallory@evil.example", "role": "admin"}),
        ("update_record", "auth/organization", {"name": "Mine"}),
        ("delete_record", "auth/organization", {}),
        ("update_record", "auth/user", {"name": "Mine"}),
    ],
)
def test_no_client_changes_accounts_and_organizations_whatever_its_person_chose(visitor, client, tool, model, values):
    connect(visitor, client)
    given = {"id": "01a1fedd-47f3-7536-a333-810773c4a6d4"} if tool != "create_record" else {}
    given |= {"values": values} if tool != "delete_record" else {}
    refused = client.call(tool, model=model, **given).json["result"]
    assert refused["isError"]
    assert "changes no accounts and organizations" in refused["content"][0]["text"]
    path = f"/api/v1/{model}" if tool == "create_record" else f"/api/v1/{model}/{given['id']}"
    method = {"create_record": "POST", "update_record": "PATCH", "delete_record": "DELETE"}[tool]
    sent = {"method": method, "path": path} | ({"body": values} if values else {})
    batch = client.call("run_batch", requests=[sent]).json["result"]
    assert "changes no accounts and organizations" in batch["content"][0]["text"]
    names = next(each for each in listed_tools(client) if each["name"] == tool)
    assert not any(each.startswith("auth/") for each in names["inputSchema"]["properties"]["model"]["enum"])


def test_a_service_whose_keys_last_less_long_connects_clients_for_as_long_as_they_last(build_once):
    app = build_once(key_max_days=30)
    visitor, client = Visitor(app).sign_up(), Client(app, register(app))
    assert "It ends after 30 days" in visitor.get(page_of(visitor, client)).text
    connect(visitor, client)
    assert client.call("list_models").status_code == 200


def test_no_client_makes_anything_public_or_has_an_address_called(visitor, client):
    connect(visitor, client)
    made = client.call("create_record", model="crm/company", values={"name": "Quay"}).json["result"][
        "structuredContent"
    ]
    index = client.call("create_record", model="ai-rag/index", values={"name": "Port"}).json["result"]
    index = index["structuredContent"]["record"]["id"]
    public = {"visibility": "public"}
    asked = [
        ("create_record", {"model": "crm/company", "values": {"name": "x", **public}}),
        ("update_record", {"model": "crm/company", "id": made["record"]["id"], "values": public}),
        ("create_record", {"model": "ai-rag/document", "values": {
            "indexId": index, "title": "x", "sourceUrl": "https://evil.example/?q=secret",
        }}),
        ("run_batch", {"requests": [
            {"method": "PATCH", "path": f"/api/v1/crm/company/{made['record']['id']}", "body": public}
        ]}),
    ]  # fmt: skip
    for tool, arguments in asked:
        refused = client.call(tool, **arguments).json["result"]
        assert refused["isError"], (tool, refused)
        assert "A connected client" in refused["content"][0]["text"]
    kept = client.call("update_record", model="crm/company", id=made["record"]["id"], values={"visibility": "private"})
    assert not kept.json["result"]["isError"]


@pytest.mark.parametrize("left_out", ["reach", "organization"])
def test_nothing_is_chosen_by_leaving_it_out(visitor, client, left_out):
    assert decide(visitor, page_of(visitor, client), **{left_out: ""}).status_code == 400


def test_an_address_in_capitals_is_the_same_one(build_once):
    app = build_once(base_url="https://API.Example.com")
    with app.app_context():
        for named in ("https://api.example.com/mcp", "HTTPS://API.example.com:443/mcp/"):
            assert resource.is_meant(named)
        for named in ("https://api.example.com/mcp?x", "https://api.example.com:444/mcp", "http://api.example.com/mcp"):
            assert not resource.is_meant(named)

"""Endpoints: who makes, sees and changes them, and what they may be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.testing.cast import Actor
from app.webhooks import addresses, endpoints
from tests.webhooks.conftest import HOOKS, company

GIVEN = {"url": "https://hooks.example.com/rowgate", "eventTypes": ["crm.deal.*"]}
UNKNOWN = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


@pytest.fixture(autouse=True)
def clean(deliver):
    """No endpoint outlives its test."""


def make(actor, **given):
    return actor.post(HOOKS, GIVEN | given)


def test_an_endpoint_is_made_read_changed_and_removed(owner):
    made = make(owner, description="Search index")
    assert made.status_code == 201
    assert made.json["secret"].startswith("whsec_")
    assert made.headers["Cache-Control"] == "no-store"
    at = f"{HOOKS}/{made.json['id']}"
    read = owner.get(at)
    assert read.json == {name: value for name, value in made.json.items() if name != "secret"}
    assert owner.get(HOOKS).json == {"data": [read.json], "meta": {"count": 1, "take": 20, "skip": 0}}
    changed = owner.patch(at, {"description": None, "eventTypes": ["*"]}).json
    assert (changed["description"], changed["eventTypes"]) == (None, ["*"])
    assert owner.delete(at).json == {"id": made.json["id"], "deleted": True}
    assert owner.get(at).status_code == 404


def test_the_secret_is_not_kept_with_an_answer(owner):
    headers = {"Idempotency-Key": "once"}
    first = owner.post(HOOKS, GIVEN, headers=headers)
    again = owner.post(HOOKS, GIVEN, headers=headers)
    assert (again.json["id"], again.json["secret"]) == (first.json["id"], None)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"url": "ftp://hooks.example.com/"}, "url"),
        ({"url": "http://hooks.example.com/"}, "url"),
        ({"url": "https://user:secret@hooks.example.com/"}, "url"),
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "https://169.254.169.254/latest/meta-data"}, "url"),
        ({"url": "https://[fd00::1]/"}, "url"),
        ({"url": "https://2130706433/"}, "url"),
        ({"url": "https://hooks.internal/"}, "url"),
        ({"url": "x" * 3000}, "url"),
        ({"eventTypes": []}, "eventTypes"),
        ({"eventTypes": ["crm.deals.update"]}, "eventTypes"),
        ({"eventTypes": ["crm.deal.updated"]}, "eventTypes"),
        ({"eventTypes": ["crm.d*"]}, "eventTypes"),
        ({"eventTypes": ["auth.session.*"]}, "eventTypes"),
        ({"eventTypes": ["*"] * 101}, "eventTypes"),
        ({"where": {"stage": "lead"}, "eventTypes": ["crm.*"]}, "where"),
        ({"where": {"nothing": 1}}, "where"),
        ({"where": {"company": {"name": "x"}}}, "where"),
        ({"organizationId": UNKNOWN}, "organizationId"),
        ({"secret": "whsec_mine"}, "secret"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(owner, given, field):
    answer = make(owner, **given)
    assert answer.status_code == 400
    assert field in answer.text
    assert owner.get(HOOKS).json["data"] == []


def test_a_name_that_resolves_inwards_is_refused(owner, monkeypatch):
    inward = [(2, 1, 6, "", ("192.168.0.7", 0))]
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_, **__: inward)
    assert "private network" in make(owner).text


def test_the_service_itself_is_no_address(app, owner, monkeypatch):
    settings = app.config["SETTINGS"]
    with app.app_context():
        for url in (f"{settings.public_url}/api/v1/crm/company", f"http://LOCALHOST.:{settings.port}/"):
            assert make(owner, url=url).status_code == 400, url
    monkeypatch.setattr(addresses, "own_addresses", lambda: frozenset({"203.0.113.9"}))
    assert make(owner, url="https://203.0.113.9/").status_code == 400


def test_keys_with_grants_keys_that_read_and_keys_in_an_address_make_none(owner, cast):
    assert make(cast.key(owner, "write")).status_code == 201
    assert make(cast.key(owner, "read")).status_code == 403
    in_address = cast.nobody.post(f"{HOOKS}?api_key={cast.key(owner, 'write').token}", GIVEN)
    assert in_address.status_code == 400
    narrowed = cast.key(owner, "write", access=[{"models": ["crm/deal"], "operations": ["list", "read"]}])
    assert make(narrowed).status_code == 403


def test_others_do_not_see_an_endpoint_and_managers_switch_it_off(owner, cast):
    colleague, other = cast.colleague(owner), cast.user()
    of_colleague = make(colleague, organizationId=str(owner.organization_id)).json["id"]
    at = f"{HOOKS}/{of_colleague}"
    for path in ("", "/_deliveries"):
        assert other.get(f"{at}{path}").status_code == 404
    assert other.delete(at).status_code == 404
    of_owner = make(owner).json["id"]
    assert colleague.get(f"{HOOKS}/{of_owner}").status_code == 404
    assert owner.get(at).status_code == 200
    assert owner.get(f"{at}/_deliveries").status_code == 403
    for path in ("_rotate", "_test", "_replay?since=2026-01-01T00:00:00.000Z"):
        assert owner.post(f"{at}/{path}").status_code == 403
    assert owner.patch(at, {"url": GIVEN["url"]}).status_code == 403
    assert owner.patch(at, {"enabled": False}).json["enabled"] is False
    assert owner.patch(at, {"enabled": True}).status_code == 403
    assert owner.delete(at).status_code == 200


def test_what_is_done_with_endpoints_is_in_the_audit_log(owner):
    at = f"{HOOKS}/{make(owner).json['id']}"
    owner.patch(at, {"enabled": False})
    owner.post(f"{at}/_rotate")
    owner.delete(at)
    rows = owner.get("/api/v1/platform/audit-log?targetType=platform/webhook&sort=createdAt").json["data"]
    assert [each["action"] for each in rows] == [
        f"platform.webhook.{verb}" for verb in ("create", "update", "rotate", "delete")
    ]
    assert "whsec_" not in str(rows)


def test_a_user_has_a_bounded_number_of_them_however_many_ask_at_once(owner, monkeypatch):
    monkeypatch.setattr(endpoints, "MAX_ENDPOINTS", 2)
    with ThreadPoolExecutor(4) as pool:
        answers = [each.status_code for each in pool.map(lambda _: make(owner), range(4))]
    assert sorted(answers) == [201, 201, 409, 409]


def test_deliveries_are_listed_by_pages_and_status(owner, receive, deliver):
    hook = receive(owner, eventTypes=["crm.company.create"])
    for number in range(5):
        owner.post("/api/v1/crm/company", {"name": f"Works {number}"})
    deliver()
    at, found, cursor = f"{HOOKS}/{hook.id}/_deliveries?status=delivered&take=2", [], ""
    while cursor is not None:
        page = owner.get(at + (f"&cursor={cursor}" if cursor else "")).json
        assert len(page["data"]) <= 2
        found += [each["payload"]["data"]["record"]["name"] for each in page["data"]]
        cursor = page["meta"]["next"]
    assert sorted(found) == [f"Works {number}" for number in range(5)]
    assert owner.get(f"{HOOKS}/{hook.id}/_deliveries?status=failed").json["data"] == []
    for query in ("status=lost", "take=0", "take=101", "cursor=x", "skip=1"):
        assert owner.get(f"{HOOKS}/{hook.id}/_deliveries?{query}").status_code == 400, query


def test_a_page_of_deliveries_is_no_larger_than_answers_may_be(build, owner, receive, deliver):
    hook = receive(owner)
    for number in range(5):
        owner.post("/api/v1/crm/company", {"name": f"Works {number}"})
    deliver()
    small = Actor(build(max_answer_bytes=2000), owner.token, owner.user_id, owner.organization_id)
    assert small.get(f"{HOOKS}/{hook.id}/_deliveries").status_code == 400
    assert small.get(f"{HOOKS}/{hook.id}/_deliveries?take=1").status_code == 200


@pytest.mark.parametrize("path", ["_test", f"_deliveries/{UNKNOWN}/_redeliver", "_replay?since=2026-01-01T00:00:00Z"])
def test_one_that_is_switched_off_is_sent_nothing(owner, path):
    at = f"{HOOKS}/{make(owner, enabled=False).json['id']}"
    assert owner.post(f"{at}/{path}").status_code == 409


def test_a_replay_needs_a_moment(owner):
    at = f"{HOOKS}/{make(owner).json['id']}"
    for query in ("", "?since=yesterday", "?since=2026-01-01"):
        assert owner.post(f"{at}/_replay{query}").status_code == 400


def test_this_machine_is_an_address_in_development_alone(app, owner, monkeypatch):
    assert make(owner, url="http://127.0.0.1:9/").status_code == 201
    monkeypatch.setattr(type(app.config["SETTINGS"]), "production", True)
    for url in ("http://127.0.0.1:9/", "https://localhost/", "https://[::1]/"):
        assert make(owner, url=url).status_code == 400, url


def test_an_address_that_turns_inwards_after_it_was_set_gets_nothing(owner, deliver, loopback, monkeypatch):
    leads_to = {"hooks.example.com": "93.184.216.34"}

    def resolve(host, *_, **__):
        return [(2, 1, 6, "", (leads_to.get(host, "127.0.0.1"), 443))]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", resolve)
    made = make(owner, eventTypes=["crm.company.*"]).json
    leads_to.clear()
    company(owner, "Harbour Works")
    deliver()
    (delivery,) = owner.get(f"{HOOKS}/{made['id']}/_deliveries").json["data"]
    assert (delivery["status"], delivery["responseStatus"], loopback.requests) == ("failed", None, [])
    assert "private" in delivery["errorMessage"]

"""Lists of grants of keys: who sets them, what they may hold, and what becomes of what was given under another."""

from __future__ import annotations

import json
import re

import pytest

from app.analytics.models import AnalyticsReport
from app.auth.models.keys import AuthApiKey
from app.crm.models import CrmDeal
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.access.granting import ALL, COMPANIES, DEALS, FORBIDDEN, KEYS, READS, grant, narrow, told


def test_a_list_is_set_by_sessions_with_recent_proof_and_kept_over_a_rotation(cast, owner):
    made = owner.post(KEYS, {"name": "K", "scopes": ["read"], "access": [grant("crm/deal")]}).json
    assert owner.get(f"{KEYS}/{made['id']}").json["access"] == [grant("crm/deal")]
    rotated = owner.post(f"{KEYS}/{made['id']}/rotate", {}).json
    assert owner.get(f"{KEYS}/{rotated['id']}").json["access"] == [grant("crm/deal")]
    key = Actor(owner.app, rotated["key"])
    assert (key.get(DEALS).status_code, key.get(COMPANIES).status_code) == (200, 403)
    assert owner.put(f"{KEYS}/{rotated['id']}", {"access": None}).status_code == 200
    assert key.get(COMPANIES).status_code == 200
    assert owner.put(f"{KEYS}/{rotated['id']}", {"access": []}).status_code == 200
    assert key.get(DEALS).status_code == 403


def test_a_cursor_is_good_for_the_grants_that_it_was_given_under(cast, owner, shop):
    for _ in range(3):
        shop.make(CrmDeal)
    made = owner.post(KEYS, {"name": "K", "scopes": ["read"], "access": [grant("crm/deal")]}).json
    key = Actor(owner.app, made["key"])
    cursor = key.get(DEALS, query_string={"take": 1, "cursor": ""}).json["meta"]["next"]
    assert key.get(DEALS, query_string={"take": 1, "cursor": cursor}).status_code == 200
    owner.put(f"{KEYS}/{made['id']}", {"access": [grant("crm/deal", where={"stage": "lead"})]})
    assert told(key.get(DEALS, query_string={"take": 1, "cursor": cursor})) == (400, "INVALID_PAGINATION")


def test_a_kept_answer_is_given_again_under_the_same_grants_alone(cast, owner):
    made = owner.post(KEYS, {"name": "K", "scopes": ["write"], "access": [grant("crm/company", ALL)]}).json
    key = Actor(owner.app, made["key"])
    headers = {"Idempotency-Key": "once"}
    first = key.post(COMPANIES, {"name": "A"}, headers=headers)
    assert key.post(COMPANIES, {"name": "A"}, headers=headers).json == first.json
    owner.put(f"{KEYS}/{made['id']}", {"access": [grant("crm/company", ["create"], fields=["name"])]})
    assert told(key.post(COMPANIES, {"name": "A"}, headers=headers)) == FORBIDDEN


@pytest.mark.parametrize(
    ("access", "place"),
    [
        ([grant("crm/nothing")], "access[0].models[0]"),
        ([grant("crm/deal", ["fly"])], "access[0].operations[0]"),
        ([grant("crm/deal", fields=["nothing"])], "access[0].fields[0]"),
        ([grant("crm/deal", fields=["name"], where={"nothing": 1})], "access[0].where.nothing"),
        (
            [grant("crm/deal", where={"owner": {"sessionsByUser": {"some": {}}}})],
            "access[0].where.owner.sessionsByUser",
        ),
        ([{"operations": READS}], "access[0].models"),
        ([{**grant("crm/deal"), "more": 1}], "access[0].more"),
        ([grant("crm/deal")] * 51, "access"),
        ([grant("crm/deal", where={"or": [{"name": "x"}] * 65})], "access[0].where.or[64].name"),
        ([grant("crm/deal", where={"name": {"in": ["x" * 500] * 200}})], "access"),
        ("crm/deal", "access"),
        ([grant("platform/audit-log", fields=["ipAddress"])], "access[0].fields[0]"),
        ([grant("auth/member", fields=["teamAccess"])], "access[0].fields[0]"),
        ([grant("auth/team", ["update"])], "access[0].models[0]"),
        ([grant("auth/*", ["list", "delete"])], "access[0].models[0]"),
        ([grant("auth/team", ["import"])], "access[0].models[0]"),
        ([grant("crm/deal", where={"or": [{"name": "x"}] * 40})] * 2, "access[1].where.or[24].name"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_grant_that_cannot_be_is_refused_with_its_place(owner, access, place):
    refused = owner.post(KEYS, {"name": "K", "access": access})
    assert refused.status_code == 400
    assert list(refused.json["details"]["fields"]) == [place], refused.json


def test_a_grant_that_names_what_is_gone_opens_nothing_and_doctor_names_it(cast, owner, shop):
    shop.make(CrmDeal)
    before = _grants_that_name_what_is_gone(cast.app)
    key = narrow(cast, owner, grant("crm/gone"), grant("crm/deal", where={"gone": 1}), grant("crm/company"))
    assert (key.get(DEALS).status_code, key.get(COMPANIES).status_code) == (403, 200)
    assert _grants_that_name_what_is_gone(cast.app) == before + 2
    with cast.app.app_context(), transaction() as session:
        session.query(AuthApiKey).filter_by(user_id=owner.user_id).delete()


def _grants_that_name_what_is_gone(app) -> int:
    """Return how many doctor tells of: tests of plugins leave some in the database that they share with this one."""
    parts = json.loads(app.test_cli_runner().invoke(args=["doctor", "--json"]).stdout)
    note = next(part["note"] for part in parts if part["part"] == "grants")
    told_of = re.match(r"(\d+) grants name what is gone", note)
    return int(told_of[1]) if told_of else 0


def test_a_narrow_key_starts_no_job_that_would_act_for_its_owner(cast, owner, shop):
    body = shop.body(AnalyticsReport)
    key = narrow(cast, owner, grant("analytics/report", ["create", "read"]))
    assert told(key.post("/api/v1/analytics/report", body)) == FORBIDDEN
    assert owner.post("/api/v1/analytics/report", body).status_code == 201


def test_a_narrow_key_starts_no_search_whether_its_owner_is_narrowed_or_not(cast, owner):
    asked = {"indexId": owner.post("/api/v1/ai-rag/index", {"name": "Port"}).json["id"], "text": "Which crane?"}
    access = [grant("ai-rag/*", ALL)]
    for holder in (owner, cast.colleague(owner), cast.colleague(owner, access=access)):
        key = cast.key(holder, "write", access=access, organization_id=owner.organization_id)
        assert told(key.post("/api/v1/ai-rag/query", asked)) == FORBIDDEN
        assert holder.post("/api/v1/ai-rag/query", asked).status_code == 201


def test_a_key_is_made_with_a_list_by_a_file(cast, owner, tmp_path):
    email = owner.get("/api/auth/session").json["user"]["email"]
    file = tmp_path / "access.json"
    command = ["keys", "create", "--user", email, "--access", str(file), "--json"]
    run = cast.app.test_cli_runner().invoke
    file.write_text('[{"models": ["crm/deal"]}]')
    key = Actor(owner.app, json.loads(run(args=command).output)["key"])
    assert (key.get(DEALS).status_code, key.get(COMPANIES).status_code) == (200, 403)
    for text, said in (('[{"models": ["crm/nothing"]}]', "access[0].models[0]"), ("[", "is not JSON")):
        file.write_text(text)
        refused = run(args=command)
        assert refused.exit_code == 2
        assert said in refused.output

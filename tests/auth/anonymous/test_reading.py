"""Reading without a credential: public rows of the models that are open, and nothing else."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor
from config import SettingError
from tests.auth.anonymous.conftest import COMPANIES


def test_public_rows_are_listed_and_read(nobody, companies):
    public, private = companies
    listed = nobody.get(COMPANIES, query_string={"id[in]": f"{public['id']},{private['id']}"}).json
    assert [each["id"] for each in listed["data"]] == [public["id"]]
    assert nobody.get(f"{COMPANIES}/{public['id']}").json["name"] == "Open"
    assert nobody.get(f"{COMPANIES}/{private['id']}").status_code == 404


def test_a_query_and_a_sum_find_public_rows_alone(nobody, companies):
    wanted = {"where": {"id": {"in": [each["id"] for each in companies]}}}
    assert [each["name"] for each in nobody.post(f"{COMPANIES}/_query", wanted).json["data"]] == ["Open"]
    assert nobody.post(f"{COMPANIES}/_aggregate", wanted).json["data"][0]["count"] == 1


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/api/v1/crm/contact"), ("GET", "/api/v1/crm/company/_export"), ("POST", COMPANIES),
    ("GET", "/api/v1/ai-rag/document"), ("GET", "/api/v1/_access"), ("POST", "/api/v1/_batch"),
    ("PUT", f"{COMPANIES}/01a20f19-c7ec-7297-96a1-406f2a2e156b"),
])  # fmt: skip
def test_everything_else_asks_for_a_credential(nobody, method, path):
    assert nobody.send(method, path, json={}).status_code == 401


def test_nothing_is_open_unless_a_setting_says_so(cast, companies):
    assert Actor(cast.app).get(COMPANIES).status_code == 401


def test_a_bad_credential_is_never_served_as_nobody(open_app, companies):
    assert Actor(open_app, "rg_key_nonsense").get(COMPANIES).status_code == 401
    assert Actor(open_app).get(COMPANIES, query_string={"api_key": "x"}).status_code == 401
    assert Actor(open_app).get(COMPANIES, headers={"Authorization": "Basic eA=="}).status_code == 401


def test_a_page_is_short_and_counted_within_bounds(nobody, companies):
    assert nobody.get(COMPANIES, query_string={"take": 101}).status_code == 400
    assert nobody.get(COMPANIES, query_string={"count": "exact"}).status_code == 400
    assert nobody.get(COMPANIES).json["counted"] == "exact"
    assert nobody.get(COMPANIES, query_string={"count": "none"}).json["total"] == -1


def test_searches_and_conditions_through_many_take_a_credential(nobody, companies):
    assert "search" in nobody.get(COMPANIES, query_string={"search": "open"}).json["error"]
    assert nobody.get(COMPANIES, query_string={"contacts.firstName": "A"}).status_code == 400


@pytest.mark.parametrize("asked", [
    {"expand": "contacts"}, {"where": '{"createdBy": {"email": "a"}}'}, {"sort": "createdBy.name"},
    {"where": '{"organization": {"name": "a"}}'},
])  # fmt: skip
def test_no_relation_leads_to_what_is_closed(nobody, companies, asked):
    assert nobody.get(COMPANIES, query_string=asked).status_code == 400


def test_pages_are_walked_by_cursor(nobody, owner):
    made = [owner.post(COMPANIES, {"name": f"Walk {n}", "visibility": "public"}).json["id"] for n in range(3)]
    walked, cursor = [], ""
    while cursor is not None:
        where = {"id": {"in": made}}
        answer = nobody.post(f"{COMPANIES}/_query", {"where": where, "take": 2, "cursor": cursor})
        walked += [each["id"] for each in answer.json["data"]]
        cursor = answer.json["next"]
    assert sorted(walked) == sorted(made)


@pytest.mark.parametrize("models", ["crm/contact", "shop/article", "auth/user"])
def test_a_model_without_public_rows_is_refused_at_the_start(build, models):
    with pytest.raises(SettingError, match=models):
        build(anonymous_models=models)

"""What queries answer: expanded relations, walks by cursor, and counts."""

from __future__ import annotations

import pytest

from app.crm.models import CrmDeal
from app.engine.read import pages
from app.engine.read.statements import statement_cache
from app.testing.workshop import Workshop
from tests.engine.queries.conftest import COMPANIES, DEALS


def test_expanded_records_stand_beside_their_reference(owner):
    rows = owner.get(DEALS, query_string={"expand": "company,contact", "fields": "name,company.name"}).json["data"]
    assert {(row["company"]["name"], row["contact"]) for row in rows} == {("Harbour, Works", None), ("Élan", None)}
    assert all(set(row) == {"id", "name", "company", "contact"} for row in rows)
    assert all(set(row["company"]) == {"id", "name"} for row in rows)
    item = owner.get(f"{DEALS}/{rows[0]['id']}", query_string={"fields": "name", "expand": "company"}).json
    assert (set(item), item["company"]["id"]) == ({"id", "name", "company"}, rows[0]["company"]["id"])


def test_of_many_the_first_of_each_row_are_expanded(owner):
    asked = {"sort": ["name"], "expand": {"deals": {"sort": ["-amount"], "take": 2, "fields": ["name"]}}}
    rows = owner.post(f"{COMPANIES}/_query", asked).json["data"]
    assert [[deal["name"] for deal in row["deals"]] for row in rows] == [
        ["Zulu", "Crane"],
        ["crane two", "50% off_x\\"],
    ]


def test_a_cursor_is_good_for_its_walk_alone(cast, owner):
    def sent(actor, **query):
        return actor.get(DEALS, query_string={"take": "2", **query})

    cursor = sent(owner, cursor="", sort="name").json["meta"]["next"]
    assert sent(owner, cursor=cursor, sort="name", take="1", fields="name").status_code == 200
    middle = len(cursor) // 2
    changed = cursor[:middle] + ("A" if cursor[middle] != "A" else "B") + cursor[middle + 1 :]
    refused = [
        sent(owner, cursor=cursor), sent(owner, cursor=cursor, sort="-name"), sent(owner, cursor=changed, sort="name"),
        sent(owner, cursor=cursor[:-4], sort="name"), sent(owner, cursor=cursor, sort="name", stage="lead"),
        sent(owner, cursor=cursor, sort="name", search="x"), sent(cast.user(), cursor=cursor, sort="name"),
        owner.get("/api/v1/crm/contact", query_string={"cursor": cursor, "sort": "lastName"}),
    ]  # fmt: skip
    assert [answer.json["code"] for answer in refused] == ["INVALID_PAGINATION"] * len(refused)


def test_a_walk_meets_every_row_once_while_others_are_written(cast):
    actor = cast.user()
    company = actor.post(COMPANIES, {"name": "Walked"}).json["id"]
    ids = [actor.post(DEALS, {"name": "n", "amount": n % 3 or None, "companyId": company}).json["id"] for n in range(9)]
    walked, cursor = [], ""
    while cursor is not None:
        page = actor.get(DEALS, query_string={"sort": "amount", "take": "2", "cursor": cursor}).json
        walked += [row["id"] for row in page["data"]]
        cursor = page["meta"]["next"]
        actor.post(DEALS, {"name": "new", "amount": 0, "companyId": company})
        actor.post(DEALS, {"name": "new", "companyId": company})
    assert sorted(each for each in walked if each in ids) == sorted(ids)
    assert len(set(walked)) == len(walked)


def test_a_bounded_count_goes_as_far_as_its_bound(owner, monkeypatch):
    assert owner.get(DEALS, query_string={"count": "bounded"}).json["meta"]["counted"] == "exact"
    monkeypatch.setattr(pages, "MAX_COUNTED", 3)
    statement_cache._kept.clear()
    meta = owner.get(DEALS, query_string={"count": "bounded"}).json["meta"]
    assert (meta["count"], meta["counted"]) == (3, "atLeast")
    statement_cache._kept.clear()


def test_the_company_list_keeps_its_envelope(owner):
    body = owner.get(COMPANIES, query_string={"count": "none", "take": "1", "sort": "name"}).json
    assert (body["total"], body["counted"], body["hasMore"]) == (-1, "none", True)
    walked = owner.get(COMPANIES, query_string={"cursor": "", "take": "1"}).json
    assert (walked["total"], walked["hasMore"], bool(walked["next"])) == (-1, True, True)


def test_the_number_of_statements_does_not_grow_with_the_rows(cast, counting):
    owner = cast.user()
    workshop = Workshop(cast, owner)
    asked = {"search": "name", "sort": ["company.name", "-amount"], "where": {"company": {"name": {"ne": "x"}}},
             "expand": {"company": {"expand": {"contacts": {}}}, "deliverables": {}}}  # fmt: skip
    counts = []
    for made in (1, 30):
        for _ in range(made):
            workshop.make(CrmDeal)
        with counting() as sent:
            assert owner.post(f"{DEALS}/_query", {**asked, "take": 100}).status_code == 200
        counts.append(len([each for each in sent if "set_config" not in each]))
    # The credential, the page, and one for each relation.
    assert counts == [5, 5]


@pytest.mark.parametrize(
    "name",
    [
        "\u30ac\u30a4\u30c9", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        "\u0e19\u0e49\u0e33",
        "\u0639\u064e\u0631\u064e\u0628\u0650\u064a\u0651", "Stra\u00dfe", "\u0130zmir", "\ufb01n",
    ],
)  # fmt: skip
def test_a_text_is_found_by_its_own_words_in_every_script(cast, name):
    owner = cast.user()
    owner.post(COMPANIES, {"name": name})
    assert [row["name"] for row in owner.get(COMPANIES, query_string={"search": name}).json["data"]] == [name]


def test_a_key_is_read_with_chosen_fields(cast):
    owner = cast.user()
    made = owner.post("/api/v1/auth/api-key", {"name": "Export"}).json["id"]
    assert owner.get(f"/api/v1/auth/api-key/{made}?fields=name").json == {"id": made, "name": "Export"}

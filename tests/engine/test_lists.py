"""Windows, filters and order of lists."""

from __future__ import annotations

import pytest

from app.crm.models import CrmCompany, CrmContact
from app.testing.workshop import Workshop

CONTACTS = "/api/v1/crm/contact"


@pytest.fixture(scope="module")
def owner(cast):
    """Somebody with seven contacts."""
    actor = cast.user()
    workshop = Workshop(cast, actor)
    company = workshop.make(CrmCompany)["id"]
    for number in range(7):
        workshop.make(CrmContact, companyId=company, firstName=f"Name{number}")
    return actor


def test_a_list_is_an_envelope_of_records_and_their_window(owner):
    body = owner.get(CONTACTS).json
    assert set(body) == {"data", "meta"}
    assert body["meta"] == {"count": 7, "take": 20, "skip": 0}


def test_the_newest_record_comes_first(owner):
    names = [row["firstName"] for row in owner.get(CONTACTS).json["data"]]
    assert names == [f"Name{number}" for number in reversed(range(7))]


def test_take_and_skip_move_the_window(owner):
    body = owner.get(CONTACTS, query_string={"take": "2", "skip": "3"}).json
    assert [row["firstName"] for row in body["data"]] == ["Name3", "Name2"]
    assert body["meta"] == {"count": 7, "take": 2, "skip": 3}


@pytest.mark.parametrize("skip", [7, 999, 1000, 10_000_000])
def test_a_window_beyond_the_end_is_empty_and_still_counts(owner, skip):
    body = owner.get(CONTACTS, query_string={"skip": skip}).json
    assert body == {"data": [], "meta": {"count": 7, "take": 20, "skip": skip}}


def test_a_deep_window_holds_the_same_rows_as_a_shallow_one(owner, monkeypatch):
    shallow = owner.get(CONTACTS, query_string={"skip": 2}).json
    monkeypatch.setattr("app.engine.read.pages.DEEP_SKIP", 1)
    assert owner.get(CONTACTS, query_string={"skip": 2}).json == shallow


BAD_NUMBERS = [
    "",
    "+5",
    "5.0",
    "1e3",
    "abc",
    "-1",
    " 5",
    "5 ",
    "\u0665",
    "0x10",
    "99999999999999999999",
    "1_000",
    "null",
]


@pytest.mark.parametrize("name", ["take", "skip"])
@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_what_is_no_plain_number_is_no_window(owner, name, value):
    response = owner.get(CONTACTS, query_string={name: value})
    assert (response.status_code, response.json["code"]) == (400, "INVALID_PAGINATION")


@pytest.mark.parametrize("query", ["take=0", "take=1001", "skip=10000001", "take=5&take=5", "skip=1&skip=2"])
def test_windows_are_bounded_and_given_once(owner, query):
    response = owner.get(f"{CONTACTS}?{query}")
    assert (response.status_code, response.json["code"]) == (400, "INVALID_PAGINATION")


def test_a_filter_keeps_equal_rows_and_the_count_follows(owner):
    body = owner.get(CONTACTS, query_string={"firstName": "Name4"}).json
    assert [row["firstName"] for row in body["data"]] == ["Name4"]
    assert body["meta"]["count"] == 1


BAD_FILTERS = [
    "phone=1", "nosuch=1", "companyId=nonsense", "firstName=a&firstName=b", "createdAt=yesterday", "firstName=%00",
    "order=asc", "Take=5", "firstname=x",
]  # fmt: skip


@pytest.mark.parametrize("query", BAD_FILTERS)
def test_a_filter_that_is_unknown_or_ill_typed_is_refused(owner, query):
    response = owner.get(f"{CONTACTS}?{query}")
    assert (response.status_code, response.json["code"]) == (400, "INVALID_FILTER")


@pytest.mark.parametrize("query", ["amount=five", "amount=99999999999999999999", "stage=maybe", "expectedCloseAt=2026"])
def test_filters_of_other_types_are_read_strictly_too(owner, query):
    assert owner.get(f"/api/v1/crm/deal?{query}").status_code == 400


def test_a_number_beyond_the_column_matches_nothing(owner):
    response = owner.get("/api/v1/crm/deal?amount=9223372036854775807")
    assert (response.status_code, response.json["data"]) == (200, [])


def test_an_array_matches_when_it_holds_the_value(owner):
    owner.post("/api/v1/storage/document", {"title": "Tagged", "tags": ["red", "blue"]})
    for tag, expected in (("blue", 1), ("green", 0)):
        found = owner.get("/api/v1/storage/document", query_string={"tags": tag}).json
        assert found["meta"]["count"] == expected


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_an_unknown_query_parameter_is_refused_on_every_verb(owner, method):
    path = CONTACTS if method == "POST" else f"{CONTACTS}/x"
    response = owner.send(method, f"{path}?dry=1", json={})
    assert response.status_code == 400


def test_public_rows_of_others_join_a_list_only_when_asked_for(cast):
    other, reader = cast.user(), cast.user()
    made = other.post("/api/v1/crm/company", {"name": "Open", "visibility": "public"}).json
    path = "/api/v1/crm/company"
    assert made["id"] not in [row["id"] for row in reader.get(path).json["data"]]
    asked = reader.get(path, query_string={"visibility": "public", "take": 1000}).json["data"]
    assert made["id"] in [row["id"] for row in asked]
    assert reader.get(f"{path}/{made['id']}").status_code == 200
    assert reader.put(f"{path}/{made['id']}", {"name": "Mine"}).status_code == 403


def test_an_anonymous_key_reads_public_rows_and_nothing_else(cast):
    owner = cast.user()
    path = "/api/v1/ai/chat"
    public = owner.post(path, {"title": "Open", "visibility": "public", "systemPrompt": "secret"}).json
    private = owner.post(path, {"title": "Mine"}).json
    listed = [row["id"] for row in cast.anonymous.get(path, query_string={"take": 1000}).json["data"]]
    assert public["id"] in listed
    assert private["id"] not in listed
    shown = cast.anonymous.get(f"{path}/{public['id']}").json
    assert "systemPrompt" not in shown
    assert "metadata" not in shown


def test_rows_under_a_public_parent_are_listed_by_their_parent(cast):
    owner, reader = cast.user(), cast.user()
    chat = owner.post("/api/v1/ai/chat", {"title": "Open", "visibility": "public"}).json
    said = owner.post("/api/v1/ai/message", {"chatId": chat["id"], "role": "user", "content": "Hello"}).json
    listed = reader.get("/api/v1/ai/message").json["data"]
    asked = reader.get("/api/v1/ai/message", query_string={"chatId": chat["id"]}).json["data"]
    assert (listed, [row["id"] for row in asked]) == ([], [said["id"]])


def test_colleagues_see_name_and_image_of_each_other_and_no_more(cast):
    owner = cast.user()
    colleague = cast.colleague(owner)
    shown = owner.get(f"/api/v1/auth/user/{colleague.user_id}").json
    assert set(shown) == {"id", "name", "image"}
    assert [row["id"] for row in owner.get("/api/v1/auth/user").json["data"]] == [str(owner.user_id)]
    assert cast.user().get(f"/api/v1/auth/user/{colleague.user_id}").status_code == 404


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("crm/deal?stage=sold", "Must be one of: "),
        ("auth/api-key?expiresAt=2026-12-24", "such as 2026-12-24T09:00:00Z."),
    ],
)
def test_a_filter_that_is_refused_says_what_would_be_right(cast, query, message):
    refused = cast.user().get(f"/api/v1/{query}")
    assert refused.status_code == 400
    assert message in refused.get_data(as_text=True)

"""References of a batch: values and ids of earlier answers, and text that only looks like one."""

from __future__ import annotations

import orjson
import pytest

from app.ai.models.answering import AiProvider
from app.crm.models import CrmCompany, CrmContact
from app.testing.workshop import Workshop
from tests.engine.writes.test_batch import API, COMPANY, CONTACT, make_company, part, send
from tests.engine.writes.twins import growth


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


PERSON = {"firstName": "A", "lastName": "B", "email": "a@reference.example"}


def test_a_reference_takes_a_value_of_any_type_at_any_depth(shop):
    body = {"name": "Co", "employees": 7, "website": None}
    flag = {"name": "log", "payload": {"deep": [{"n": "{co.employees}", "none": "{co.website}"}, "{co.id}"]}}
    answer = send(shop.owner, part("POST", COMPANY, body, ref="co"),
                  part("POST", f"{API}/analytics/event", {"name": "x", "properties": flag["payload"]}))  # fmt: skip
    assert answer.status_code == 200, answer.json
    company, event = [each["body"] for each in answer.json["data"]]
    assert event["properties"] == {"deep": [{"n": 7, "none": None}, company["id"]]}


def test_a_value_of_the_wrong_type_is_refused_as_if_it_were_sent(shop):
    answer = send(shop.owner, part("POST", COMPANY, {"name": "Co", "employees": 7}, ref="co"),
                  part("POST", COMPANY, {"name": "{co.employees}"}))  # fmt: skip
    assert (answer.status_code, answer.json["details"]["index"]) == (400, 1)


TEXTS = {
    "{co.name} Ltd": "{co.name} Ltd", " {co.name}": " {co.name}", "{other.name}": "{other.name}",
    "{{co.name}}": "{co.name}", "{{other.name}}": "{{other.name}}", "{co.}": "{co.}", "{co}": "{co}",
    "{co.name.x}": "{co.name.x}", "{CO.name}": "{CO.name}", "{co.na me}": "{co.na me}", "{}": "{}",
    "{co.name}\n": "{co.name}\n", "{{{co.name}}}": "{{{co.name}}}", "${co.name}": "${co.name}",
}  # fmt: skip


@pytest.mark.parametrize("sent", TEXTS)
def test_text_that_only_looks_like_a_reference_stays(shop, sent):
    event = {"name": "x", "properties": {"text": sent}}
    answer = send(shop.owner, make_company(), part("POST", f"{API}/analytics/event", event))
    assert answer.status_code == 200, answer.json
    assert answer.json["data"][1]["body"]["properties"] == {"text": TEXTS[sent]}


def test_a_reference_in_the_name_of_a_member_or_in_a_query_is_text(shop):
    event = {"name": "x", "properties": {"{co.name}": 1}}
    answer = send(shop.owner, make_company(), part("POST", f"{API}/analytics/event", event),
                  part("GET", f"{COMPANY}?name={{co.name}}"))  # fmt: skip
    assert answer.json["data"][1]["body"]["properties"] == {"{co.name}": 1}
    assert answer.json["data"][2]["body"]["total"] == 0


REFUSED = {
    "unknown_field": [make_company(), part("POST", COMPANY, {"name": "{co.nothing}"})],
    "hidden_field": [make_company(), part("POST", COMPANY, {"name": "{co.rowVersion}"})],
    "digest": [part("GET", f"{API}/auth/user?take=1", ref="co"), part("POST", COMPANY, {"name": "{co.passwordHash}"})],
    "field_in_a_path": [make_company(), part("GET", f"{COMPANY}/{{co.name}}")],
    "no_id": [part("GET", COMPANY, ref="co"), part("GET", f"{COMPANY}/{{co.id}}")],
    "later": [part("POST", COMPANY, {"name": "{co.name}"}), make_company()],
    "itself": [part("POST", COMPANY, {"name": "{co.name}"}, ref="co")],
    "each_other": [part("POST", COMPANY, {"name": "{b.name}"}, ref="a"),
                   part("POST", COMPANY, {"name": "{a.name}"}, ref="b")],
    "later_in_a_path": [part("GET", f"{COMPANY}/{{co.id}}"), make_company()],
    "deep_and_later": [part("POST", f"{API}/analytics/event", {"name": "x", "properties": {"a": [["{co.id}"]]}}),
                       make_company()],
    "two_of_a_name": [make_company(), make_company()],
}  # fmt: skip


@pytest.mark.parametrize("fault", REFUSED)
def test_a_reference_that_leads_nowhere_refuses_the_batch(app, shop, fault):
    with growth(app) as grown:
        answer = send(shop.owner, *REFUSED[fault])
    assert (answer.status_code, answer.json["code"] in ("VALIDATION_ERROR", "BATCH_FAILED")) == (400, True)
    assert grown == {}


@pytest.mark.parametrize("ref", ["", "1a", "a-b", "a.b", "a" * 41, "a b", "ä", "a\n"])
def test_names_of_requests_are_words(shop, ref):
    assert send(shop.owner, make_company(ref=ref)).status_code == 400


def test_a_secret_that_was_written_is_nothing_a_reference_leads_to(cast):
    provider = {
        "name": "P", "slug": "secretive", "kind": "openai_compatible", "baseUrl": "https://models.example.com/v1",
        "apiKey": "sk-a-secret", "defaultModel": "m",
    }  # fmt: skip
    path = AiProvider.collection_path()
    made = cast.admin.post(path, {**provider, "slug": "secretive-too"})
    assert made.status_code == 201, made.json
    answer = send(cast.admin, part("POST", path, provider, ref="p"),
                  part("POST", COMPANY, {"name": "{p.apiKey}"}))  # fmt: skip
    assert (answer.status_code, answer.json["details"]["index"]) == (400, 1), answer.json
    assert "sk-a-secret" not in answer.text


def test_a_row_that_the_caller_does_not_see_gives_no_value(cast, shop):
    theirs = Workshop(cast, cast.user()).make(CrmContact)
    answer = send(shop.owner, part("GET", f"{CONTACT}/{theirs['id']}", ref="it"),
                  part("POST", COMPANY, {"name": "{it.email}"}), atomic=False)  # fmt: skip
    assert [each["status"] for each in answer.json["data"]] == [404, 400]


def test_a_path_is_put_together_of_whole_segments(shop):
    answer = send(shop.owner, make_company(), part("GET", f"{COMPANY}/x{{co.id}}"), atomic=False)
    assert answer.json["data"][1]["status"] == 404


def test_a_chain_of_a_hundred_references_is_followed(shop):
    requests = [make_company("Link", "r0")]
    requests += [part("POST", COMPANY, {"name": f"{{r{place - 1}.name}}"}, ref=f"r{place}") for place in range(1, 100)]
    answer = send(shop.owner, *requests)
    assert {each["body"]["name"] for each in answer.json["data"]} == {"Link"}


def test_values_by_reference_count_as_sent(shop):
    """Otherwise a short body could stand for any amount."""
    long = shop.make(CrmCompany, website="https://example.com/" + "x" * 2000)
    event = {"name": "x", "properties": {"texts": ["{co.website}"] * 1000}}
    read = part("GET", f"{COMPANY}/{long['id']}", ref="co")
    answer = send(shop.owner, read, part("POST", f"{API}/analytics/event", event))
    assert (answer.status_code, answer.json["details"]["body"]["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_references_to_a_long_list_are_read_once(shop, monkeypatch):
    company = shop.make(CrmCompany)["id"]
    shop.owner.post(CONTACT, [PERSON | {"companyId": company, "email": f"{n}@long.example"} for n in range(200)])
    event = {"name": "x", "properties": {"counts": ["{all.meta}"] * 500}}
    read, plain = [], orjson.loads
    monkeypatch.setattr(orjson, "loads", lambda text: (read.append(len(text)), plain(text))[1])
    answer = send(shop.owner, part("GET", f"{CONTACT}?take=200", ref="all"),
                  part("POST", f"{API}/analytics/event", event))  # fmt: skip
    assert answer.status_code == 200, answer.json
    assert len(answer.json["data"][1]["body"]["properties"]["counts"]) == 500
    assert len([size for size in read if size > 50_000]) == 1

"""The batch: requests on several models in one transaction, each of which sees what came before it."""

from __future__ import annotations

import pytest

from app.ai.models.chats import AiArtifact
from app.crm.models import CrmContact, CrmDeal
from app.testing.workshop import Workshop
from tests.engine.writes.twins import CREATABLE, MODELS, alike, growth, name_of, twins

BATCH, API = "/api/v1/_batch", "/api/v1"
COMPANY, CONTACT, DEAL = f"{API}/crm/company", f"{API}/crm/contact", f"{API}/crm/deal"
ABSENT = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


def send(actor, *requests, **options):
    return actor.post(BATCH, {"requests": list(requests), **options})


def part(method, path, body=None, **rest):
    return {"method": method, "path": path, **({} if body is None else {"body": body}), **rest}


def make_company(name="Harbour Works", ref="co"):
    return part("POST", COMPANY, {"name": name}, ref=ref)


def test_the_example_of_the_contract_is_carried_out(shop):
    deal = shop.make(CrmDeal)
    answer = send(
        shop.owner,
        make_company(),
        part("POST", CONTACT, {"firstName": "Grace", "lastName": "Hopper", "email": "g@example.com",
                               "companyId": "{co.id}"}),
        part("PATCH", f"{DEAL}/{deal['id']}", {"stage": "won"}, ifMatch="1"),
    )  # fmt: skip
    assert answer.status_code == 200, answer.json
    company, contact, won = answer.json["data"]
    assert answer.json["meta"] == {"count": 3}
    assert [(each["ref"], each["status"]) for each in answer.json["data"]] == [("co", 201), (None, 201), (None, 200)]
    assert contact["body"]["companyId"] == company["body"]["id"]
    for path, each in ((COMPANY, company), (CONTACT, contact), (DEAL, won)):
        single = shop.owner.get(f"{path}/{each['body']['id']}")
        assert (single.json, single.headers["ETag"]) == (each["body"], each["etag"])


@pytest.mark.parametrize("model", CREATABLE, ids=name_of)
def test_what_is_made_changed_and_deleted_in_a_batch_is_as_by_single_requests(app, cast, model):
    one, other = twins(cast)
    path, bodies = model.collection_path(), []
    for shop in (one, other):
        bodies.append(shop.body(model))
        shop.make_room(model)
    actor, twin = one.maker(model), other.maker(model)

    with growth(app) as by_singles:
        made = actor.post(path, bodies[0])
        item = f"{path}/{made.json['id']}"
        singly = [made, actor.get(item), actor.patch(item), actor.get(f"{path}?take=0"), actor.delete(item)]
    requests = [
        part("POST", path, bodies[1], ref="it"), part("GET", f"{path}/{{it.id}}"),
        part("PATCH", f"{path}/{{it.id}}", {}), part("GET", f"{path}?take=0"), part("DELETE", f"{path}/{{it.id}}"),
    ]  # fmt: skip
    with growth(app) as by_batch:
        answer = send(twin, *requests, atomic=all(each.status_code < 400 for each in singly))

    parts = answer.json["data"]
    assert [each["status"] for each in parts] == [each.status_code for each in singly]
    for each, single in zip(parts, singly, strict=True):
        if single.status_code < 400 and "take" not in single.request.url:
            assert alike(model, [each["body"]]) == alike(model, [single.json])
            assert (each["etag"] or "").partition("-")[0] == single.headers.get("ETag", "").partition("-")[0]
    assert by_batch == by_singles


def test_reads_and_sums_see_what_came_before_them_and_others_do_not(shop):
    shop.owner.post(COMPANY, {"name": "Before", "employees": 2})
    answer = send(
        shop.owner,
        part("POST", COMPANY, {"name": "Within", "employees": 5}, ref="co"),
        part("GET", f"{COMPANY}?sort=name&fields=name"),
        part("GET", f"{COMPANY}/{{co.id}}"),
        part("GET", f"{COMPANY}/_aggregate?count="),
        part("DELETE", f"{COMPANY}/{{co.id}}"),
        part("GET", f"{COMPANY}?count=exact"),
    )
    assert answer.status_code == 200, answer.json
    _, listed, read, sums, _, after = [each["body"] for each in answer.json["data"]]
    assert [each["name"] for each in listed["data"]] == ["Before", "Within"]
    assert read["name"] == "Within"
    assert sums["data"][0]["count"] == 2
    assert after["total"] == 1


PERSON = {"firstName": "A", "lastName": "B", "email": "a@b.example"}
NOTE = {"userId": ABSENT, "type": "MESSAGE", "title": "x", "body": "x"}
REFUSED = {
    "invalid": (part("POST", CONTACT, {"x": 1}), 400, "VALIDATION_ERROR"),
    "absent": (part("GET", f"{CONTACT}/{ABSENT}"), 404, "NOT_FOUND"),
    "forbidden": (part("POST", f"{API}/notification/notification", NOTE), 403, "FORBIDDEN"),
    "reference": (part("POST", CONTACT, PERSON | {"companyId": ABSENT}), 400, "FOREIGN_KEY_VIOLATION"),
    "of_many": (part("PUT", CONTACT, {}), 400, "VALIDATION_ERROR"),
    "no_route": (part("GET", f"{API}/no/such"), 404, "NOT_FOUND"),
    "filter": (part("GET", f"{CONTACT}?x=1"), 400, "INVALID_FILTER"),
    "no_method": (part("DELETE", f"{API}/platform/audit-log/{ABSENT}"), 405, "METHOD_NOT_ALLOWED"),
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("fault", REFUSED)
def test_one_refused_request_refuses_the_whole_and_is_told(app, shop, fault, place):
    refused, status, code = REFUSED[fault]
    requests = [make_company(f"Company {number}", f"c{number}") for number in range(3)]
    requests[place] = {**refused, "ref": "wrong"}
    with growth(app) as grown:
        answer = send(shop.owner, *requests)
    assert (answer.status_code, answer.json["code"]) == (status, "BATCH_FAILED")
    told = answer.json["details"]
    assert (told["index"], told["ref"], told["status"], told["body"]["code"]) == (place, "wrong", status, code)
    assert grown == {}


def test_a_refused_company_is_told_in_the_shape_of_its_routes(shop):
    answer = send(shop.owner, part("POST", COMPANY, {}))
    assert answer.json["details"]["body"] == shop.owner.post(COMPANY, {}).json


def test_what_is_not_atomic_is_carried_out_each_by_itself(shop):
    answer = send(
        shop.owner,
        make_company(),
        part("POST", CONTACT, {"x": 1}, ref="wrong"),
        part("GET", f"{COMPANY}/{{co.id}}"),
        part("POST", COMPANY, {"name": "{wrong.id}"}),
        atomic=False,
    )
    assert answer.status_code == 200
    assert [each["status"] for each in answer.json["data"]] == [201, 400, 200, 400]
    assert shop.owner.get(COMPANY).json["total"] == 1


def test_versions_are_judged_by_what_came_before_in_the_batch(shop):
    made = shop.make(CrmContact)
    path = f"{CONTACT}/{made['id']}"
    answer = send(
        shop.owner,
        part("PATCH", path, {"title": "a"}, ifMatch="1"),
        part("PATCH", path, {"title": "b"}, ifMatch="2"),
        part("PATCH", path, {"title": "b"}, ifMatch="3"),
        part("GET", path),
    )
    assert answer.status_code == 200, answer.json
    assert [each["etag"].partition("-")[0] for each in answer.json["data"]] == ['"2', '"3', '"3', '"3']
    stale = send(shop.owner, part("PATCH", path, {"title": "c"}), part("PATCH", path, {"title": "d"}, ifMatch="3"))
    assert (stale.status_code, stale.json["details"]["body"]["details"]) == (412, {"version": 4})
    assert shop.owner.get(path).json["title"] == "b"


def test_a_record_changed_by_an_effect_is_changed_further_in_the_same_batch(shop):
    artifact = shop.make(AiArtifact, content="one two")
    suggestion = {"artifactId": artifact["id"], "originalText": "one", "suggestedText": "1", "status": "accepted"}
    path = f"{AiArtifact.collection_path()}/{artifact['id']}"
    answer = send(
        shop.owner,
        part("PATCH", path, {"title": "x"}),
        part("POST", f"{API}/ai/suggestion", suggestion),
        part("PATCH", path, {"title": "y"}, ifMatch="3"),
        part("GET", path),
    )
    assert answer.status_code == 200, answer.json
    assert answer.json["data"][-1]["body"]["content"] == "1 two"


def test_a_value_that_an_earlier_request_gave_up_can_be_taken(shop):
    first = shop.make(CrmContact, email="taken@batch.example")
    other = {"firstName": "A", "lastName": "B", "email": first["email"], "companyId": first["companyId"]}
    answer = send(shop.owner, part("DELETE", f"{CONTACT}/{first['id']}"), part("POST", CONTACT, other))
    assert answer.status_code == 200, answer.json


def test_views_of_canvases_count_once_the_batch_is_safe(app, shop, cast):
    artifact = shop.make(AiArtifact, visibility="public")
    path = f"{AiArtifact.collection_path()}/{artifact['id']}"
    visitor = cast.user()
    with growth(app) as refused:
        assert send(visitor, part("GET", path), part("POST", CONTACT, {})).status_code == 400
    with growth(app) as alone:
        assert visitor.get(path).status_code == 200
    with growth(app) as within:
        assert send(cast.user(), part("GET", path)).status_code == 200
    assert refused == {}
    assert set(alone) <= set(within) | {"notification_notification"}


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_batch_reads_a_list_as_the_list_itself(shop, cast, model):
    for actor in (shop.owner, cast.admin):
        single = actor.get(f"{model.collection_path()}?take=1")
        answer = send(actor, part("GET", f"{model.collection_path()}?take=1"), atomic=False)
        (each,) = answer.json["data"]
        assert each["status"] == single.status_code
        if single.status_code == 200:
            assert set(each["body"]) == set(single.json)


@pytest.mark.parametrize("name", ["Müller", "日本", "a b"])
def test_the_query_of_a_part_is_text_as_that_of_a_url(shop, name):
    shop.owner.post("/api/v1/crm/company", {"name": name})
    answer = send(shop.owner, part("GET", f"/api/v1/crm/company?name={name}"))
    assert [each["name"] for each in answer.json["data"][0]["body"]["data"]] == [name]

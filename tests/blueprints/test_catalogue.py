"""The catalogue over HTTP: what a caller finds there is what the caller may do."""

from __future__ import annotations

import pytest

from app.engine.declare.catalogue import every_model
from app.engine.declare.dictionary import dictionary
from app.engine.declare.scope import Rule

CATALOGUE = "/api/v1/_catalogue"
MODELS = list(every_model())
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
ABSENT = "01a1fedd-47f3-7536-a333-810773c4a6d4"


def entries(actor):
    return {each["class"]: each for domain in actor.get(CATALOGUE).json["domains"] for each in domain["models"]}


@pytest.fixture(scope="module")
def callers(cast):
    member = cast.user()
    return {
        "admin": cast.admin, "member": member, "key": cast.key(member, "read", "write"),
        "reader": cast.key(member, "read"), "anonymous": cast.anonymous,
    }  # fmt: skip


@pytest.fixture(scope="module")
def catalogues(callers):
    return {name: entries(actor) for name, actor in callers.items()}


def test_an_admin_finds_every_model_with_all_it_has(catalogues):
    found = catalogues["admin"]
    assert list(found) == [model.__name__ for model in MODELS]
    for model in MODELS:
        operations = {name for name, allowed in found[model.__name__]["operations"].items() if allowed}
        expected = {name for name, rule in model.policy.operations().items() if rule is not Rule.NONE}
        assert operations == expected | {"export"} | ({"import"} if "create" in expected else set())


@every
@pytest.mark.parametrize("who", ["member", "key", "reader", "anonymous"])
def test_what_the_catalogue_leaves_out_is_refused(callers, catalogues, who, model):
    actor, found = callers[who], catalogues[who].get(model.__name__)
    path = model.collection_path()
    if found is None:
        answer = actor.get(path)
        assert answer.status_code == 403 or answer.json["data"] == []
        return
    assert actor.get(path).status_code == 200
    allowed = found["operations"]
    if not allowed["create"]:
        assert actor.post(path, {}).status_code in (400, 403, 405)
    for operation, method in (("update", "PUT"), ("delete", "DELETE")):
        if not allowed[operation]:
            assert actor.send(method, f"{path}/{ABSENT}").status_code in (400, 403, 404, 405)


@every
def test_it_names_the_fields_that_an_answer_can_hold(catalogues, model):
    for who in ("admin", "member"):
        found = catalogues[who].get(model.__name__)
        if found is None:
            continue
        readable = {field["name"] for field in found["fields"] if field.get("readable")}
        assert {field.name for field in model.fields().values() if not field.spec.readable}.isdisjoint(readable)
        for field in model.fields().values():
            if "readableBy admin" in field.spec.flags:
                assert (field.name in readable) is (who == "admin"), field.name


@every
def test_relations_lead_to_models_that_are_there(catalogues, model):
    for found in catalogues.values():
        named = {f"{each['domain']}/{each['name']}" for each in found.values()}
        entry = found.get(model.__name__, {"relations": []})
        assert {each["model"] for each in entry["relations"]} <= named


@every
def test_a_label_names_fields_that_are_listed(catalogues, model):
    entry = catalogues["admin"][model.__name__]
    listed = {field["name"] for field in entry["fields"] if field.get("listed") and field.get("readable")}
    assert set(entry.get("label", [])) <= listed


def test_whoever_may_not_write_sets_nothing(catalogues):
    for who in ("reader", "anonymous"):
        for entry in catalogues[who].values():
            assert not any(entry["operations"][name] for name in ("create", "update", "delete"))
            assert not any(field["settable"] for field in entry["fields"])


def test_amounts_and_units_are_marked(catalogues):
    shown = {
        f"{name}.{field['name']}": field["display"]
        for name, entry in catalogues["admin"].items()
        for field in entry["fields"]
        if "display" in field
    }
    assert (shown["CrmDeal.amount"], shown["AiAttempt.latencyMs"]) == ("money", "milliseconds")
    assert (shown["StorageBucket.usedBytes"], shown["StorageUpload.contentBase64"]) == ("bytes", "file")


def test_it_is_kept_by_its_tag(callers):
    tag = callers["member"].get(CATALOGUE).headers["ETag"]
    known = callers["member"].get(CATALOGUE, headers={"If-None-Match": tag})
    assert (known.status_code, known.data) == (304, b"")
    assert callers["admin"].get(CATALOGUE, headers={"If-None-Match": tag}).status_code == 200


def test_it_tells_what_the_dictionary_tells(catalogues):
    for domain in dictionary()["domains"]:
        for model in domain["models"]:
            found = catalogues["admin"][model["class"]]
            names = [each["name"] for each in model["fields"] if each["access"] != "hidden"]
            assert [each["name"] for each in found["fields"]] == names


def test_a_page_begins_with_what_matters_of_what_the_caller_sees(catalogues):
    deal = catalogues["member"]["CrmDeal"]
    assert deal["headline"] == ["stage", "amount", "expectedCloseAt", "companyId"]
    assert [each["title"] for each in deal["sections"]] == ["Sale", "Outcome"]
    for found in catalogues.values():
        for model in found.values():
            shown = {field["name"] for field in model["fields"]}
            placed = [name for section in model.get("sections", ()) for name in section["fields"]]
            assert shown >= {*model.get("headline", ()), *placed}

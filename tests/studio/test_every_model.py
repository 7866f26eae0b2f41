"""Every model in the studio: made with its required fields, found, changed, changed by two, deleted and kept."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from app.auth.models.keys import AuthApiKey
from app.engine.catalogue import every_model
from app.engine.fields import FieldFlag
from app.engine.kinds import Enum, Integer, LongText, Number, String
from app.engine.policy import Rule
from app.engine.record import Setter

MODELS = [model for model in every_model() if model is not AuthApiKey]
NAMED = {"ids": lambda model: model.__name__}
CREATABLE = [model for model in MODELS if model.policy.create is not Rule.NONE]
DELETABLE = [model for model in MODELS if model.policy.delete is not Rule.NONE]


def changeable(model):
    """A text that a form changes; none where the model has no such field."""
    texts = [
        field
        for field in model.fields().values()
        if isinstance(field.spec.kind, String | LongText)
        and field.set_on_update is Setter.CALLER
        and not field.unique
        and FieldFlag.WRITE_ONLY not in field.spec.flags
        and not getattr(field.spec.kind, "format", "")
        and not getattr(field.spec.kind, "pattern", "")
        and (field.max_length == 0 or field.max_length > 20)
    ]
    return texts[0] if texts else None


CHANGEABLE = [model for model in CREATABLE if model.policy.update is not Rule.NONE and changeable(model)]


def place(model, identifier="", action=""):
    return "/" + "/".join(filter(None, [model.qualified_name(), identifier, action]))


def field_input(page, name):
    return page.locator(f"[name='{name}']").first


def typed(model, body):
    """The required fields that are typed; what refers to others or has a structure comes with the address."""
    plain = (String, LongText, Integer, Number)
    fields = {field.name: field for field in model.fields().values()}
    return {
        name: value
        for name, value in body.items()
        if isinstance(fields[name].spec.kind, plain) and not isinstance(fields[name].spec.kind, Enum)
        and not fields[name].references and not fields[name].display and fields[name].required
    }  # fmt: skip


@pytest.mark.parametrize("model", MODELS, **NAMED)
def test_a_list_is_shown_and_its_title_names_the_model(office, model):
    office.shop.make(model)
    page = office.open(place(model))
    expect(page.get_by_role("table").or_(page.get_by_text("Nothing here yet"))).to_be_visible()
    assert page.title().endswith("Rowgate studio")


@pytest.mark.parametrize("model", CREATABLE, **NAMED)
def test_a_record_is_made_with_the_required_fields_and_found(office, model):
    office.shop.make_room(model)
    body = office.shop.body(model)
    by_hand = typed(model, body)
    source = {name: value for name, value in body.items() if name not in by_hand}
    page = office.open(f"{place(model, action='create')}?source={quote(json.dumps(source))}")
    for name, value in by_hand.items():
        field_input(page, name).fill(str(value))
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    made = page.url.rsplit("/", 2)[-2]
    stored = office.shop.maker(model).get(f"{model.collection_path()}/{made}").json
    assert {name: stored[name] for name in by_hand if name in stored} == {
        name: value for name, value in by_hand.items() if name in stored
    }


@pytest.mark.parametrize("model", CHANGEABLE, **NAMED)
def test_a_record_is_changed_and_two_changes_are_settled_side_by_side(office, model):
    made, field = office.shop.make(model), changeable(model)
    path = f"{model.collection_path()}/{made['id']}"
    page = office.open(place(model, made["id"]))
    field_input(page, field.name).fill("Changed here")
    maker = office.shop.maker(model)
    assert maker.put(path, {field.name: "Changed elsewhere"}).status_code == 200
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="Somebody else has changed this record")
    expect(dialog.get_by_text("Changed elsewhere")).to_be_visible()
    dialog.get_by_role("radio").first.check()
    dialog.get_by_role("button", name="Save this").click()
    page.wait_for_url("**/show")
    assert maker.get(path).json[field.name] == "Changed here"


@pytest.mark.parametrize("model", DELETABLE, **NAMED)
def test_a_deletion_is_taken_back(office, model):
    made = office.shop.make(model)
    page = office.open(place(model, made["id"], "show"))
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    assert office.shop.maker(model).get(f"{model.collection_path()}/{made['id']}").status_code == 200

"""Records of every kind of field in the studio: entered by hand, changed, changed by two, deleted and kept.

The models are the fewest whose forms have every kind of input; they follow from the declarations.
"""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany
from tests.shapes import cover
from tests.studio.forms import CHANGEABLE, CREATABLE, changed, entered, fill, named, of_input, texts

NAMED = {"ids": lambda model: model.__name__}
ENTERED = cover(CREATABLE, lambda model: {of_input(field) for field in entered(model)})
CHANGED = cover(
    [model for model in CHANGEABLE if set(texts(model)) & set(changed(model))],
    lambda model: {of_input(field) for field in changed(model)},
)


def place(model, identifier="", action=""):
    return "/" + "/".join(filter(None, [model.qualified_name(), identifier, action]))


def alike(stored, sent):
    """The part of a record that was sent, as far as it can be read."""
    return {name: stored[name] for name in sent if name in stored}


@pytest.mark.variants
@pytest.mark.parametrize("model", ENTERED, **NAMED)
def test_what_is_entered_by_hand_is_stored(office, model):
    office.shop.make_room(model)
    body = office.shop.body(model, full=True)
    fields = {field.name: field for field in entered(model)}
    by_hand = {name: value for name, value in body.items() if name in fields}
    chosen = {name: value for name, value in body.items() if name not in fields}
    page = office.open(f"{place(model, action='create')}?source={quote(json.dumps(chosen))}")
    fill(page, fields, by_hand)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    made = page.url.rsplit("/", 2)[-2]
    stored = office.shop.maker(model).get(f"{model.collection_path()}/{made}").json
    assert alike(stored, by_hand) == {name: value for name, value in by_hand.items() if name in stored}


@pytest.mark.variants
@pytest.mark.parametrize("model", CHANGED, **NAMED)
def test_a_change_of_one_field_leaves_the_others(office, model):
    maker, path = office.shop.maker(model), model.collection_path()
    office.shop.make_room(model)
    answer = maker.post(path, office.shop.body(model, full=True))
    # Of some there is one alone that is full, such as the default of an organization.
    made = answer.json if answer.status_code == 201 else office.shop.make(model)
    before = maker.get(f"{path}/{made['id']}").json
    (text, *_) = [field for field in texts(model) if field in changed(model) and field.name in before]
    page = office.open(place(model, made["id"]))
    named(page, text.name).fill("Other")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    after = maker.get(f"{path}/{made['id']}").json
    sent = [field.name for field in changed(model)]
    assert alike(after, sent) == alike(before, sent) | {text.name: "Other"}


def test_two_changes_are_settled_side_by_side(office):
    made = office.shop.make(CrmCompany, name="Harbour Works", industry="Freight")
    path = f"{CrmCompany.collection_path()}/{made['id']}"
    page = office.open(place(CrmCompany, made["id"]))
    named(page, "name").fill("Changed here")
    elsewhere = {"name": "Changed elsewhere", "industry": "Shipping"}
    assert office.shop.owner.put(path, elsewhere).status_code == 200
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="Somebody else has changed this record")
    expect(dialog.get_by_text("Changed elsewhere")).to_be_visible()
    expect(dialog.get_by_role("radio")).to_have_count(2)
    dialog.get_by_role("radio").first.check()
    dialog.get_by_role("button", name="Save this").click()
    page.wait_for_url("**/show")
    assert alike(office.shop.owner.get(path).json, elsewhere) == {"name": "Changed here", "industry": "Shipping"}

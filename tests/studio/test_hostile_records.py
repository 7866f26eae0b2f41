"""What people write into records is text: planted in every kind of field that takes text, none of it runs in any view.
What `Value` makes of it for every model is shown in `studio/tests/values.test.tsx`."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.fields import FieldFlag
from app.engine.declare.kinds import LongText, String, Strings
from app.engine.declare.structures import Json
from app.notification.models import NotificationNotification
from tests.studio.conftest import PHONE
from tests.studio.forms import CHANGEABLE, entered, open_all, texts

MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
LINK = "[run](javascript:alert(3)) <a href='javascript:alert(4)'>x</a>"
HARMFUL = "img[src='x'], main script, a[href^='javascript'], [onerror]"
KINDS = {"string": String, "text": LongText, "strings": Strings, "json": Json}


def takers(kind):
    """The models with a field of the kind, and what it is filled with; those with most such fields first."""
    found = []
    for model in CHANGEABLE:
        fields = [field for field in entered(model) if isinstance(field.spec.kind, kind)]
        if kind in (String, LongText):
            fields = [field for field in texts(model) if field in fields]
        if planted := {field.name: markup(field) for field in fields}:
            found.append((model, planted))
    return sorted(found, key=lambda each: -len(each[1]))


def markup(field):
    kind, bounds = field.spec.kind, field.spec.kind.constraints
    text = f"{MARKUP} {LINK}"
    if isinstance(kind, Strings):
        return [text[: bounds.get("itemMaxLength", len(text))]]
    if isinstance(kind, Json):
        return [{text: text}] if bounds.get("shape") == "array" else {text: text}
    return text[: bounds.get("maxLength", len(text))]


def made(shop, kind):
    """A record that holds what is planted; rules of some fields refuse it, which is as good."""
    for model, planted in takers(kind):
        shop.make_room(model)
        answer = shop.maker(model).post(model.collection_path(), shop.body(model) | planted)
        if answer.status_code == 201:
            return model, answer.json
    raise AssertionError(f"No model takes a {kind.__name__}")


def expect_harmless(page, words="alert"):
    """Nothing of it is markup, though it is there."""
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.locator("#root")).to_contain_text(words)
    assert page.locator(HARMFUL).count() == 0


@pytest.mark.variants
@pytest.mark.parametrize("kind", KINDS)
def test_markup_in_a_field_is_shown_as_text_in_every_view(office, kind):
    model, record = made(office.shop, KINDS[kind])
    place = f"/{model.qualified_name()}"
    listed = [
        field.name
        for field in entered(model)
        if isinstance(field.spec.kind, KINDS[kind]) and FieldFlag.UNLISTED not in field.spec.flags
    ]
    page = office.open(f"{place}?columns={','.join(listed)}&sort=-createdAt")
    expect(page.locator("[role=rowgroup] [role=row] a").first).to_be_visible()
    expect_harmless(page, "alert" if listed else "")
    expect_harmless(office.open(f"{place}/{record['id']}/show"))
    page = office.open(f"{place}/{record['id']}")
    open_all(page)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_visible()
    assert page.locator(HARMFUL).count() == 0


@pytest.mark.full
def test_markup_in_a_name_is_text_wherever_a_record_is_named(desk):
    """In the trail, at what refers to it, in its tabs, in a condition, among those seen last and once it is deleted."""
    name = f"{MARKUP} {LINK}"[:120]
    company = desk.shop.make(CrmCompany, name=name)
    desk.shop.make(CrmContact, firstName=MARKUP, companyId=company["id"])
    deal = desk.shop.make(CrmDeal, name=name, companyId=company["id"])
    for path in (
        f"/crm/deal/{deal['id']}/show",
        f"/crm/deal/{deal['id']}",
        f"/crm/company/{company['id']}/show",
        f'/crm/deal?filter=[["companyId","eq","{company["id"]}"]]',
        "",
    ):
        expect_harmless(desk.open(path))
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog")).to_contain_text(MARKUP)
    expect_harmless(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("is deleted.")).to_be_visible()
    expect_harmless(page)
    for path in ("/changes", "/bin/crm/deal"):
        expect_harmless(desk.open(path))


def test_markup_on_cards_and_in_notifications_is_text(seat):
    desk = seat(**PHONE)
    desk.shop.make(CrmCompany, name=MARKUP)
    desk.shop.make(NotificationNotification, userId=str(desk.shop.owner.user_id), title=MARKUP, body=LINK)
    page = desk.open("/crm/company")
    expect_harmless(page)
    page.get_by_role("button", name="Notifications, 1 unread").click()
    expect(page.get_by_role("dialog", name="Notifications")).to_contain_text("alert")
    expect_harmless(page)

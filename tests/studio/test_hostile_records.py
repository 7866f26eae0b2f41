"""What people write into records is text: planted in every text of every model, none of it runs in any view."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.auth.models.keys import AuthApiKey
from app.engine.catalogue import every_model
from app.engine.kinds import LongText, String
from app.engine.policy import Rule
from app.engine.record import Setter

MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
LINK = "[run](javascript:alert(3)) <a href='javascript:alert(4)'>x</a>"
MODELS = [model for model in every_model() if model.policy.create is not Rule.NONE and model is not AuthApiKey]


def planted(model):
    """What every text of the model that takes it is filled with."""
    found = {}
    for field in model.fields().values():
        kind = field.spec.kind
        takes = (
            isinstance(kind, String | LongText) and not getattr(kind, "format", "") and not getattr(kind, "pattern", "")
        )
        if takes and field.set_on_create is Setter.CALLER and not field.references and not field.display:
            most = field.max_length or 10_000
            found[field.name] = f"{MARKUP} {LINK}"[:most]
    return found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_markup_in_a_record_is_shown_as_text(office, model):
    shop = office.shop
    texts = planted(model)
    body = shop.body(model)
    shop.make_room(model)
    answer = shop.maker(model).post(model.collection_path(), body | texts)
    # Some fields have rules of their own, which is as good.
    made = answer.json if answer.status_code == 201 else shop.make(model)
    place = f"/{model.qualified_name()}"
    for path in (
        place,
        f"{place}/{made['id']}/show",
        *([f"{place}/{made['id']}"] if model.policy.update is not Rule.NONE else []),
    ):
        page = office.open(path)
        expect(page.get_by_role("progressbar")).to_have_count(0)
        assert page.locator("main img[src='x'], main script, main a[href^='javascript']").count() == 0

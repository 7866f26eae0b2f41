"""The forms of models: what their inputs are made of, and how somebody fills them in by hand."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, Page, expect

from app.auth.models.keys import AuthApiKey
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import Display
from app.engine.declare.kinds import Boolean, Enum, LongText, String, Strings, Timestamp
from app.engine.declare.record import Field, Record, Setter
from app.engine.declare.scope import Rule
from app.engine.declare.structures import Json, Vector

Model = type[Record]

# Keys have pages of their own.
CREATABLE = [model for model in every_model() if model.policy.create is not Rule.NONE and model is not AuthApiKey]
CHANGEABLE = [model for model in CREATABLE if model.policy.update is not Rule.NONE]
# What stays of the name of a field in its label.
UNITS = re.compile(r" (at|ms|micros|bytes|percent|id)$")


def entered(model: Model) -> list[Field]:
    """The fields that somebody enters into a new record: references are chosen, and shown elsewhere."""
    fields = model.fields().values()
    return [field for field in fields if field.set_on_create is Setter.CALLER and not field.references]


def changed(model: Model) -> list[Field]:
    """Those of a record that is there."""
    return [field for field in entered(model) if field.set_on_update is Setter.CALLER]


def of_input(field: Field) -> tuple[Any, ...]:
    """What tells which input a field has."""
    kind = field.spec.kind
    return type(kind).__name__, field.display, field.spec.readable, isinstance(kind, Boolean) and field.nullable


def open_all(page: Page) -> None:
    """Open the inputs behind the button, where there are some."""
    more = page.get_by_role("button", name="More fields")
    if more.count():
        more.click()


def fill(page: Page, fields: Mapping[str, Field], body: Mapping[str, Any]) -> None:
    """Enter the values of a ``body`` into the inputs of its ``fields``."""
    open_all(page)
    for name, value in body.items():
        fill_one(page, fields[name], value)


def fill_one(page: Page, field: Field, value: Any) -> None:
    """Enter a value as its input takes it."""
    kind = field.spec.kind
    if field.display is Display.FILE:
        content = {"name": "plan.txt", "mimeType": "text/plain", "buffer": b64decode(value)}
        page.locator("input[type=file]").set_input_files(content)
    elif isinstance(kind, Json | Vector):
        enter_code(labelled(page, "textbox", field), json.dumps(value))
    elif isinstance(kind, Strings):
        choose_each(page, labelled(page, "combobox", field), kind, value)
    elif isinstance(kind, Enum):
        choose(page, field.name, value)
    elif isinstance(kind, Boolean) and not field.nullable:
        named(page, field.name).set_checked(value)
    elif isinstance(kind, Boolean):
        choose(page, field.name, str(value).lower())
    elif isinstance(kind, Timestamp):
        named(page, field.name).fill(value[:16])
    elif field.display is Display.MONEY:
        named(page, field.name).fill(f"{value / 100:.2f}")
    else:
        named(page, field.name).fill(str(value))


def enter_code(editor: Locator, text: str) -> None:
    """Have an editor hold ``text``, by its own keys: it may not know yet what else is marked in it, and would add."""
    editor.click()
    editor.press("ControlOrMeta+a")
    editor.page.keyboard.insert_text(text)
    expect(editor).to_have_text(text)


def named(page: Page, name: str) -> Locator:
    return page.locator(f"[name='{name}']").first


def choose(page: Page, name: str, value: str) -> None:
    """Choose the option that stands for a value."""
    page.locator(f":has(> [name='{name}'])").get_by_role("combobox").click()
    page.locator(f"[role=option][data-value='{value}']").click()


def choose_each(page: Page, input: Locator, kind: Strings, values: list[str]) -> None:
    """Have the input hold these values, of which it may hold some already."""
    if kind.items:
        input.click()
        for option in page.get_by_role("option").all():
            is_chosen = option.get_attribute("aria-selected") == "true"
            if is_chosen != (option.inner_text() in values):
                option.click()
        input.press("Escape")
        return
    for value in values:
        input.fill(value)
        input.press("Enter")


def labelled(page: Page, role: Any, field: Field) -> Locator:
    """The input by its label, which is made of the name."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", field.name).lower()
    return page.get_by_role("main").get_by_role(role, name=re.compile(f"^{UNITS.sub('', words)}", re.IGNORECASE))


def texts(model: Model) -> list[Field]:
    """The texts of a record that take any words."""
    return [
        field
        for field in entered(model)
        if isinstance(field.spec.kind, String | LongText)
        and not field.display
        and not field.spec.kind.constraints.keys() & {"format", "pattern"}
    ]

"""Writes what of the documentation follows from the code; `make tables` runs it, a test compares."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import is_dataclass
from enum import EnumType
from importlib import import_module
from itertools import groupby
from typing import Any

from app.engine.declare.dictionary import dictionary
from app.factory import create_app
from app.foundation.errors import Failure
from app.ops.public_names import public
from config import ROOT, Settings, every_setting
from docs.domain_pages import domain_page

HEADERS = ("Model", "Whose rows", "Public rows", "list, read", "create", "update", "delete")
USUAL = {"owner": "userId", "organization": "organizationId"}
SESSIONS = {"all": ", by session only", "writes": ", written by session only"}
VAR_DIR = "`var` beside the code in a checkout, in the working folder when installed"
OF_FIELDS = "Who sets and reads a field, its default, and how it is shown"
KINDS = "What `virtual` takes as its kind, with the arguments of the field function of that name"
OLDER = "Older spellings of `on_create(model, many=True)` and the like"
SAID = {
    "record_changed": "Subscribe to hear of each record that was written",
    **dict.fromkeys(("on_create_many", "on_update_many", "on_delete_many"), OLDER),
    "SYSTEM": "The service itself, for jobs and commands",
    "UNCONDITIONAL": "A write of whatever version",
    "PLAIN": "A list without conditions",
    "notification_routed": "Emitted with the unit and the notification, once it has its channels",
    "mail_concluded": "A message was sent, or is given up: the unit, its kind, its cause, and whether it was sent",
    "signed_up": "An account was made, by its person, an admin, an invitation or code: the unit and the user",
    "signed_in": "A session was opened, whichever way: the unit, the user and the session",
    "signed_out": "A person has ended a session: the unit and the session",
    "address_changed": "An account has another address: the unit, the user and the address before",
    "account_deleted": "An account is about to go: the unit and the user",
    "as_json": "The option `--json` of a command",
}
CHANGES = ("create", "update", "delete")


def policy_table() -> str:
    """Every model with its scope and who may carry out each operation; those that are alike share a row. The usual
    right, ``scope``, is left empty, so that the exceptions are seen."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for domain in dictionary()["domains"]:
        for model in domain["models"]:
            alike.setdefault(tuple(_policy_cells(model)), []).append(f"`{domain['name']}/{model['name']}`")
    rows = [HEADERS, ["---" for _ in HEADERS], *((", ".join(names), *cells) for cells, names in alike.items())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _policy_cells(model: dict[str, Any]) -> list[str]:
    scope, operations = model["scope"], model["operations"]
    columns = scope.get("path", [scope["column"]] if "column" in scope else [])
    over = " → ".join(name for name in columns if name != USUAL.get(scope["kind"]))
    opened = scope.get("publicWhen", {}).items()
    public = ", ".join(f"`{name}` {' or '.join(map(str, values))}" for name, values in opened)
    whose = f"{scope['kind']} {over}".strip() + SESSIONS.get(model.get("sessionOnly", ""), "")
    both = dict.fromkeys((operations["list"], operations["read"]))
    rights = [", ".join(both), *(operations[name] for name in CHANGES)]
    return [whose, public or inherited(scope), *("" if each == "scope" else each for each in rights)]


def inherited(scope: dict[str, Any]) -> str:
    """What a model without a public column of its own gets from its parent."""
    return "as its parent" if scope["kind"] == "parent" and scope.get("inheritsPublic", True) else ""


def settings_table() -> str:
    """Every setting with its default and what it is for."""
    rows = ["| Variable | Default | What it is for |", "| --- | --- | --- |"]
    for name, default, text in every_setting():
        shown = VAR_DIR if name == "VAR_DIR" else f"`{default}`" if default != "" else "-"
        rows.append(f"| `{name}` | {shown} | {text} |")
    return "\n".join(rows)


def openapi() -> str:
    """The description of the API, as its clients are made from it."""
    with tempfile.TemporaryDirectory() as folder:
        described_by = create_app(Settings(var_dir=folder)).test_client().get("/api/v1/openapi.json").json
    return json.dumps(described_by, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def public_names_tables() -> str:
    """Every name that plugins may use, by its package, with the first sentence of what it says of itself."""
    return "\n\n".join(f"### `{module}`\n\n{_names_table(module, names)}" for module, names in public().items())


def _names_table(module: str, names: Iterable[str]) -> str:
    rows = ["| Name | What it is for |", "| --- | --- |"]
    loaded = import_module(module)
    said = {name: _said(module, name, getattr(loaded, name)) for name in names}
    for text, same in groupby(names, said.__getitem__):
        shown = ", ".join(f"`{name}{_parameters(getattr(loaded, name))}`" for name in same)
        rows.append(f"| {shown} | {text} |")
    return "\n".join(rows)


def _said(module: str, name: str, found: Any) -> str:
    if module == "rowgate.kinds":
        return KINDS
    return SAID.get(name) or _says(found) or OF_FIELDS


def _says(found: Any) -> str:
    """The first sentence of a docstring; of a constant nothing."""
    if not (inspect.isclass(found) or inspect.isroutine(found)):
        return ""
    sentence = re.split(r"(?<=[.:;]) |(?<=[.:;])$", " ".join((found.__doc__ or "").split()))[0]
    return sentence.rstrip(".:;").replace("``", "`").replace("|", "\\|")


def _parameters(found: Any) -> str:
    """What a function takes and what an object is made of, without types; of an enumeration its members."""
    if isinstance(found, EnumType):
        return f": {', '.join(found.__members__)}"
    if not inspect.isroutine(found) and not (inspect.isclass(found) and _is_made_of_parts(found)):
        return ""
    shown, only_named = [], False
    for each in inspect.signature(found).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not only_named:
            only_named = True
            shown.append("*")
        only_named = only_named or each.kind is each.VAR_POSITIONAL
        stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        shown.append(f"{stars}{each.name}" + ("" if each.default is each.empty else "=…"))
    return f"({', '.join(shown)})"


def _is_made_of_parts(found: type) -> bool:
    return is_dataclass(found) or hasattr(found, "_fields") or issubclass(found, Failure)


# From where on a page is written here.
TABLES = {
    "authorization.md": ("\n\n| Model |", policy_table),
    "settings.md": ("\n\n| Variable |", settings_table),
    "extending.md": ("\n\n### `rowgate`", public_names_tables),
}


def pages() -> dict[str, str]:
    """Every file of the documentation that follows from the code, as it has to be: some wholly, some by their end."""
    found = {"openapi.json": openapi()}
    for name, (begin, table) in TABLES.items():
        text = (ROOT / "docs" / name).read_text().partition(begin)[0]
        found[name] = f"{text.rstrip()}\n\n{table()}\n"
    for domain in dictionary()["domains"]:
        found[f"domains/{domain['name']}.md"] = domain_page(domain)
    return found


def main() -> None:
    """Write all of them."""
    for name, text in pages().items():
        (ROOT / "docs" / name).write_text(text)


if __name__ == "__main__":
    main()

"""The page of a domain: its models with their fields, rules and rows, from the catalogue."""

from __future__ import annotations

import json
from typing import Any

from app.engine.declare.kind import ARRAY, EQUALITY, ORDER, TEXT

ACCESS = {
    "readOnly": "read only", "immutable": "set at creation", "normal": "", "writeOnly": "write only",
    "hidden": "never shown",
}  # fmt: skip
SCOPES = {
    "owner": "Rows belong to the user in `{column}`.",
    "organization": "Rows belong to the organization in `{column}`; its members share them.",
    "parent": "Rows follow the row that `{path}` names.",
    "public": "Rows belong to the service.",
    "admin": "Rows are for platform admins.",
}
DEFAULTS = {
    "$caller.userId": "the caller", "$caller.organizationId": "the caller's organization",
    "$caller.defaultBucketId": "the caller's bucket", "$derived": "derived", "$generated": "generated", "$now": "now",
    "$now+PT1H": "in an hour", "$now+P7D": "in 7 days", "$now+P90D": "in 90 days",
}  # fmt: skip

# The operators that fields take together, by the word for them.
GROUPS = {"array": ARRAY, "equality": EQUALITY, "order": ORDER, "text": TEXT}

NOTE = (
    "Generated from the models (`make tables`); who may do what stands side by side in "
    "[authorization](../authorization.md)."
)
LEGEND = "The column Lists says how [lists](../queries.md) ask by a field: "


def domain_page(domain: dict[str, Any]) -> str:
    """The whole page, in Markdown."""
    groups = "; ".join(f"{name} is `{' '.join(operators)}`" for name, operators in GROUPS.items())
    sections = [f"# {domain['name']}", f"{domain['summary']}\n{NOTE}", f"{LEGEND}{groups}; sort is a sort key."]
    sections += [_model(domain["name"], model) for model in domain["models"]]
    return "\n\n".join(sections) + "\n"


def _model(domain: str, model: dict[str, Any]) -> str:
    parts = [f"## {domain}/{model['name']}", f"`{model['path']}`: {model['summary']}", _rows(model)]
    if states := _states(model):
        parts.append(states)
    parts.append(_fields(model))
    parts += [told for told in (_relations(model), _search(model)) if told]
    if rules := [f"`{'`, `'.join(_named(each))}`" for each in model.get("unique", [])]:
        parts.append(f"Unique together: {'; '.join(rules)}.")
    return "\n\n".join(parts)


def _named(rule: Any) -> list[str]:
    return list(rule["fields"] if isinstance(rule, dict) else rule)


def _rows(model: dict[str, Any]) -> str:
    scope = model["scope"]
    said = SCOPES[scope["kind"]].format(column=scope.get("column", ""), path=" → ".join(scope.get("path", [])))
    for name, values in scope.get("publicWhen", {}).items():
        said += f" Everybody reads those whose `{name}` is {' or '.join(f'`{value}`' for value in values)}."
    allowed = ", ".join(_operation(name, rule) for name, rule in model["operations"].items() if rule != "none")
    said += f" Operations: {allowed or 'none'}."
    if note := model.get("operationsNote"):
        said += f" {note[:1].upper()}{note[1:]}."
    return said


def _operation(name: str, rule: str) -> str:
    return name if rule == "scope" else f"{name} ({rule})"


def _states(model: dict[str, Any]) -> str:
    lines = []
    for field, moves in model.get("transitions", {}).items():
        told = "; ".join(f"{state} → {', '.join(following) or 'nothing'}" for state, following in moves.items())
        lines.append(f"`{field}` moves: {told}.")
    return "\n".join(lines)


def _fields(model: dict[str, Any]) -> str:
    rows = ["| Field | Type | Access | Default | Lists | Rules |", "| --- | --- | --- | --- | --- | --- |"]
    for field in model["fields"]:
        cells = [f"`{field['name']}`", _type(field), _access(field), _default(field), _lists(field), _rules(field)]
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)


def _relations(model: dict[str, Any]) -> str:
    told = []
    for many, words in ((False, "to one"), (True, "to many")):
        named = [f"`{each['name']}` → {each['model']}" for each in model["relations"] if each["many"] is many]
        told += [f"Relations {words}: {', '.join(named)}."] if named else []
    return "\n\n".join(told)


def _search(model: dict[str, Any]) -> str:
    fields = [f"`{name}`" for name in model.get("searchable", [])]
    return f"Searched by the words in {', '.join(fields)}." if fields else ""


def _type(field: dict[str, Any]) -> str:
    kind = field["type"]
    if kind.startswith("enum["):
        kind = "one of " + ", ".join(f"`{value}`" for value in kind[5:-1].split(","))
    return f"{kind} or null" if field["nullable"] else kind


def _access(field: dict[str, Any]) -> str:
    told = ["required"] if field["required"] else []
    told += [ACCESS[field["access"]]] if ACCESS[field["access"]] else []
    for name, text in (("readableBy", "read by"), ("writableBy", "written by")):
        told += [f"{text} {field[name]}"] if name in field else []
    told += ["not in lists"] if not field["listed"] else []
    return ", ".join(told)


def _default(field: dict[str, Any]) -> str:
    if "default" not in field:
        return ""
    value = field["default"]
    return DEFAULTS[value] if isinstance(value, str) and value in DEFAULTS else f"`{json.dumps(value)}`"


def _lists(field: dict[str, Any]) -> str:
    """The operators that lists take for it, by the word for several, and whether it is a sort key."""
    left, told = field.get("operators", []), []
    for name, operators in GROUPS.items():
        if set(operators) <= set(left):
            told.append(name)
            left = [each for each in left if each not in operators]
    return ", ".join([*told, *(f"`{each}`" for each in left), *(["sort"] if field["sortable"] else [])])


def _rules(field: dict[str, Any]) -> str:
    told = [f"{name} {_plain(value)}" for name, value in field.get("constraints", {}).items()]
    if target := field.get("references"):
        told.append(f"refers to `{target['model']}` (on its removal: {target['onDelete']})")
    told += ["unique"] if field["unique"] else []
    told += [field["note"]] if "note" in field else []
    return "; ".join(told)


def _plain(value: Any) -> str:
    return f"`{json.dumps(value)}`" if isinstance(value, str | list | dict | bool) else str(value)

"""Adaptive Cards: version 1.2 with fallbacks, so that every Teams client renders them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.engine.write.hooks import require

VERSION = "1.2"
SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"
SUPPORTED = re.compile(r"1\.[0-6]")
MAX_DEPTH, MAX_ELEMENTS = 20, 500
# What clients of version 1.2 know. Everything else gets a fallback.
KNOWN = {
    "AdaptiveCard", "TextBlock", "Image", "ImageSet", "Container", "ColumnSet", "Column", "FactSet", "Media",
    "RichTextBlock", "TextRun", "ActionSet", "Input.Text", "Input.Number", "Input.Date", "Input.Time", "Input.Toggle",
    "Input.ChoiceSet", "Action.OpenUrl", "Action.Submit", "Action.ShowCard", "Action.ToggleVisibility",
}  # fmt: skip
# The fallback of a table covers its rows and cells.
WITHIN_TABLES = {"TableRow", "TableCell"}
LISTS = ("body", "actions", "items", "columns", "cards", "inlines", "images")
SINGLES = ("card", "inlineAction", "selectAction")

Json = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """A card that is ready to be sent, and what was changed about it, in words."""

    content: Json
    warnings: tuple[str, ...] = ()


def prepared(data: Any, message: str, *, keep_version: bool = False) -> Card:
    """Prepare ``cardData``; what is no card is data, shown as facts under the message. Raises Invalid."""
    require(isinstance(data, dict), "cardData", "Must be a JSON object.")
    if data.get("type") != "AdaptiveCard":
        return Card(_of_facts(data, message))
    version = data.get("version", VERSION)
    is_known = isinstance(version, str) and bool(SUPPORTED.fullmatch(version))
    require(is_known, "cardData", "version must be 1.0 to 1.6.")
    require(not keep_version or bool(data.get("fallbackText")), "cardData", "A newer version needs a fallbackText.")
    newer = [each["type"] for each in _elements(data) if _is_newer(each)]
    content = data if keep_version else _with_fallbacks(data)
    content = {"$schema": SCHEMA, **content, "fallbackText": data.get("fallbackText") or message}
    content["version"] = version if keep_version else min(version, VERSION)
    warned = "{} is newer than version 1.2; older clients show its fallback"
    return Card(content, tuple(warned.format(name) for name in dict.fromkeys(newer)))


def _is_newer(element: Json) -> bool:
    return isinstance(element.get("type"), str) and element["type"] not in KNOWN | WITHIN_TABLES


def _of_facts(data: Mapping[str, Any], message: str) -> Json:
    scalars = {name: value for name, value in data.items() if isinstance(value, str | int | float | bool)}
    facts = [{"title": name, "value": str(value)} for name, value in scalars.items()]
    body: list[Json] = [{"type": "TextBlock", "text": message, "wrap": True}]
    if facts:
        body.append({"type": "FactSet", "facts": facts[:MAX_ELEMENTS]})
    return {"$schema": SCHEMA, "type": "AdaptiveCard", "version": VERSION, "body": body, "fallbackText": message}


def _elements(card: Json) -> Iterator[Json]:
    """Every element and action of a card; raises Invalid for too many, or too deep."""
    waiting, count = [(card, 1)], 0
    while waiting:
        element, depth = waiting.pop(0)
        count += 1
        fits = count <= MAX_ELEMENTS and depth <= MAX_DEPTH
        require(fits, "cardData", f"At most {MAX_ELEMENTS} elements, {MAX_DEPTH} levels deep.")
        if element is not card:
            yield element
        waiting += [(each, depth + 1) for each in _children(element)]


def _children(element: Json) -> Iterator[Json]:
    for name in (*LISTS, "rows", "cells"):
        yield from _objects(element.get(name))
    for name in SINGLES:
        if isinstance(element.get(name), dict):
            yield element[name]


def _objects(value: Any) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _with_fallbacks(element: Json) -> Json:
    """A copy in which every newer element has a fallback of version 1.2."""
    copy = dict(element)
    for name in LISTS:
        if isinstance(copy.get(name), list):
            copy[name] = [part for each in copy[name] for part in _listed(each, name)]
    for name in SINGLES:
        if isinstance(copy.get(name), dict):
            copy[name] = _with_fallbacks(copy[name])
    if _is_newer(copy):
        copy["fallback"] = copy.get("fallback") or _fallback(copy)
    return _in_set(copy) if copy.get("type") == "AdaptiveCard" else copy


def _in_set(card: Json) -> Json:
    """The card with its own actions in a set at its end, where one of them has a fallback that matters."""
    actions = _objects(card.get("actions"))
    if not any(each.get("type") == "Action.Execute" for each in actions):
        return card
    rest = {name: value for name, value in card.items() if name != "actions"}
    return {**rest, "body": [*_objects(card.get("body")), {"type": "ActionSet", "actions": actions}]}


def _listed(each: Any, where: str) -> list[Any]:
    if not isinstance(each, dict):
        return [each]
    copy = _with_fallbacks(each)
    # Older clients heed the fallback of an action only within an ActionSet.
    if copy.get("type") == "Action.Execute" and where in ("body", "items"):
        return [{"type": "ActionSet", "actions": [copy]}]
    if str(copy.get("type", "")).startswith("Input.") and isinstance(copy.get("label"), str):
        return [{"type": "TextBlock", "text": copy["label"], "wrap": True}, copy]
    return [copy]


def _fallback(element: Json) -> Any:
    if element["type"] == "Table":
        return _columns(element)
    if element["type"] == "Action.Execute":
        data = element["data"] if isinstance(element.get("data"), dict) else {}
        sent = {**data, "verb": element.get("verb")}
        return {"type": "Action.Submit", "title": element.get("title", ""), "data": sent}
    text = element.get("text") or element.get("title")
    return {"type": "TextBlock", "text": text, "wrap": True} if isinstance(text, str) and text else "drop"


def _columns(table: Json) -> Any:
    """A table as rows of columns."""
    rows = []
    for row in _objects(table.get("rows")):
        columns = [
            {"type": "Column", "width": "stretch", "items": list(map(_with_fallbacks, _objects(cell.get("items"))))}
            for cell in _objects(row.get("cells"))
        ]
        rows.append({"type": "ColumnSet", "columns": columns})
    return {"type": "Container", "items": rows} if rows else "drop"

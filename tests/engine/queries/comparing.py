"""How the contract compares, orders, folds and groups values, in plain Python."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from app.engine.declare.record import Record

Model = type[Record]


def total(values: list[Any]) -> Any:
    filled = [value for value in values if value is not None]
    return sum(filled) if filled else None


def truncated(moment: datetime, unit: str, zone: ZoneInfo) -> str:
    local = moment.astimezone(zone).replace(minute=0, second=0, microsecond=0)
    if unit != "hour":
        local = local.replace(hour=0)
    if unit == "week":
        local = local.fromordinal(local.toordinal() - local.weekday()).replace(tzinfo=zone)
    if unit in ("month", "quarter", "year"):
        local = local.replace(day=1)
    if unit in ("quarter", "year"):
        local = local.replace(month=1 if unit == "year" else (local.month - 1) // 3 * 3 + 1)
    text = local.isoformat(timespec="milliseconds")
    return text[:-6] + "Z" if zone.key == "UTC" else text


def attribute_of(model: Model, name: str) -> str:
    return names_of(model)[name]


def names_of(model: Model) -> dict[str, str]:
    return {
        field.name: field.attribute
        for field in model.fields().values()
        if field.column is not None and field.spec.readable
    }


def is_equality(value: Any) -> bool:
    return (not isinstance(value, dict) and value is not None) or (
        isinstance(value, dict) and "eq" in value and value["eq"] is not None
    )


def compare(model: Model, attribute: str, stored: Any, operator: str, wanted: Any) -> bool:
    """Two-valued: an empty value meets isNull, ne and nin alone."""
    if operator == "isNull":
        return (stored is None) == wanted
    if operator in ("eq", "ne", "in", "nin"):
        values = wanted if isinstance(wanted, list) else [wanted]
        is_among = stored in [None if value is None else parsed(stored, value) for value in values]
        return is_among == (operator in ("eq", "in"))
    if stored is None:
        return False
    if operator == "is":
        return bool(stored == wanted)
    if operator in ("contains", "startsWith", "endsWith"):
        text, part = lowered(stored), lowered(wanted)
        return {"contains": part in text, "startsWith": text.startswith(part), "endsWith": text.endswith(part)}[
            operator
        ]
    one, other = ordered_value(stored), ordered_value(parsed(stored, wanted))
    return {"gt": one > other, "gte": one >= other, "lt": one < other, "lte": one <= other}[operator]


def parsed(stored: Any, wanted: Any) -> Any:
    """What is asked for, as it is stored."""
    if isinstance(stored, datetime):
        return datetime.fromisoformat(wanted)
    return type(stored)(wanted) if stored is not None and isinstance(wanted, str) else wanted


def lowered(text: str) -> str:
    """Lower case, character by character, as PostgreSQL's C.UTF-8 has it."""
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def ordered_value(value: Any) -> Any:
    return (lowered(value), value) if isinstance(value, str) else value


def words(text: str) -> list[str]:
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return [lowered(word) for word in re.findall(r"[^\W_]+", bare)]


def wire(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value if value is None or isinstance(value, (bool, int, float, str, list, dict)) else str(value)

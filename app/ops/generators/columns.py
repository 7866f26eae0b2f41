"""A column as somebody asks for it, ``price:money`` or ``state:enum(open,done)=open``, as the line of a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from keyword import iskeyword

from app.engine.declare.record import Record

ASKED = re.compile(
    r"(?P<name>[a-z][a-z0-9_]*):(?P<type>[a-z_]+)(\((?P<given>[^()]*)\))?(?P<null>\?)?(=(?P<default>.*))?"
)
# Longer lines are broken as formatters do.
WIDTH = 110
NUMBER = re.compile(r"-?[0-9]+([.][0-9]+)?")


class Misread(Exception):
    """What is asked for is no column, and why."""


@dataclass(frozen=True)
class Type:
    """What a type becomes: the function of ``rowgate`` and its arguments, the type in Python, and the module that has
    ``names`` of it; ``flags`` say what it is asked by."""

    function: str
    python: str
    flags: tuple[str, ...] = ("FILTERABLE", "SORTABLE")
    module: str = ""
    names: tuple[str, ...] = ()
    # How many arguments it takes.
    most: int = 0
    arguments: Callable[[Sequence[str]], str] = lambda given: ""


def _lengths(usual: int) -> Callable[[Sequence[str]], str]:
    return lambda given: f"min=1, max={_whole(given[0]) if given else usual}"


def _bounds(given: Sequence[str]) -> str:
    low, high = map(_whole, given if len(given) == 2 else ("0", *given, "1000000")[:2])
    if low > high:
        raise Misread(f"{low} is above {high}")
    return f"min={low}, max={high}"


def _digits(given: Sequence[str]) -> str:
    precision, scale = map(_whole, given or ("12", "2"))
    if not 0 <= scale <= precision <= 50:
        raise Misread("decimal wants digits, and how many of them are behind the point: decimal(12,2)")
    return f"precision={precision}, scale={scale}"


def _texts(given: Sequence[str]) -> str:
    if not given or len({*given}) < len(given):
        raise Misread("enum wants its values, each once: state:enum(open,done)")
    return ", ".join(f'"{each}"' for each in map(_word, given))


def _quoted(given: Sequence[str]) -> str:
    if len(given) != 1:
        raise Misread("slug, sequence and position want a column: slug:slug(name), rank:position(list_id)")
    return f'"{_word(given[0])}"'


def _whole(text: str) -> int:
    if not NUMBER.fullmatch(text) or "." in text or len(text) > 15:
        raise Misread(f"{text} is no whole number")
    return int(text)


def _word(text: str) -> str:
    if not re.fullmatch(r"[\w-]+", text):
        raise Misread(f"{text} is no word")
    return text


FILTERED = ("FILTERABLE",)
MOST_BYTES = "max_bytes=10 * 1024 * 1024"
# Those that name rows, and those that are made of another column, which stands before their flags.
REFERRING, FILES = ("belongs_to", "file", "image"), ("file", "image")
MADE = ("slug", "sequence", "position")
TYPES = {
    "string": Type("string", "str", most=1, arguments=_lengths(200)),
    "long_text": Type("long_text", "str", (), most=1, arguments=_lengths(20_000)),
    "integer": Type("integer", "int", most=2, arguments=_bounds),
    "number": Type("number", "float"),
    "decimal": Type("decimal", "Decimal", module="decimal", names=("Decimal",), most=2, arguments=_digits),
    "money": Type("money", "dict[str, str]"),
    "boolean": Type("boolean", "bool", FILTERED),
    "timestamp": Type("timestamp", "datetime", module="datetime", names=("datetime",)),
    "day": Type("day", "date", module="datetime", names=("date",)),
    "time_of_day": Type("time_of_day", "time", module="datetime", names=("time",)),
    "duration": Type("duration", "timedelta", module="datetime", names=("timedelta",)),
    "enum": Type("enum", "str", FILTERED, most=100, arguments=_texts),
    "country": Type("country", "str", FILTERED),
    "language": Type("language", "str", FILTERED),
    "currency": Type("currency", "str", FILTERED),
    "color": Type("color", "str", FILTERED),
    "ip_address": Type(
        "ip_address", "IPv4Address | IPv6Address", FILTERED, "ipaddress", ("IPv4Address", "IPv6Address")
    ),
    "ip_network": Type(
        "ip_network", "IPv4Network | IPv6Network", FILTERED, "ipaddress", ("IPv4Network", "IPv6Network")
    ),
    "point": Type("point", "dict[str, float]", FILTERED),
    "strings": Type("strings", "list[str]", FILTERED, arguments=lambda given: "max_items=20, item_max=100"),
    "json": Type("json", "dict[str, Any]", (), "typing", ("Any",), arguments=lambda given: 'shape="object"'),
    "file": Type("file", "UUID", FILTERED, "uuid", ("UUID",), arguments=lambda given: MOST_BYTES),
    "image": Type("image", "UUID", FILTERED, "uuid", ("UUID",), arguments=lambda given: MOST_BYTES),
    "encrypted": Type(
        "encrypted", "str", (), most=1, arguments=lambda given: f"max={_whole(given[0]) if given else 200}"
    ),
    "position": Type("position", "Decimal", (), "decimal", ("Decimal",), most=1, arguments=_quoted),
    "slug": Type("slug", "str", (), most=1, arguments=_quoted),
    "sequence": Type("sequence", "int", (), most=1, arguments=_quoted),
}


@dataclass(frozen=True)
class Column:
    """The line of a column, and the names that it takes from each module."""

    attribute: str
    text: str
    imports: dict[str, tuple[str, ...]]


def read(asked: str, table_of: Callable[[str], str], *, has_rows: bool = False) -> Column:
    """Read a column; ``table_of`` finds the table of a model that one belongs to. With ``has_rows`` the rows that are
    there have to have a value of it. Raises Misread."""
    found = ASKED.fullmatch(asked)
    if found is None:
        raise Misread(f"{asked} is no column: write name:type, such as title:string, note:long_text?, count:integer=0")
    name, kind, default = found["name"], found["type"], found["default"]
    is_nullable = bool(found["null"]) or kind in (*FILES, "encrypted")
    given = [part.strip() for part in found["given"].split(",")] if found["given"] else []
    _check_arguments(kind, given)
    attribute = f"{name.removesuffix('_id')}_id" if kind in REFERRING else name
    _check_name(attribute)
    if kind == "belongs_to":
        if default is not None:
            raise Misread("belongs_to has no default")
        return _reference(attribute, given[0] if given else name, table_of, is_nullable=is_nullable or has_rows)
    if has_rows and not is_nullable and (default is None or kind in MADE):
        raise Misread(f"Rows that are there have no {name}: write {name}:{kind}? or, with a value, {name}:{kind}=…")
    return _column(attribute, TYPES[kind], given, default, is_nullable=is_nullable, has_rows=has_rows)


def _check_arguments(kind: str, given: Sequence[str]) -> None:
    if kind != "belongs_to" and kind not in TYPES:
        raise Misread(f"{kind} is no type: there are belongs_to, {', '.join(TYPES)}")
    most = 1 if kind == "belongs_to" else TYPES[kind].most
    if len(given) > most or (kind == "decimal" and len(given) == 1):
        raise Misread(f"{kind} takes {most or 'no'} arguments")


def _check_name(attribute: str) -> None:
    if iskeyword(attribute) or attribute == "organization_id" or hasattr(Record, attribute):
        raise Misread(f"{attribute} is no name of a column: models have it already")
    if attribute in {"segment", "domain", "policy", *(each.function for each in TYPES.values())}:
        raise Misread(f"{attribute} is no name of a column: in the class, it would stand for something else")


def _column(
    name: str, of: Type, given: Sequence[str], default: str | None, *, is_nullable: bool, has_rows: bool
) -> Column:
    arguments = of.arguments(given)
    # Their first arguments come before flags.
    leads = of.function in ("enum", *MADE)
    parts = [arguments] if leads else [*of.flags, *[arguments] * bool(arguments)]
    if of.function == "enum":
        parts.append("flags=(FILTERABLE,)")
    if default is not None:
        value = _literal(default, of, given)
        parts.append(f"default={value}")
        parts += [f'server_default="{default}"'] * has_rows
    python = f"{of.python} | None" if is_nullable else of.python
    imports = {"rowgate": (of.function, *(flag for flag in of.flags or FILTERED if flag in "".join(parts)))}
    imports |= {of.module: of.names} if of.module else {}
    return Column(name, _line(name, python, of.function, parts), imports)


def _literal(text: str, of: Type, given: Sequence[str]) -> str:
    """A default as Python has it, which the field takes."""
    if of.function == "boolean":
        if text not in ("true", "false"):
            raise Misread(f"{text} is neither true nor false")
        return text.capitalize()
    if of.function == "integer":
        low, high = map(int, re.findall(r"-?[0-9]+", _bounds(given)))
        if not low <= _whole(text) <= high:
            raise Misread(f"{text} is not from {low} to {high}")
        return str(_whole(text))
    if of.function == "number":
        if not NUMBER.fullmatch(text):
            raise Misread(f"{text} is no number")
        return str(float(text))
    if of.function == "enum" and text not in given:
        raise Misread(f"{text} is none of {', '.join(given)}")
    if of.function == "string" and len(text) > int(given[0] if given else 200):
        raise Misread(f"{text} is longer than the column")
    if of.function not in ("string", "long_text", "enum"):
        raise Misread(f"A default of {of.function} is written by hand: leave it out")
    return f'"{_word(text)}"'


def _reference(attribute: str, target: str, table_of: Callable[[str], str], *, is_nullable: bool) -> Column:
    on_delete, python = ("set null", "UUID | None") if is_nullable else ("cascade", "UUID")
    parts = [f'"{table_of(target.removesuffix("_id"))}"', f'"{on_delete}"', "FILTERABLE"]
    imports = {"rowgate": ("reference", "FILTERABLE"), "uuid": ("UUID",)}
    return Column(attribute, _line(attribute, python, "reference", parts), imports)


def _line(name: str, python: str, function: str, parts: Sequence[str]) -> str:
    line = f"{name}: Mapped[{python}] = {function}({', '.join(parts)})"
    return line if len(line) <= WIDTH else f"{name}: Mapped[{python}] = {function}(\n    {', '.join(parts)}\n)"

"""Pieces of the text of ``rowgate_client/models.py``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from description import Schema, types_of

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEAD = '''"""What can be asked of each model, and what comes back. Generated from the description of the API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Never, NotRequired, TypedDict, overload

from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.records import Collection, Count, GuidePage, Page, Sums
'''
WALKED = """\
where: {name}Where | None = None, search: str | None = None, sort: Sequence[{name}Sort] | None = None,
        expand: Sequence[{name}Path] | {name}Expand | None = None, take: int | None = None,"""
LISTS = '''\
class {name}Lists(Collection):
    """The list of {name}."""

    @overload
    def list(
        self, *, WALKED
        skip: int | None = None, cursor: str | None = None, count: Count | None = None,
    ) -> {page}[{name}Record]: ...

    @overload
    def list(
        self, *, fields: Sequence[{name}Field], WALKED
        skip: int | None = None, cursor: str | None = None, count: Count | None = None,
    ) -> {page}[{name}Part]: ...

    def list(self, **query: Any) -> Any:
        """A page of the list; with ``fields``, of records that hold these and ``id`` alone."""
        return self._page(query)

    @overload
    def each(
        self, *, WALKED
    ) -> Iterator[{name}Record]: ...

    @overload
    def each(
        self, *, fields: Sequence[{name}Field], WALKED
    ) -> Iterator[{name}Part]: ...

    def each(self, **query: Any) -> Iterator[Any]:
        """Every record of the list, ``take`` at once; one that is there throughout comes exactly once."""
        return self._walk(query)
'''.replace("WALKED", WALKED)
RECORDS = '''\
class {name}Records({name}Lists):
    """The records of {name}: its list, each of them, and sums over them."""

    @overload
    def get(self, id: str, *, expand: Sequence[{name}Path] | None = None) -> {name}Record: ...

    @overload
    def get(
        self, id: str, *, fields: Sequence[{name}Field], expand: Sequence[{name}Path] | None = None
    ) -> {name}Part: ...

    def get(self, id: str, **wanted: Any) -> Any:
        """One record; with ``fields``, these and ``id`` alone."""
        return self._one(id, wanted)

    def sum(
        self, *, group: Sequence[{name}Group | {name}Span] = (), measures: {name}Measures | None = None,
        where: {name}Where | None = None, search: str | None = None, sort: Sequence[{name}SumSort] | None = None,
        take: int | None = None, time_zone: str | None = None,
    ) -> Sums[{name}Sum]:
        """Groups of the records of the list with measures of each; how many there are where none is named."""
        found: Sums[{name}Sum] = self._sums({{
            "group": [*group], "measures": measures, "where": where, "search": search, "sort": sort, "take": take,
            "timeZone": time_zone,
        }})
        return found
'''


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def literal(names: Iterable[str]) -> str:
    """The type of one of ``names``."""
    found = ", ".join(json.dumps(name) for name in names)
    return f"Literal[{found}]" if found else "Never"


def typed_dict(name: str, members: Mapping[str, str], *, total: bool = True) -> str:
    """A TypedDict in the form that takes keys such as ``in`` and ``company.name``."""
    lines = "".join(f"    {json.dumps(key)}: {json.dumps(kind)},\n" for key, kind in members.items())
    return f"{name} = TypedDict({json.dumps(name)}, {{\n{lines}}}{'' if total else ', total=False'})"


def alias(name: str, kind: str) -> str:
    return f"{name} = {kind}"


def descending(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from (name, f"-{name}")


def value(schema: Schema) -> str:
    """The type of a value of ``schema``."""
    nothing = ["None"] if "null" in types_of(schema) else []
    if "enum" in schema:
        return " | ".join([literal(each for each in schema["enum"] if each is not None), *nothing])
    found = []
    for kind in types_of(schema):
        if kind == "array":
            found.append(f"list[{value(schema['items'])}]")
        else:
            found.append("dict[str, Any]" if kind == "object" else PLAIN[kind])
    return " | ".join(found) or "Any"


def called(domain: str) -> str:
    return "".join(pascal(part) for part in domain.split("_")) + "Domain"


def holder(name: str, says: str, lines: Iterable[str]) -> str:
    """A class whose objects hold what ``lines`` assign."""
    body = "\n".join(f"        {line}" for line in lines)
    head = f'class {name}:\n    """{says}"""\n\n    def __init__(self, client: AuthenticatedClient | Client) -> None:'
    return f"{head}\n{body}\n"

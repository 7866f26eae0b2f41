"""Pieces of the text of ``rowgate_client/models.py``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from description import Schema, name_of, types_of

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEAD = '''"""What can be asked of each model, and what comes back. Generated from the description of the API."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Never, NotRequired, TypedDict, overload

from rowgate_client.access import Access
from rowgate_client.batch import Batching
from rowgate_client.changes import DeletedRecord, Log, Version
from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.records import Collection, Count, GuidePage, Page, SearchMode, Sums
from rowgate_client.writing import Target, Upserted
'''
WALKED = """\
where: {name}Where | None = None, search: str | None = None, sort: Sequence[{name}Sort] | None = None,
        expand: Sequence[{name}Path] | {name}Expand | None = None, take: int | None = None,
        versions: bool | None = None, time_zone: str | None = None,"""
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
# Of models whose lists a search ranks.
RANKED = '''
    @overload
    def ranked(
        self, search: str, mode: SearchMode = "hybrid", *, where: {name}Where | None = None,
        expand: Sequence[{name}Path] | {name}Expand | None = None, take: int | None = None,
        versions: bool | None = None,
    ) -> {page}[{name}Ranked]: ...

    @overload
    def ranked(
        self, search: str, mode: SearchMode = "hybrid", *, fields: Sequence[{name}Field],
        where: {name}Where | None = None, expand: Sequence[{name}Path] | {name}Expand | None = None,
        take: int | None = None, versions: bool | None = None,
    ) -> {page}[{name}RankedPart]: ...

    def ranked(self, search: str, mode: SearchMode = "hybrid", **query: Any) -> Any:
        """The records that answer a search best, by its words and its meaning; each has its ``score``."""
        return self._page({{"search": search, "searchMode": mode, **query}})
'''
RECORDS = '''\
class {name}Records({name}Lists):
    """The records of {name}: its list, each of them, and sums over them."""

    @overload
    def get(
        self, id: str, *, expand: Sequence[{name}Path] | None = None, as_of: datetime | None = None
    ) -> {name}Record: ...

    @overload
    def get(
        self, id: str, *, fields: Sequence[{name}Field], expand: Sequence[{name}Path] | None = None,
        as_of: datetime | None = None,
    ) -> {name}Part: ...

    def get(self, id: str, **wanted: Any) -> Any:
        """One record, with ``as_of`` as it was then; with ``fields``, these and ``id`` alone."""
        return self._one(id, wanted)

    @overload
    def export(
        self, *, where: {name}Where | None = None, search: str | None = None, sort: Sequence[{name}Sort] | None = None,
        time_zone: str | None = None,
    ) -> Iterator[{name}Record]: ...

    @overload
    def export(
        self, *, fields: Sequence[{name}Field], where: {name}Where | None = None, search: str | None = None,
        sort: Sequence[{name}Sort] | None = None, time_zone: str | None = None,
    ) -> Iterator[{name}Part]: ...

    def export(self, **query: Any) -> Iterator[Any]:
        """Every record of the list as it was at one moment, while it comes. Raises what breaks it off."""
        return self._export(query)

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
# By what is kept of a model, and can be written.
WRITES = {
    "history": '''
    def history(self, id: str) -> Iterator[Version[{name}Field, {name}Values]]:
        """The versions of a record, newest first."""
        return self._logged(f"{{self._item(id)}}/_history")
''',
    "deleted": '''
    def deleted(self) -> Iterator[DeletedRecord[{name}Values]]:
        """What the caller could have deleted, the latest first."""
        return self._logged(f"{{self._path}}/_deleted")
''',
    "revert": '''
    def revert(self, target: Target, version: int, *, idempotency_key: str | None = None) -> {name}Record:
        """Write the values that a version had, as a change like any other; gives the record as it is then."""
        changed: {name}Record = self._revert(target, version, idempotency_key)
        return changed
''',
    "restore": '''
    def restore(self, id: str, *, idempotency_key: str | None = None) -> {name}Record:
        """Bring a deleted record back, with what was deleted along with it."""
        restored: {name}Record = self._restore(id, idempotency_key)
        return restored
''',
    "create": '''
    def create(self, record: {name}Draft, *, idempotency_key: str | None = None) -> {name}Record:
        """Make a record."""
        made: {name}Record = self._create(record, idempotency_key)
        return made

    def create_many(
        self, records: Sequence[{name}Draft], *, idempotency_key: str | None = None
    ) -> builtins.list[{name}Record]:
        """Make records; gives them in the order given."""
        made: builtins.list[{name}Record] = self._create_many(records, idempotency_key)
        return made
''',
    "upsert": '''
    def upsert(
        self, records: Sequence[{name}Draft], *, on_conflict: {unique},
        resolution: Literal["merge", "ignore"] | None = None, idempotency_key: str | None = None,
    ) -> Upserted[{name}Record]:
        """Make records; those that are there already by the unique rule are changed, or with ``ignore`` left."""
        by = {{"onConflict": on_conflict, "resolution": resolution}}
        done: Upserted[{name}Record] = self._upsert(records, by, idempotency_key)
        return done
''',
    "update": '''
    def update(
        self, target: Target, changes: {name}Changes, *, idempotency_key: str | None = None
    ) -> {name}Record:
        """Change a record; given the record instead of its id, only while nobody else has changed it."""
        changed: {name}Record = self._update(target, changes, idempotency_key)
        return changed

    def update_many(
        self, changes: Sequence[tuple[Target, {name}Changes]], *, idempotency_key: str | None = None
    ) -> builtins.list[{name}Record]:
        """Change records; gives them in the order given."""
        changed: builtins.list[{name}Record] = self._update_many(changes, idempotency_key)
        return changed

    def update_matching(
        self, *, where: {name}Where, set: {name}Changes, max: int, dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> int:
        """Change the records that match, ``max`` at most, or with ``dry_run`` count them; gives how many these are."""
        body = {{"where": where, "set": set, "max": max, "dryRun": dry_run}}
        return self._matching("update", body, idempotency_key)

    def modify(self, id: str, change: Callable[[{name}Record], {name}Changes | None]) -> {name}Record:
        """Read a record, change it by what ``change`` says of it, and do both again while others change it meanwhile;
        gives the record as it is then. Nothing is written where ``change`` gives nothing."""
        changed: {name}Record = self._modify(id, change)
        return changed
''',
    "delete": '''
    def delete(self, target: Target, *, idempotency_key: str | None = None) -> None:
        """Delete a record; given the record instead of its id, only while nobody else has changed it."""
        self._delete(target, idempotency_key)

    def delete_many(self, ids: Sequence[str], *, idempotency_key: str | None = None) -> int:
        """Delete records; gives how many these were."""
        return self._delete_many(ids, idempotency_key)

    def delete_matching(
        self, *, where: {name}Where, max: int, dry_run: bool = False, idempotency_key: str | None = None
    ) -> int:
        """Delete the records that match, ``max`` at most, or with ``dry_run`` count them; gives how many these are."""
        return self._matching("delete", {{"where": where, "max": max, "dryRun": dry_run}}, idempotency_key)
''',
}
KEYED = '''"""The paths that take an idempotency key. Generated from the description of the API."""

import re

KEYED = {{
{lines}
}}
'''


def keyed_module(paths: Mapping[str, Sequence[str]]) -> str:
    """The text of ``rowgate_client/keyed.py``; the service may lie under a path of its own."""
    lines = []
    for method, templates in paths.items():
        patterns = (re.sub(r"\{\w+\}", "[^/_][^/]*", each) for each in templates)
        lines.append(f'    {json.dumps(method)}: [re.compile(r".*({"|".join(patterns)})")],')
    return KEYED.format(lines="\n".join(lines))


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
    if "$ref" in schema:
        return name_of(schema)
    if "anyOf" in schema:
        return " | ".join(map(value, schema["anyOf"]))
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


def holder(name: str, says: str, lines: Iterable[str], base: str = "") -> str:
    """A class whose objects hold what ``lines`` assign, beside what ``base`` has."""
    lines = ["super().__init__(client)", *lines] if base else lines
    body = "\n".join(f"        {line}" for line in lines)
    head = f'class {name}({base}):\n    """{says}"""\n'
    return f"{head}\n    def __init__(self, client: AuthenticatedClient | Client) -> None:\n{body}\n"

"""Grants: what narrows a credential to some models, operations, rows and fields.

A list of grants narrows and never widens: the caller may do what the policies admit and at least one grant of every
list as well. Grants of one list add up: for each operation the caller has the rows of all grants that allow it, and of
each row the fields of all grants that the row meets. Their conditions are those of queries, compiled by the same code
into the same SQL, so that a reader with grants is another kind of reader, for which statements are compiled and kept
like for all others; the values of conditions are bound.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, bindparam, false, inspect, or_, true

from app.engine.declare.principal import Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import both, within
from app.engine.read.conditions import Source
from app.engine.read.fragments import SqlText, within_organization
from app.engine.read.query import Condition, Junction, Negation, Related, bound_as

# Operations that write, which no grant opens of auth/*.
WRITES = frozenset({"create", "update", "delete", "import"})
OPERATIONS = ("list", "read", "create", "update", "delete", "export", "import")

Model = type[Record]


@dataclass(frozen=True, eq=False)
class Grant:
    """What one grant opens: ``operations`` on rows of ``models`` that meet the condition in ``where``, and of them the
    ``fields`` (by wire name; None: all)."""

    models: tuple[Model, ...]
    operations: frozenset[str]
    fields: frozenset[str] | None = None
    where: Mapping[Model, Junction] = field(default_factory=dict)

    def opens(self, model: Model, operation: str) -> bool:
        return operation in self.operations and model in self.models

    def shows(self, name: str) -> bool:
        return self.fields is None or name in self.fields

    def is_whole(self, model: Model) -> bool:
        """Whether it allows every row of ``model`` with all fields."""
        return self.fields is None and model not in self.where

    @cached_property
    def key(self) -> Hashable:
        """Its shape, without the values of its conditions."""
        conditions = tuple((model, tree.key) for model, tree in self.where.items())
        return (self.models, self.operations, self.fields, conditions)


@dataclass(frozen=True, eq=False)
class GrantList:
    """A list of grants. That of a member has an ``organization``: it narrows rows of that alone, and its conditions see
    all of these. That of a key narrows all rows, and its conditions see what the owner of the key sees."""

    grants: tuple[Grant, ...]
    organization: UUID | None = None

    @cached_property
    def key(self) -> Hashable:
        return (self.organization is not None, tuple(grant.key for grant in self.grants))

    def opening(self, model: Model, operation: str) -> frozenset[int]:
        """The indexes of the grants that open ``operation`` on rows of ``model``."""
        return frozenset(index for index, grant in enumerate(self.grants) if grant.opens(model, operation))

    def concerns(self, model: Model) -> bool:
        """Whether it narrows any rows of ``model``."""
        return self.organization is None or within(model, None) is not None


class NarrowedReader:
    """A reader whose rows and fields are narrowed by lists of grants. Two are equal whose grants have one shape. With
    ``of_owner`` it stands for the owner of a key, whom only the lists of members narrow."""

    __slots__ = ("_hash", "_key", "_starts", "base", "lists", "of_owner", "required_for_writes")

    def __init__(
        self, base: Reader, lists: tuple[GrantList, ...], required_for_writes: str = "", *, of_owner: bool = False
    ) -> None:
        self.base, self.lists, self.of_owner, self.required_for_writes = base, lists, of_owner, required_for_writes
        self._key = (base, required_for_writes, of_owner, tuple(each.key for each in lists))
        self._hash = hash(self._key)
        self._starts = {(index, grant, model): start for index, grant, model, _, start in grant_conditions(lists)}

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, NarrowedReader) and self._key == other._key)

    def admits(self, model: Model, *operations: str) -> bool:
        """Whether grants allow any row for all of ``operations``."""
        return all(each.opening(model, name) for each in self._lists_of_every_row(model) for name in operations)

    def shows(self, model: Model, name: str, *operations: str) -> bool:
        """Whether grants show the field called ``name`` on any row for all of ``operations``."""
        return all(
            any(each.grants[index].shows(name) for index in each.opening(model, operation))
            for each in self._lists_of_every_row(model)
            for operation in operations
        )

    def granted(self, row: Any, *operations: str) -> ColumnElement[bool]:
        """The rows that grants allow for all of ``operations``."""
        model = _model_of(row)
        met: ColumnElement[bool] = true()
        for index, each in self._narrowing():
            for operation in self._asked(operations):
                met = both(met, self._met(row, index, each.opening(model, operation)))
        return met

    def field_grants(self, model: Model, name: str, *operations: str, filtered: bool = True) -> Hashable:
        """Which grants show the field called ``name``, for each list and operation; nothing where all rows show it. In
        rows that are ``filtered`` already, lists of which all grants show it are left out."""
        found = []
        for index, each in self._narrowing():
            for operation in operations if each.concerns(model) else ():
                opening = each.opening(model, operation)
                showing = frozenset(grant for grant in opening if each.grants[grant].shows(name))
                if (not filtered or showing != opening) and not self._is_unconditional(index, model, showing):
                    found.append((index, showing))
        return tuple(found)

    def granted_by(self, row: Any, grants: Hashable) -> ColumnElement[bool]:
        """The rows that meet some of the grants that ``field_grants`` has found."""
        met: ColumnElement[bool] = true()
        for index, showing in grants:  # type: ignore[attr-defined]
            met = both(met, self._met(row, index, showing))
        return met

    def admits_wholly(self, model: Model, *operations: str) -> bool:
        """Whether grants allow every row with all of its fields for all of ``operations``."""
        return all(
            any(each.grants[index].is_whole(model) for index in each.opening(model, operation))
            for _, each in self._narrowing()
            for operation in operations
            if each.concerns(model)
        )

    def _narrowing(self) -> Iterator[tuple[int, GrantList]]:
        """The lists that count, with their indexes."""
        for index, each in enumerate(self.lists):
            if not self.of_owner or each.organization is not None:
                yield index, each

    def _asked(self, operations: Sequence[str]) -> Iterator[str]:
        yield from operations
        if self.required_for_writes and WRITES.intersection(operations):
            yield self.required_for_writes

    def _lists_of_every_row(self, model: Model) -> Iterator[GrantList]:
        """The lists that narrow every row of ``model`` that the caller may have: those of a member of several
        organizations leave the rows of the others, and so do they where others have shared theirs."""
        is_in_one = self.base is Reader.MEMBER
        lists = (each for _, each in self._narrowing() if each.concerns(model))
        return (each for each in lists if each.organization is None or is_in_one)

    def _is_unconditional(self, index: int, model: Model, grants: Collection[int]) -> bool:
        """Whether all rows meet one of the ``grants``."""
        return any(model not in self.lists[index].grants[each].where for each in grants)

    def _owner(self) -> Any:
        is_narrowed = any(each.organization is not None for each in self.lists)
        return NarrowedReader(self.base, self.lists, of_owner=True) if is_narrowed else self.base

    def _met(self, row: Any, index: int, grants: Collection[int]) -> ColumnElement[bool]:
        """The rows that meet one of the ``grants`` of a list, and those that the list does not narrow."""
        model, narrowing = _model_of(row), self.lists[index]
        if not narrowing.concerns(model) or self._is_unconditional(index, model, grants):
            return true()
        met: ColumnElement[bool] = or_(false(), *(self._condition(row, model, index, each) for each in sorted(grants)))
        if narrowing.organization is None:
            return met
        is_within = within(row, bindparam(_organization(index), type_=Uuid()))
        return or_(is_within.is_not(true()), met)  # type: ignore[union-attr]

    def _condition(self, row: Any, model: Model, index: int, grant: int) -> ColumnElement[bool]:
        narrowing, start = self.lists[index], self._starts[index, grant, model]
        list_index = None if narrowing.organization is None else index
        # The owner of a key may be narrowed as a member: what the owner does not see, no condition of the key tells.
        seeing = self.base if list_index is not None else self._owner()
        source = GrantSource(model, seeing, _name_of(row), start, list_index)
        return SqlText(source.condition(narrowing.grants[grant].where[model]), source.fixed)


class GrantSource(Source):
    """The row that the condition of a grant is about. In the grants of members, rows that relations lead to are all of
    the organization, whose list has the index ``list_index``."""

    parameters, aliases = "g", "n"

    def __init__(self, model: Model, reader: Reader, alias: str, start: int, list_index: int | None) -> None:
        super().__init__(model, reader, alias)
        self._values, self._list_index = start, list_index

    def visible(self, model: Model, alias: str, operation: str = "list") -> str:
        """The rows that a condition reaches through a relation."""
        fragment = within_organization(model) if self._list_index is not None else None
        if fragment is None:
            return super().visible(model, alias, operation)
        return self.put(fragment, alias).replace("%(within_organization)s", f"%({_organization(self._list_index)})s")

    def shows(self, model: Model, *arguments: Any) -> str:
        """Whether a row shows a field: those of the organization show all."""
        is_whole = self._list_index is not None and within(model, None) is not None
        return "" if is_whole else super().shows(model, *arguments)


class Narrowing:
    """Lists of grants with the values of their conditions; ``hash`` tells whether they have changed."""

    def __init__(self, lists: Sequence[GrantList], hash: str, required_for_writes: str = "") -> None:
        self.lists: Sequence[GrantList] = tuple(lists)
        self.hash, self._required_for_writes = hash, required_for_writes
        self.values: dict[str, Any] = {}
        for index, each in enumerate(self.lists):
            if each.organization is not None:
                self.values[_organization(index)] = each.organization
        for _, _, _, tree, start in grant_conditions(self.lists):
            self.values |= bound_as(tree, GrantSource.parameters, start)
        self._readers: dict[Reader, NarrowedReader] = {}

    @property
    def is_of_key(self) -> bool:
        """Whether a list of them is that of a key."""
        return any(each.organization is None for each in self.lists)

    def reader(self, base: Reader) -> NarrowedReader:
        """The reader that ``base`` becomes by it."""
        if base not in self._readers:
            self._readers[base] = NarrowedReader(base, tuple(self.lists), self._required_for_writes)
        return self._readers[base]

    @cached_property
    def reaches(self) -> bool:
        """Whether a condition of them goes along a relation, which may take as long as a query."""
        return any(_reaches(tree) for _, _, _, tree, _ in grant_conditions(self.lists))

    def within(self, organizations: Collection[UUID]) -> Narrowing | None:
        """What of it narrows a caller who acts in ``organizations`` alone."""
        lists = [each for each in self.lists if each.organization is None or each.organization in organizations]
        hash = hash_of([self.hash, *map(str, organizations)])
        return Narrowing(lists, hash, self._required_for_writes) if lists else None

    def requiring(self, operation: str) -> Narrowing:
        """A copy by which each write also needs a grant of ``operation``: ``import``."""
        return Narrowing(self.lists, self.hash, operation)


def grant_conditions(lists: Sequence[GrantList]) -> Iterator[tuple[int, int, Model, Condition, int]]:
    """Every condition of ``lists``, with the indexes of its list and grant, its model, and where its values start."""
    start = 0
    for index, each in enumerate(lists):
        for number, grant in enumerate(each.grants):
            for model, tree in grant.where.items():
                yield index, number, model, tree, start
                start += sum(1 for _ in tree.values())


def hash_of(texts: Collection[str]) -> str:
    """The SHA-256 of lists as they are stored."""
    return sha256("\n".join(texts).encode()).hexdigest()


def _reaches(tree: Condition) -> bool:
    match tree:
        case Related():
            return True
        case Negation():
            return _reaches(tree.part)
        case Junction():
            return any(map(_reaches, tree.parts))
        case _:
            return False


def _organization(index: int | None) -> str:
    return f"{GrantSource.parameters}_organization_{index}"


def _model_of(row: Any) -> Model:
    found: Model = inspect(row).mapper.class_
    return found


def _name_of(row: Any) -> str:
    """What a statement calls the row: an alias with a name, or the table."""
    return str(inspect(row).name) if inspect(row).is_aliased_class else str(row.__tablename__)

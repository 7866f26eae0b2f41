"""Grants: what narrows a credential to some models, operations, rows and fields.

A list of grants narrows and never widens: the caller may do what the policies admit and at least one grant of every
list as well. Grants unite for each operation by itself, of rows, and for each row of fields. Their conditions are those
of queries, compiled by the same code into the same SQL, so that a reader with grants is another kind of reader, for
which statements are compiled and kept like for all others; the values of conditions are bound.
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

# Those of auth/* that no grant opens.
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
        """Whether it leaves every row of ``model`` with all fields."""
        return self.fields is None and model not in self.where

    @cached_property
    def key(self) -> Hashable:
        """Its shape, without the values of its conditions."""
        conditions = tuple((model, tree.key) for model, tree in self.where.items())
        return (self.models, self.operations, self.fields, conditions)


@dataclass(frozen=True, eq=False)
class GrantList:
    """A list of grants. With an ``organization`` it is that of a member, and narrows rows of that organization alone;
    its conditions look at all of them. That of a key narrows all rows, and its conditions see what the owner sees."""

    grants: tuple[Grant, ...]
    organization: UUID | None = None

    @cached_property
    def key(self) -> Hashable:
        return (self.organization is not None, tuple(grant.key for grant in self.grants))

    def opening(self, model: Model, operation: str) -> frozenset[int]:
        """The places of the grants that open ``operation`` on rows of ``model``."""
        return frozenset(place for place, grant in enumerate(self.grants) if grant.opens(model, operation))

    def concerns(self, model: Model) -> bool:
        """Whether it narrows any rows of ``model``."""
        return self.organization is None or within(model, None) is not None


class NarrowedReader:
    """A reader whose rows and fields are narrowed by lists of grants. Two are equal whose grants have one shape. That
    ``of_owner`` is the owner of a key, whom only the lists of members narrow."""

    __slots__ = ("_hash", "_key", "_starts", "also", "base", "lists", "of_owner")

    def __init__(self, base: Reader, lists: tuple[GrantList, ...], also: str = "", *, of_owner: bool = False) -> None:
        self.base, self.lists, self.also, self.of_owner = base, lists, also, of_owner
        self._key = (base, also, of_owner, tuple(each.key for each in lists))
        self._hash = hash(self._key)
        self._starts = {(place, grant, model): start for place, grant, model, _, start in numbered(lists)}

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, NarrowedReader) and self._key == other._key)

    def admits(self, model: Model, *operations: str) -> bool:
        """Whether grants leave any row for all of ``operations``."""
        return all(each.opening(model, name) for each in self._certain(model) for name in operations)

    def shows(self, model: Model, name: str, *operations: str) -> bool:
        """Whether grants leave the field called ``name`` on any row for all of ``operations``."""
        return all(
            any(each.grants[place].shows(name) for place in each.opening(model, operation))
            for each in self._certain(model)
            for operation in operations
        )

    def granted(self, row: Any, *operations: str) -> ColumnElement[bool]:
        """The rows that grants leave for all of ``operations``."""
        model = _model_of(row)
        met: ColumnElement[bool] = true()
        for place, each in self._narrowing():
            for operation in self._asked(operations):
                met = both(met, self._met(row, place, each.opening(model, operation)))
        return met

    def field_grants(self, model: Model, name: str, *operations: str, filtered: bool = True) -> Hashable:
        """The places of the grants that show the field called ``name``, of each list and operation. Where the rows are
        not ``filtered`` by what grants leave, those are told that show it on all of these, too."""
        found = []
        for place, each in self._narrowing():
            for operation in operations if each.concerns(model) else ():
                opening = each.opening(model, operation)
                showing = frozenset(grant for grant in opening if each.grants[grant].shows(name))
                if (not filtered or showing != opening) and not self._is_free(place, model, showing):
                    found.append((place, showing))
        return tuple(found)

    def granted_by(self, row: Any, grants: Hashable) -> ColumnElement[bool]:
        """The rows that meet some of the grants that ``field_grants`` has found."""
        met: ColumnElement[bool] = true()
        for place, showing in grants:  # type: ignore[attr-defined]
            met = both(met, self._met(row, place, showing))
        return met

    def admits_wholly(self, model: Model, *operations: str) -> bool:
        """Whether grants leave every row with all of its fields for all of ``operations``."""
        return all(
            any(each.grants[place].is_whole(model) for place in each.opening(model, operation))
            for _, each in self._narrowing()
            for operation in operations
            if each.concerns(model)
        )

    def _narrowing(self) -> Iterator[tuple[int, GrantList]]:
        """The lists that count, with their places."""
        for place, each in enumerate(self.lists):
            if not self.of_owner or each.organization is not None:
                yield place, each

    def _asked(self, operations: Sequence[str]) -> Iterator[str]:
        yield from operations
        if self.also and WRITES.intersection(operations):
            yield self.also

    def _certain(self, model: Model) -> Iterator[GrantList]:
        """The lists that narrow every row of ``model`` that the caller may have: those of a member of several
        organizations leave the rows of the others, and so do they where others have shared theirs."""
        is_in_one = self.base is Reader.MEMBER
        lists = (each for _, each in self._narrowing() if each.concerns(model))
        return (each for each in lists if each.organization is None or is_in_one)

    def _is_free(self, place: int, model: Model, grants: Collection[int]) -> bool:
        """Whether all rows meet one of the ``grants``."""
        return any(model not in self.lists[place].grants[each].where for each in grants)

    def _owner(self) -> Any:
        is_narrowed = any(each.organization is not None for each in self.lists)
        return NarrowedReader(self.base, self.lists, of_owner=True) if is_narrowed else self.base

    def _met(self, row: Any, place: int, grants: Collection[int]) -> ColumnElement[bool]:
        """The rows that meet one of the ``grants`` of a list, and those that the list does not narrow."""
        model, narrowing = _model_of(row), self.lists[place]
        if not narrowing.concerns(model) or self._is_free(place, model, grants):
            return true()
        met: ColumnElement[bool] = or_(false(), *(self._condition(row, model, place, each) for each in sorted(grants)))
        if narrowing.organization is None:
            return met
        is_within = within(row, bindparam(_organization(place), type_=Uuid()))
        return or_(is_within.is_not(true()), met)  # type: ignore[union-attr]

    def _condition(self, row: Any, model: Model, place: int, grant: int) -> ColumnElement[bool]:
        narrowing, start = self.lists[place], self._starts[place, grant, model]
        of_member = None if narrowing.organization is None else place
        # The owner of a key may be narrowed as a member: what the owner does not see, no condition of the key tells.
        eyes = self.base if of_member is not None else self._owner()
        source = GrantSource(model, eyes, _name_of(row), start, of_member)
        return SqlText(source.condition(narrowing.grants[grant].where[model]), source.fixed)


class GrantSource(Source):
    """The row that the condition of a grant is about. In the grants of members, rows that relations lead to are all of
    the organization, whose list has the place ``of_member``."""

    parameters, aliases = "g", "n"

    def __init__(self, model: Model, reader: Reader, alias: str, start: int, of_member: int | None) -> None:
        super().__init__(model, reader, alias)
        self._values, self._of_member = start, of_member

    def visible(self, model: Model, alias: str, operation: str = "list") -> str:
        """The rows that a condition reaches through a relation."""
        fragment = within_organization(model) if self._of_member is not None else None
        if fragment is None:
            return super().visible(model, alias, operation)
        return self.put(fragment, alias).replace("%(within_organization)s", f"%({_organization(self._of_member)})s")

    def shows(self, model: Model, *arguments: Any) -> str:
        """Whether a row shows a field: those of the organization show all."""
        is_whole = self._of_member is not None and within(model, None) is not None
        return "" if is_whole else super().shows(model, *arguments)


class Narrowing:
    """Lists of grants with the values of their conditions. ``digest`` is the same as long as they are."""

    def __init__(self, lists: Sequence[GrantList], digest: str, also: str = "") -> None:
        self.lists: Sequence[GrantList] = tuple(lists)
        self.digest, self._also = digest, also
        self.values: dict[str, Any] = {}
        for place, each in enumerate(self.lists):
            if each.organization is not None:
                self.values[_organization(place)] = each.organization
        for _, _, _, tree, start in numbered(self.lists):
            self.values |= bound_as(tree, GrantSource.parameters, start)
        self._readers: dict[Reader, NarrowedReader] = {}

    @property
    def is_of_key(self) -> bool:
        """Whether a list of them is that of a key."""
        return any(each.organization is None for each in self.lists)

    def reader(self, base: Reader) -> NarrowedReader:
        """The reader that ``base`` becomes by it."""
        if base not in self._readers:
            self._readers[base] = NarrowedReader(base, tuple(self.lists), self._also)
        return self._readers[base]

    @cached_property
    def reaches(self) -> bool:
        """Whether a condition of them goes along a relation, which may take as long as a query."""
        return any(_reaches(tree) for _, _, _, tree, _ in numbered(self.lists))

    def within(self, organizations: Collection[UUID]) -> Narrowing | None:
        """What of it narrows a caller who acts in ``organizations`` alone."""
        lists = [each for each in self.lists if each.organization is None or each.organization in organizations]
        return Narrowing(lists, digest([self.digest, *map(str, organizations)]), self._also) if lists else None

    def requiring(self, operation: str) -> Narrowing:
        """The same, which for every write asks for a grant of ``operation`` besides."""
        return Narrowing(self.lists, self.digest, operation)


def numbered(lists: Sequence[GrantList]) -> Iterator[tuple[int, int, Model, Condition, int]]:
    """Every condition of ``lists``, with the places of its list and grant, its model, and where its values start."""
    start = 0
    for place, each in enumerate(lists):
        for number, grant in enumerate(each.grants):
            for model, tree in grant.where.items():
                yield place, number, model, tree, start
                start += sum(1 for _ in tree.values())


def digest(texts: Collection[str]) -> str:
    """A digest of lists as they are stored."""
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


def _organization(place: int | None) -> str:
    return f"{GrantSource.parameters}_organization_{place}"


def _model_of(row: Any) -> Model:
    found: Model = inspect(row).mapper.class_
    return found


def _name_of(row: Any) -> str:
    """What a statement calls the row: an alias with a name, or the table."""
    return str(inspect(row).name) if inspect(row).is_aliased_class else str(row.__tablename__)

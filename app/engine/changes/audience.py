"""Who may hear of a change: listeners by whose records their callers have, so that those of others cost nothing; and
what each of them has to be judged for, in portions of one statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from app.engine.changes.judgments import roots
from app.engine.changes.telling import Candidate
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.declare.scopes import Organization, Owner, Parent


class Listener(Protocol):
    """Who follows changes of ``models``, by name, with the rights of ``principal``. Those of one ``group`` follow the
    same with rights of one kind, so that one statement judges for all of them."""

    principal: Principal
    models: frozenset[str]

    @property
    def owner(self) -> UUID: ...

    @property
    def group(self) -> Hashable: ...


L = TypeVar("L", bound=Listener)


class Audience(Generic[L]):
    """Those who listen. Whether one is really told, the policy says when it is judged."""

    def __init__(self) -> None:
        self._all: set[L] = set()
        self._by_organization: dict[UUID, set[L]] = defaultdict(set)
        self._by_user: dict[UUID, set[L]] = defaultdict(set)
        # Admins, and those with whom records are shared one by one.
        self._of_everything: set[L] = set()

    def add(self, listener: L) -> None:
        """Count a listener in, by the rights that its caller has."""
        self._all.add(listener)
        for listeners in self._sets(listener):
            listeners.add(listener)

    def remove(self, listener: L) -> None:
        """Count a listener out; its caller has the rights of when it was added."""
        self._all.discard(listener)
        for listeners in self._sets(listener):
            listeners.discard(listener)
        # Of organizations and users without a listener nothing stays.
        for sets, ids in ((self._by_organization, listener.principal.memberships), (self._by_user, (listener.owner,))):
            for each in ids:
                if not sets[each]:
                    del sets[each]

    def of(self, change: Candidate) -> set[L]:
        """Return those who follow the model of a change, and whose callers may have had or have its record."""
        found = self._all
        model = _models().get(change.model)
        if model is not None and not change.is_public and _says_whose(model) and not _moves(model, change):
            found = self._of_everything | self._by_user.get(change.owner_id, set())  # type: ignore[arg-type]
            found |= self._by_organization.get(change.organization_id, set())  # type: ignore[arg-type]
        return {listener for listener in found if change.model in listener.models}

    def _sets(self, listener: L) -> list[set[L]]:
        principal = listener.principal
        sets = [self._by_organization[each] for each in principal.memberships]
        sets.append(self._by_user[listener.owner])
        return [*sets, self._of_everything] if principal.is_admin or principal.recipients else sets


def portions(hearing: Mapping[L, Collection[Candidate]], most: int) -> Iterator[list[L]]:
    """The listeners group by group, in portions of which each makes no more than ``most`` pairs with their changes."""
    groups: dict[Hashable, list[L]] = defaultdict(list)
    for listener in hearing:
        groups[listener.group].append(listener)
    for group in groups.values():
        yield from _portions(group, hearing, most)


def _portions(group: Sequence[L], hearing: Mapping[L, Collection[Candidate]], most: int) -> Iterator[list[L]]:
    some: list[L] = []
    number = 0
    for listener in group:
        if some and number + len(hearing[listener]) > most:
            yield some
            some, number = [], 0
        some.append(listener)
        number += len(hearing[listener])
    yield some


@cache
def _models() -> dict[str, type[Record]]:
    return {model.qualified_name(): model for model in every_model()}


@cache
def _says_whose(model: type[Record]) -> bool:
    """Whether the organization and the owner that the log has of a record say whose it is, but for what is public."""
    *below, top = (each.policy.scope for each in (model, *roots(model)))
    # What is put together, or made by others, may have further readers.
    if any(type(scope) is not Parent for scope in below):
        return False
    if type(top) is Owner:
        return not top.co_members
    return type(top) is Organization and not top.addressee


def _moves(model: type[Record], change: Candidate) -> bool:
    """Whether a change may have made a record somebody else's, or nobody can tell whose it was."""
    is_nobodys = change.organization_id is None and change.owner_id is None
    return is_nobodys or (change.operation == "update" and not _deciding(model).isdisjoint(change.changed))


@cache
def _deciding(model: type[Record]) -> frozenset[str]:
    """The columns that say whose a record is, and whether it is public."""
    fields = model.fields()
    named = (fields[name].column for name in (*model.policy.scope.columns(), model.policy.scope.parent_column) if name)
    return frozenset(column.name for column in named if column is not None)

"""Scopes that are put together: any or all of several, rows with given values, rows that follow another row, rows of
which a membership names the caller; and one scope for readers with another for writers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, false, or_, select, true

from app.engine.declare.principal import Reader
from app.engine.declare.scope import (
    USER,
    Condition,
    Model,
    Rule,
    Scope,
    any_of,
    both,
    either,
    is_nothing,
    reach,
    reach_within,
)
from config import SettingError


@dataclass(frozen=True, init=False)
class Combination(Scope):
    """Several scopes as one."""

    scopes: tuple[Scope, ...] = ()

    def __init__(self, *scopes: Scope) -> None:
        if len(scopes) < 2:
            raise SettingError(f"{type(self).__name__} combines at least two scopes")
        for name, value in (("column", ""), ("public", None), ("scopes", scopes)):
            object.__setattr__(self, name, value)

    @property
    def readers(self) -> Rule:
        return _same([scope.readers for scope in self.scopes])

    @property
    def writers(self) -> Rule:
        return _same([scope.writers for scope in self.scopes])

    @property
    def organization_column(self) -> str:
        return next(filter(None, (scope.organization_column for scope in self.scopes)), "")

    @property
    def parent_column(self) -> str:
        return next(filter(None, (scope.parent_column for scope in self.scopes)), "")

    @property
    def colleague_fields(self) -> tuple[str, ...]:
        return next(filter(None, (scope.colleague_fields for scope in self.scopes)), ())

    def within(self, row: Model, organization: Any) -> Condition | None:
        return any_within(self.scopes, row, organization)

    def parts(self) -> Iterator[Scope]:
        for scope in self.scopes:
            yield from scope.parts()

    def columns(self) -> Iterator[str]:
        for scope in self.scopes:
            yield from scope.columns()

    def asks_for_public(self, filters: Collection[str]) -> bool:
        return any(scope.asks_for_public(filters) for scope in self.scopes)

    def own(self, model: Model, reader: Reader) -> Condition:
        return self._joined(lambda scope: scope.own(model, reader), model)

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        return self._joined(lambda scope: scope.list_condition(model, reader), model)

    def colleagues(self, model: Model, reader: Reader) -> Condition:
        return or_(*(scope.colleagues(model, reader) for scope in self.scopes))

    @abstractmethod
    def _joined(self, condition: Callable[[Scope], Condition], model: Model) -> Condition:
        """Rows that are the caller's, from what ``condition`` says of each scope."""


@dataclass(frozen=True, init=False)
class AnyOf(Combination):
    """Rows of any of the scopes."""

    @property
    def has_index(self) -> bool:
        return all(scope.has_index for scope in self.scopes)

    def public_rows(self, model: Model) -> Condition:
        return or_(*(scope.public_rows(model) for scope in self.scopes))

    def unowned(self, model: Model) -> Condition:
        return or_(*(scope.unowned(model) for scope in self.scopes))

    def bounds(self, model: Model, *, writes: bool = False) -> Condition:
        met: Condition = false()
        for scope in self.scopes:
            met = either(met, scope.bounds(model, writes=writes))
        return met

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        # Rows that are nobody's are written by whoever may, which a rule for some roles does not mean.
        asked = [scope for scope in self.scopes if rule is Rule.SCOPE or not scope.is_nobodys]
        return or_(false(), *(scope.writable(model, reader, rule) for scope in asked))

    def _joined(self, condition: Callable[[Scope], Condition], model: Model) -> Condition:
        return or_(*map(condition, self.scopes))


@dataclass(frozen=True, init=False)
class AllOf(Combination):
    """Rows of all of the scopes."""

    @property
    def has_index(self) -> bool:
        return any(scope.has_index for scope in self.scopes)

    @property
    def owner_column(self) -> str:
        return next(filter(None, (scope.owner_column for scope in self.scopes)), "")

    def public_rows(self, model: Model) -> Condition:
        return and_(*(scope.public_rows(model) for scope in self.scopes))

    def unowned(self, model: Model) -> Condition:
        return and_(*(scope.unowned(model) for scope in self.scopes))

    def bounds(self, model: Model, *, writes: bool = False) -> Condition:
        met: Condition = true()
        for scope in self.scopes:
            met = both(met, scope.public_rows(model) if scope.is_nobodys else scope.bounds(model, writes=writes))
        return met

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        return and_(*(scope.writable(model, reader, rule) for scope in self.scopes))

    def _joined(self, condition: Callable[[Scope], Condition], model: Model) -> Condition:
        own = [condition(scope) for scope in self.scopes]
        if all(map(is_nothing, own)):
            return false()
        return and_(*(or_(each, scope.public_rows(model)) for each, scope in zip(own, self.scopes, strict=True)))


@dataclass(frozen=True, init=False)
class Where(Scope):
    """Rows whose columns have the values, or one of several: ``Where(status=["draft", "sent"])``. They are nobody's:
    read, they are public; written, anybody's."""

    values: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def __init__(self, **values: Any) -> None:
        listed = {name: (each if isinstance(each, list | tuple) else [each]) for name, each in values.items()}
        for name, value in (("column", ""), ("public", None), ("values", _frozen(listed))):
            object.__setattr__(self, name, value)

    @property
    def is_nobodys(self) -> bool:
        return True

    def columns(self) -> Iterator[str]:
        yield from (name for name, _ in self.values)

    def asks_for_public(self, filters: Collection[str]) -> bool:
        return any(name in filters for name, _ in self.values)

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else false()

    def public_rows(self, model: Model) -> Condition:
        return and_(*(or_(*(getattr(model, name) == value for value in each)) for name, each in self.values))

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        return false() if rule in (Rule.ADMIN, Rule.NONE) else self.public_rows(model)


@dataclass(frozen=True)
class Everybody(Scope):
    """All rows, as public ones: ``Policy(readers=Everybody(), writers=Owner("user_id"), listed="visible")``."""

    @property
    def is_nobodys(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else false()

    def public_rows(self, model: Model) -> Condition:
        return true()

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        return true() if reader is Reader.ADMIN or rule not in (Rule.ADMIN, Rule.NONE) else false()


@dataclass(frozen=True)
class Through(Scope):
    """Rows readable by whoever reads the row that ``column`` refers to. Where it stands for writers, whoever reads that
    row writes these; ``Parent`` asks for the right to write it."""

    def columns(self) -> Iterator[str]:
        yield self.column

    def within(self, row: Model, organization: Any) -> Condition | None:
        return reach_within(row, self.column, organization)

    def asks_for_public(self, filters: Collection[str]) -> bool:
        return self.column in filters

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        return reach(model, self.column, lambda row: _own_or_colleagues(row, reader))

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return self.own(model, reader)
        target = model.target(self.column)
        found = select(target.id).where(_own_or_colleagues(target, reader, listed=True))
        return getattr(model, self.column) == any_of(found)

    def public_rows(self, model: Model) -> Condition:
        return reach(model, self.column, lambda row: row.policy.scope.public_rows(row))

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        return self.visible(model, reader) if rule is Rule.SCOPE or reader is Reader.ADMIN else false()


@dataclass(frozen=True, init=False)
class MembersOf(Scope):
    """Rows that a row of the model ``membership`` refers to by ``column``, while it names the caller in ``user``; with
    ``role`` only where it has one of these roles."""

    membership: Any = None
    reference: str = ""
    role: Sequence[str] = ()
    user: str = "user_id"

    def __init__(self, membership: Any, column: str, role: Sequence[str] = (), user: str = "user_id") -> None:
        named = {"membership": membership, "reference": column, "role": tuple(role), "user": user}
        for name, value in {"column": "", "public": None, **named}.items():
            object.__setattr__(self, name, value)

    @property
    def has_index(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return true() if reader is Reader.ADMIN else false()
        table = self.membership.__table__.alias()
        named = select(table.c[self.reference]).where(table.c[self.user] == USER)
        if self.role:
            named = named.where(or_(*(table.c.role == role for role in self.role)))
        return model.id == any_of(named)


def any_within(scopes: Sequence[Scope], row: Model, organization: Any) -> Condition | None:
    """The rows that any of ``scopes`` has in an organization."""
    found = [each for scope in scopes if (each := scope.within(row, organization)) is not None]
    return or_(*found) if found else None


def _own_or_colleagues(row: Model, reader: Reader, *, listed: bool = False) -> Condition:
    policy = row.policy
    own = policy.own_in_lists(row, reader) if listed else policy.own(row, reader)
    return or_(own, policy.scope.colleagues(row, reader))


def _same(rules: Sequence[Rule]) -> Rule:
    """The rule of all scopes, where they have one: what differs stands in their conditions."""
    return rules[0] if len(set(rules)) == 1 else Rule.SCOPE


def _frozen(values: Mapping[str, Sequence[Any]]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    return tuple((name, tuple(each)) for name, each in values.items())

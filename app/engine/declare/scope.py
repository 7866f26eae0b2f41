"""Who may see and change which rows: what a scope says of them, as conditions inside the SQL.

A scope answers three questions about a model as SQL conditions: which rows are the caller's own, which are
public, and which may be written. List, count, read, update and delete use the same conditions, so they cannot
disagree. Nothing here reads the request: the caller arrives as bind parameters (``Principal.binds``).

``scopes`` has the five that most models need, ``combinations`` those that are put together. A custom scope is a
subclass of ``Scope``, which defines ``own`` and what else differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    Uuid,
    and_,
    bindparam,
    exists,
    false,
    func,
    or_,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from app.engine.declare.principal import Reader

SINGLE_ORGANIZATION = bindparam("caller_organization", type_=Uuid())
ORGANIZATIONS = bindparam("caller_organizations", type_=ARRAY(Uuid()))
MANAGED = bindparam("caller_managed", type_=ARRAY(Uuid()))
OWNED = bindparam("caller_owned", type_=ARRAY(Uuid()))
USER = bindparam("caller_user", type_=Uuid())
EMAIL = bindparam("caller_email", type_=String())


class Rule(StrEnum):
    """Who may carry out an operation, within the scope of the model."""

    SCOPE = "scope"
    MANAGERS = "managers"
    OWNERS = "owners"
    ADMIN = "admin"
    NONE = "none"


Condition = ColumnElement[bool]
Model = Any


@dataclass(frozen=True)
class Scope(ABC):
    """What makes a row somebody's. ``public`` names the values of one column that open a row to everybody.
    With ``judges_new_rows``, a new row must be ``writable`` once it is stored; without, the checks of the rows that it
    refers to say the same before."""

    judges_new_rows: ClassVar[bool] = True

    column: str = ""
    public: Mapping[str, Sequence[Any]] | None = None

    @property
    def readers(self) -> Rule:
        """Who reads rows, besides being in the scope."""
        return Rule.SCOPE

    @property
    def writers(self) -> Rule:
        """Who writes rows, besides being in the scope."""
        return Rule.SCOPE

    @property
    def owner_column(self) -> str:
        """The column that names the user whose row it is, if there is one."""
        return ""

    @property
    def organization_column(self) -> str:
        """The column that names the organization that shares the row, if there is one."""
        return ""

    @property
    def parent_column(self) -> str:
        """The column that names the row that the row follows, if there is one."""
        return ""

    @property
    def narrowing_column(self) -> str:
        """A second column that decides whether a row is the caller's, if there is one."""
        return ""

    @property
    def colleague_fields(self) -> tuple[str, ...]:
        """The fields that users who share an organization with the owner see, if they see any."""
        return ()

    @property
    def is_nobodys(self) -> bool:
        """Whether rows belong to no user and no organization."""
        return False

    @property
    def has_index(self) -> bool:
        """Whether lists find the rows by an index; a custom scope that declares a fitting one says so."""
        return bool(self.column) or self.is_nobodys

    def within(self, row: Model, organization: Any) -> Condition | None:
        """The rows of an organization, by their column or by that of what they follow; None where rows are of none."""
        return getattr(row, self.organization_column) == organization if self.organization_column else None

    def parts(self) -> Iterator[Scope]:
        """The scopes that this one is made of: itself, where it is made of none."""
        yield self

    def columns(self) -> Iterator[str]:
        """The columns that the scope names."""
        yield from filter(None, (self.column, self.narrowing_column, *(self.public or ())))

    def asks_for_public(self, filters: Collection[str]) -> bool:
        """Whether a list with equalities on ``filters`` asks for public rows of others: by the parent, or by what makes
        rows public."""
        if self.parent_column:
            return self.parent_column in filters
        return bool(self.public) and next(iter(self.public or ())) in filters

    @abstractmethod
    def own(self, model: Model, reader: Reader) -> Condition:
        """Rows that are the caller's by this scope."""

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        """The same rows as ``own``, in the form that a list finds fastest."""
        return self.own(model, reader)

    def public_rows(self, model: Model) -> Condition:
        if not self.public:
            return false()
        ((name, values),) = self.public.items()
        attribute = getattr(model, name)
        return or_(*(attribute == value for value in values))

    def unowned(self, model: Model) -> Condition:
        """Rows that belong to nobody; public ones among them are in everybody's list."""
        owner = getattr(model, self.column, None) if self.column else None
        return owner.is_(None) if owner is not None and owner.property.columns[0].nullable else false()

    def colleagues(self, model: Model, reader: Reader) -> Condition:
        """Rows of which the caller sees ``colleague_fields``."""
        return false()

    def bounds(self, model: Model, *, writes: bool = False) -> Condition:
        """What a row has to meet, whosever it is, for anybody to read it, or with ``writes`` to write it."""
        return true()

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        """Rows that the caller may write, where the operation has this rule."""
        if reader is Reader.ADMIN:
            return true()
        return self.own(model, reader) if rule is Rule.SCOPE else false()

    def visible(self, model: Model, reader: Reader) -> Condition:
        """Rows that the caller may read by id, and refer to."""
        if reader is Reader.ADMIN:
            return true()
        return or_(self.own(model, reader), self.public_rows(model), self.colleagues(model, reader))


def is_nothing(condition: Condition) -> bool:
    """Whether no row can meet ``condition``."""
    return isinstance(condition, type(false()))


def is_everything(condition: Condition) -> bool:
    """Whether every row meets ``condition``."""
    return isinstance(condition, type(true()))


def both(first: Condition, second: Condition) -> Condition:
    """Rows that meet two conditions, simplified where one of them is constant."""
    if is_everything(second):
        return first
    return second if is_everything(first) else and_(first, second)


def either(first: Condition, second: Condition) -> Condition:
    """Rows that meet one of two conditions, simplified where one of them is constant."""
    if is_nothing(second) or is_everything(first):
        return first
    return second if is_nothing(first) else or_(first, second)


def any_of(ids: Select[Any]) -> Any:
    """Any of the ids of a subquery, as an array, so that PostgreSQL runs the subquery once, and first."""
    return func.array(ids.scalar_subquery(), type_=ARRAY(Uuid())).any_()


def reach(row: Model, attribute: str, condition: Callable[[Model], Condition]) -> Condition:
    """Rows whose reference ``attribute`` leads to a row that meets ``condition``."""
    target = aliased(row.target(attribute))
    met = condition(target)
    if is_nothing(met):
        return false()
    reached: Condition = exists().where(target.id == getattr(row, attribute), met)
    return reached


def within(row: Model, organization: Any) -> Condition | None:
    """The rows of an organization, by what their scope says; None where rows are of none."""
    found: Condition | None = row.policy.scope.within(row, organization)
    return found


def reach_within(row: Model, attribute: str, organization: Any) -> Condition | None:
    """The rows whose reference leads to a row of an organization; None where it leads to rows of none."""
    target = aliased(row.target(attribute))
    above = within(target, organization)
    return None if above is None else exists().where(target.id == getattr(row, attribute), above)

"""Who may see and change which rows: scopes and rules, each a condition inside the SQL.

A scope answers three questions about a model as SQL conditions: which rows are the caller's own, which are
public, and which may be written. List, count, read, update and delete use the same conditions, so they cannot
disagree. Nothing here reads the request: the caller arrives as bind parameters (``Principal.binds``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, String, Uuid, bindparam, column, exists, false, func, or_, select, table, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from app.engine.declare.principal import Reader

SINGLE_ORGANIZATION = bindparam("caller_organization", type_=Uuid())
ORGANIZATIONS = bindparam("caller_organizations", type_=ARRAY(Uuid()))
MANAGED = bindparam("caller_managed", type_=ARRAY(Uuid()))
OWNED = bindparam("caller_owned", type_=ARRAY(Uuid()))
USER = bindparam("caller_user", type_=Uuid())
EMAIL = bindparam("caller_email", type_=String())

PUBLISHED = {"visibility": ["public"]}

MEMBERSHIPS = table("auth_member", column("user_id"), column("organization_id"))


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
    """What makes a row somebody's. ``public`` names the values of one column that open a row to everybody."""

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
        """The column that an own row is asked for besides, if there is one."""
        return ""

    @property
    def colleague_fields(self) -> tuple[str, ...]:
        """The fields that users who share an organization with the owner see, if they see any."""
        return ()

    @property
    def is_nobodys(self) -> bool:
        """Whether rows belong to no user and no organization."""
        return False

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

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        """Rows that the caller may write, where the operation has this rule."""
        if reader is Reader.ADMIN:
            return true()
        return self.own(model, reader) if rule is Rule.SCOPE else false()


@dataclass(frozen=True)
class Owner(Scope):
    """Rows of the user named by ``column``. ``co_members`` lists the fields that colleagues see of the row; ``until``
    names a column that hides the row from its owner once it has a value."""

    co_members: tuple[str, ...] = ()
    until: str = ""

    @property
    def owner_column(self) -> str:
        return self.column

    @property
    def narrowing_column(self) -> str:
        return self.until

    @property
    def colleague_fields(self) -> tuple[str, ...]:
        return self.co_members

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return true() if reader is Reader.ADMIN else false()
        mine = getattr(model, self.column) == USER
        return mine & getattr(model, self.until).is_(None) if self.until else mine

    def colleagues(self, model: Model, reader: Reader) -> Condition:
        if not self.co_members or reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return false()
        shared = select(MEMBERSHIPS.c.user_id).where(MEMBERSHIPS.c.organization_id == ORGANIZATIONS.any_())
        return getattr(model, self.column).in_(shared)


@dataclass(frozen=True)
class Organization(Scope):
    """Rows of the organization named by ``column``, shared by its members.

    ``read`` and ``write`` may narrow to managers; ``addressee`` names a column with an e-mail address whose
    verified holder shares the row.
    """

    read: Rule = Rule.SCOPE
    write: Rule = Rule.SCOPE
    addressee: str = ""

    @property
    def readers(self) -> Rule:
        return self.read

    @property
    def writers(self) -> Rule:
        return self.write

    @property
    def organization_column(self) -> str:
        return self.column

    @property
    def narrowing_column(self) -> str:
        return self.addressee

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return true() if reader is Reader.ADMIN else false()
        own = self._within(model, reader, self.read)
        return or_(own, getattr(model, self.addressee) == EMAIL) if self.addressee else own

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return true() if reader is Reader.ADMIN else false()
        if rule is Rule.ADMIN:
            return false()
        narrowed = self.write if rule is Rule.SCOPE else rule
        writable = self._within(model, reader, narrowed)
        return or_(writable, getattr(model, self.addressee) == EMAIL) if self.addressee else writable

    def _within(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        organization = getattr(model, self.column)
        if rule is Rule.MANAGERS:
            return organization == MANAGED.any_()
        if rule is Rule.OWNERS:
            return organization == OWNED.any_()
        # One organization is by far the usual case, and only an equality keeps the order of the index.
        return organization == (SINGLE_ORGANIZATION if reader is Reader.MEMBER else ORGANIZATIONS.any_())


@dataclass(frozen=True)
class Parent(Scope):
    """Rows that follow the row reached over ``column``; writing needs the right to write that row."""

    inherits_public: bool = True

    @property
    def parent_column(self) -> str:
        return self.column

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        return self._reached(model, lambda parent: parent.policy.scope.own(parent, reader))

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        """Name the parents first: a list then reads their rows by index instead of asking of every row whose it is."""
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return self.own(model, reader)
        parent = aliased(model.target(self.column))
        parents = select(parent.id).where(parent.policy.scope.list_condition(parent, reader)).scalar_subquery()
        return getattr(model, self.column) == func.array(parents, type_=ARRAY(Uuid())).any_()

    def public_rows(self, model: Model) -> Condition:
        if not self.inherits_public:
            return false()
        return self._reached(model, lambda parent: parent.policy.scope.public_rows(parent))

    def unowned(self, model: Model) -> Condition:
        return self._reached(model, lambda parent: parent.policy.scope.unowned(parent))

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        if rule is not Rule.SCOPE:
            return false()
        return self._reached(model, lambda parent: parent.policy.scope.writable(parent, reader, Rule.SCOPE))

    def _reached(self, model: Model, condition: Any) -> Condition:
        parent = aliased(model.target(self.column))
        met = condition(parent)
        if met is false() or isinstance(met, type(false())):
            return false()
        reached: Condition = exists().where(parent.id == getattr(model, self.column), met)
        return reached


@dataclass(frozen=True)
class Public(Scope):
    """Rows for everybody, where public; the others are for admins."""

    @property
    def is_nobodys(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else self.public_rows(model)


@dataclass(frozen=True)
class Admin(Scope):
    """Rows for platform admins only."""

    @property
    def readers(self) -> Rule:
        return Rule.ADMIN

    @property
    def is_nobodys(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else false()

"""Who may see and change which rows: scopes and rules, each a condition inside the SQL.

A scope answers three questions about a model as SQL conditions: which rows are the caller's own, which are
public, and which may be written. List, count, read, update and delete use the same conditions, so they cannot
disagree. Nothing here reads the request: the caller arrives as bind parameters (``Principal.binds``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, Uuid, bindparam, column, exists, false, func, or_, select, table, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from app.engine.declare.principal import MANAGERS, Principal, Reader

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


class SessionOnly(StrEnum):
    """Operations for which a session token is needed instead of a key."""

    NEVER = ""
    WRITES = "writes"
    ALL = "all"


Condition = ColumnElement[bool]
Model = Any


@dataclass(frozen=True)
class Scope(ABC):
    """What makes a row somebody's. ``public`` names the values of one column that open a row to everybody."""

    column: str = ""
    public: Mapping[str, Sequence[Any]] | None = None

    @property
    def readers(self) -> Rule:
        return Rule.SCOPE

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

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        return self.own(model, reader) if rule is Rule.SCOPE else false()


@dataclass(frozen=True)
class Owner(Scope):
    """Rows of the user named by ``column``. ``co_members`` lists the fields that colleagues see of the row; ``until``
    names a column that hides the row from its owner once it has a value."""

    co_members: tuple[str, ...] = ()
    until: str = ""

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return true() if reader is Reader.ADMIN else false()
        mine = getattr(model, self.column) == USER
        return mine & getattr(model, self.until).is_(None) if self.until else mine

    def colleagues(self, model: Model, reader: Reader) -> Condition:
        """Rows of users who share an organization with the caller."""
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

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else self.public_rows(model)


@dataclass(frozen=True)
class Admin(Scope):
    """Rows for platform admins only."""

    @property
    def readers(self) -> Rule:
        return Rule.ADMIN

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else false()


@dataclass(frozen=True)
class Policy:
    """The scope of a model and who may carry out each operation. Two more may delete a row: the user whom the column
    ``leaves`` names, and the managers of the organization that the column ``managed`` names."""

    scope: Scope
    create: Rule = Rule.SCOPE
    update: Rule = Rule.SCOPE
    delete: Rule = Rule.SCOPE
    session_only: SessionOnly = SessionOnly.NEVER
    leaves: str = ""
    managed: str = ""

    @property
    def read(self) -> Rule:
        """Reading follows the scope alone."""
        return self.scope.readers

    @property
    def list(self) -> Rule:
        return self.scope.readers

    def may_create(self, principal: Principal) -> bool:
        """Whether the rule lets the caller create at all; parents and organizations have their say later."""
        return principal.is_admin or self.create not in (Rule.ADMIN, Rule.NONE)

    def may_create_in(self, organization_id: UUID, principal: Principal) -> bool:
        """Whether the caller's role in the organization admits creating there."""
        role = principal.memberships.get(organization_id, "")
        write = self.scope.write if isinstance(self.scope, Organization) else Rule.SCOPE
        admitted = {Rule.OWNERS: ("owner",), Rule.MANAGERS: MANAGERS}
        rules = [rule for rule in (self.create, write) if rule in admitted]
        return principal.is_admin or all(role in admitted[rule] for rule in rules)

    def operations(self) -> dict[str, Rule]:
        return {name: getattr(self, name) for name in ("list", "create", "read", "update", "delete")}

    def listed(self, model: Model, reader: Reader, *, with_public: bool = False) -> Condition:
        """Rows of a list: the own ones, public ones of nobody, and all public ones where it is filtered for them."""
        own, public = self.scope.list_condition(model, reader), self.scope.public_rows(model)
        if reader is Reader.ADMIN:
            return true()
        if reader is Reader.ANONYMOUS or with_public:
            return or_(own, public)
        return or_(own, public & self.scope.unowned(model))

    def visible(self, model: Model, reader: Reader) -> Condition:
        """Rows that can be read by id and referred to."""
        if reader is Reader.ADMIN:
            return true()
        scope = self.scope
        colleagues = scope.colleagues(model, reader) if isinstance(scope, Owner) else false()
        return or_(scope.own(model, reader), scope.public_rows(model), colleagues)

    def writable(self, model: Model, reader: Reader, operation: str) -> Condition:
        """Rows among the visible ones that the caller may update or delete."""
        writable = self.scope.writable(model, reader, getattr(self, operation))
        return or_(writable, self._removable(model, reader)) if operation == "delete" else writable

    def reachable(self, model: Model, reader: Reader, operation: str) -> Condition:
        """Rows that a write can be about: any other is absent for the caller."""
        visible = self.visible(model, reader)
        return or_(visible, self._removable(model, reader)) if operation == "delete" else visible

    def _removable(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return false()
        left = getattr(model, self.leaves) == USER if self.leaves else false()
        return or_(left, getattr(model, self.managed) == MANAGED.any_()) if self.managed else left

    def asks_for_public(self, filters: Collection[str]) -> bool:
        """Whether a list asks for public rows of others: by an equality on the parent, or on what makes rows public."""
        if isinstance(self.scope, Parent):
            return self.scope.column in filters
        return bool(self.scope.public) and next(iter(self.scope.public or ())) in filters

"""The scopes that most models need: rows of a user, of an organization, of a parent, of everybody, and of admins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import column, false, or_, select, table, true
from sqlalchemy.orm import aliased

from app.engine.declare.principal import Reader
from app.engine.declare.scope import (
    EMAIL,
    MANAGED,
    ORGANIZATIONS,
    OWNED,
    SINGLE_ORGANIZATION,
    USER,
    Condition,
    Model,
    Rule,
    Scope,
    any_of,
    reach,
    reach_within,
)

PUBLISHED = {"visibility": ["public"]}

MEMBERSHIPS = table("auth_member", column("user_id"), column("organization_id"))


@dataclass(frozen=True)
class Owner(Scope):
    """Rows of the user named by ``column``. ``co_members`` lists the fields that colleagues see of the row; ``until``
    names a column that hides the row from its owner once it has a value."""

    judges_new_rows: ClassVar[bool] = False

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

    def bounds(self, model: Model, *, writes: bool = False) -> Condition:
        return getattr(model, self.until).is_(None) if self.until else true()

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

    judges_new_rows: ClassVar[bool] = False

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
        return organization == (SINGLE_ORGANIZATION if reader.is_of_one_organization else ORGANIZATIONS.any_())


@dataclass(frozen=True)
class Parent(Scope):
    """Rows that follow the row reached over ``column``; writing needs the right to write that row."""

    judges_new_rows: ClassVar[bool] = False

    inherits_public: bool = True

    @property
    def parent_column(self) -> str:
        return self.column

    def within(self, row: Model, organization: Any) -> Condition | None:
        return reach_within(row, self.column, organization)

    def own(self, model: Model, reader: Reader) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        return reach(model, self.column, lambda parent: parent.policy.own(parent, reader))

    def list_condition(self, model: Model, reader: Reader) -> Condition:
        """Name the parents first: a list then reads their rows by index instead of asking of every row whose it is."""
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return self.own(model, reader)
        parent = aliased(model.target(self.column))
        parents = select(parent.id).where(parent.policy.own_in_lists(parent, reader))
        return getattr(model, self.column) == any_of(parents)

    def public_rows(self, model: Model) -> Condition:
        if not self.inherits_public:
            return false()
        return reach(model, self.column, lambda parent: parent.policy.scope.public_rows(parent))

    def unowned(self, model: Model) -> Condition:
        return reach(model, self.column, lambda parent: parent.policy.scope.unowned(parent))

    def writable(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        if rule is not Rule.SCOPE:
            return false()
        return reach(model, self.column, lambda parent: parent.policy.writes(parent, reader, Rule.SCOPE))


@dataclass(frozen=True)
class Public(Scope):
    """Public rows are for everybody, all others for admins."""

    judges_new_rows: ClassVar[bool] = False

    @property
    def is_nobodys(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else self.public_rows(model)


@dataclass(frozen=True)
class Admin(Scope):
    """Rows for platform admins only."""

    judges_new_rows: ClassVar[bool] = False

    @property
    def readers(self) -> Rule:
        return Rule.ADMIN

    @property
    def is_nobodys(self) -> bool:
        return True

    def own(self, model: Model, reader: Reader) -> Condition:
        return true() if reader is Reader.ADMIN else false()

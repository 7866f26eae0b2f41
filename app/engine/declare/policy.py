"""Who may do what: the scope of a model, and a rule for each operation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy import false, or_, true

from app.engine.declare.principal import MANAGERS, Principal, Reader
from app.engine.declare.scopes import MANAGED, USER, Condition, Model, Rule, Scope


class SessionOnly(StrEnum):
    """Operations for which a session token is needed instead of a key."""

    NEVER = ""
    WRITES = "writes"
    ALL = "all"


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
        admitted = {Rule.OWNERS: ("owner",), Rule.MANAGERS: MANAGERS}
        rules = [rule for rule in (self.create, self.scope.writers) if rule in admitted]
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
        return or_(scope.own(model, reader), scope.public_rows(model), scope.colleagues(model, reader))

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
        if self.scope.parent_column:
            return self.scope.parent_column in filters
        return bool(self.scope.public) and next(iter(self.scope.public or ())) in filters

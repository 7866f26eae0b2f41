"""Who may do what: the scope of a model, and a rule for each operation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy import false, or_, true

from app.engine.declare.principal import MANAGERS, Principal, Reader
from app.engine.declare.readers_and_writers import ReadersAndWriters
from app.engine.declare.scope import MANAGED, USER, Condition, Model, Rule, Scope, both, either, is_everything
from app.engine.declare.sharing import shared_rows
from config import SettingError


class SessionOnly(StrEnum):
    """Operations for which a session token is needed instead of a key."""

    NEVER = ""
    WRITES = "writes"
    ALL = "all"


class Listed(StrEnum):
    """Which of the rows that a caller may read are in plain lists: the own ones (public ones where a list asks for
    them), or every visible one."""

    OWN = "own"
    VISIBLE = "visible"


@dataclass(frozen=True)
class Policy:
    """Who may do what with rows of a model: those of its ``scope``, by a rule for each operation. With ``readers`` and
    ``writers`` in place of the scope, one says who reads and the other who creates, changes and deletes. Two more may
    delete a row: the user whom the column ``leaves`` names, and the managers of the organization that the column
    ``managed`` names. ``listed`` says which rows are in plain lists.

    ``anonymous`` opens public rows to callers without a credential, ``anonymous_search`` their search as well, and
    ``anonymous_many`` conditions through relations to many. With ``anonymous_create`` anybody makes rows that name a
    public row, such as a form, whose organization has them. With ``links``, whoever may change a row makes links that
    show it to whoever has them; with ``shares``, whoever may change a row of their own shares it with people, teams and
    addresses."""

    scope: Scope = None  # type: ignore[assignment]
    create: Rule = Rule.SCOPE
    update: Rule = Rule.SCOPE
    delete: Rule = Rule.SCOPE
    session_only: SessionOnly = SessionOnly.NEVER
    leaves: str = ""
    managed: str = ""
    readers: Scope | None = None
    writers: Scope | None = None
    listed: str = Listed.OWN
    anonymous: bool = False
    anonymous_search: bool = False
    anonymous_many: bool = False
    anonymous_create: bool = False
    links: bool = False
    shares: bool = False

    def __post_init__(self) -> None:
        if self.readers is not None and self.writers is not None and self.scope is None:
            object.__setattr__(self, "scope", ReadersAndWriters(reading=self.readers, writing=self.writers))
        elif self.scope is None or self.readers or self.writers:
            raise SettingError("A policy has a scope, or both readers and writers")
        object.__setattr__(self, "listed", Listed(self.listed))

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

    def without_credential(self) -> tuple[str, ...]:
        """The operations that are open to callers without a credential, whatever the settings say."""
        return ("list", "read") * self.anonymous + ("create",) * self.anonymous_create

    def in_lists(
        self,
        model: Model,
        reader: Reader,
        operations: Collection[str] = ("list",),
        *,
        with_public: bool = False,
        with_shared: bool = True,
    ) -> Condition:
        """Rows of a list: the own ones, those that are shared with the caller, public ones of nobody, and all public
        ones where it is filtered for them."""
        listed = self._listed(model, reader.base, with_public)
        if with_shared:
            listed = either(listed, self.shared(model, reader.base, listed=True))
        return both(listed, reader.granted(model, *operations))

    def visible(self, model: Model, reader: Reader, operation: str = "read") -> Condition:
        """Rows that can be read by id and referred to, or with ``list`` reached by conditions."""
        return both(self._visible(model, reader.base), reader.granted(model, operation))

    def own(self, model: Model, reader: Reader) -> Condition:
        """Rows that are the caller's by the scope or shared with the caller, which show all their fields."""
        return either(self.scope.own(model, reader.base), self.shared(model, reader.base))

    def own_in_lists(self, model: Model, reader: Reader) -> Condition:
        """The same rows, in the form that a list finds fastest."""
        return either(self.scope.list_condition(model, reader.base), self.shared(model, reader.base, listed=True))

    def shared(self, model: Model, reader: Reader, *, writes: bool = False, listed: bool = False) -> Condition:
        """Rows that are shared with the caller, or with ``writes`` those that the caller may change: in the form for
        one row, or with ``listed`` for many."""
        if not (self.shares and reader.has_shares):
            return false()
        return both(shared_rows(model, writes=writes, listed=listed), self.scope.bounds(model, writes=writes))

    def writes(self, model: Model, reader: Reader, rule: Rule) -> Condition:
        """Rows that the caller may write by ``rule``, or by a share: that asks for no role, and opens nothing that only
        platform admins do, or nobody."""
        writable = self.scope.writable(model, reader, rule)
        if rule in (Rule.ADMIN, Rule.NONE):
            return writable
        return either(writable, self.shared(model, reader, writes=True))

    def writable(self, model: Model, reader: Reader, operation: str) -> Condition:
        """Rows among the visible ones that the caller may update or delete."""
        # What is shared is never deleted by those with whom it is, and neither is what belongs to it.
        base = reader.base.without_shares if operation == "delete" else reader.base
        writable = self.writes(model, base, getattr(self, operation))
        if operation == "delete":
            writable = or_(writable, self._removable(model, base))
        return both(writable, reader.granted(model, operation))

    def restorable(self, model: Model, reader: Reader) -> Condition:
        """Rows that the caller may bring back: those that the caller may delete, but not by leaving them."""
        base = reader.base.without_shares
        return both(
            or_(self.writes(model, base, self.delete), self._is_managed(model, base)), reader.granted(model, "delete")
        )

    def reachable(self, model: Model, reader: Reader, operation: str) -> Condition:
        """Rows that a write can be about: any other is absent for the caller."""
        reachable = self._visible(model, reader.base)
        if operation == "delete":
            reachable = or_(reachable, self._removable(model, reader.base))
        granted = reader.granted(model, "read"), reader.granted(model, operation)
        return reachable if any(map(is_everything, granted)) else both(reachable, or_(*granted))

    def _visible(self, model: Model, reader: Reader) -> Condition:
        return either(self.scope.visible(model, reader), self.shared(model, reader))

    def _listed(self, model: Model, reader: Reader, with_public: bool) -> Condition:
        if reader is Reader.ADMIN:
            return true()
        if self.listed is Listed.VISIBLE:
            return self.scope.visible(model, reader)
        own, public = self.scope.list_condition(model, reader), self.scope.public_rows(model)
        if reader is Reader.ANONYMOUS or with_public:
            return or_(own, public)
        return or_(own, public & self.scope.unowned(model))

    def _removable(self, model: Model, reader: Reader) -> Condition:
        if reader in (Reader.ADMIN, Reader.ANONYMOUS):
            return false()
        left = getattr(model, self.leaves) == USER if self.leaves else false()
        return or_(left, self._is_managed(model, reader))

    def _is_managed(self, model: Model, reader: Reader) -> Condition:
        is_one = self.managed and reader not in (Reader.ADMIN, Reader.ANONYMOUS)
        return getattr(model, self.managed) == MANAGED.any_() if is_one else false()

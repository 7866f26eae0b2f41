"""The caller of a request, as the database knows it now."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, StrEnum
from functools import cached_property
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import ColumnElement, true

MANAGERS = ("owner", "admin")
# From the one with most rights down.
ROLES = (*MANAGERS, "member")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "QUERY")


def expand_scopes(scopes: Collection[str]) -> frozenset[str]:
    """The scopes with what they include: admin covers write, write covers read."""
    if "admin" in scopes:
        return frozenset({"read", "write", "admin"})
    return frozenset({"read", "write"} if "write" in scopes else scopes)


def scope_of(method: str) -> str:
    """The scope that a verb of HTTP needs."""
    return "read" if method in SAFE_METHODS else "write"


class Credential(StrEnum):
    """What the caller presented."""

    SESSION = "session"
    KEY = "key"
    ANONYMOUS_KEY = "anonymous_key"
    # None: what is open to everybody.
    NOBODY = "nobody"
    # The service itself, or whoever runs it.
    SYSTEM = "system"


class Reader(Enum):
    """The shapes a visibility condition can take; statements are compiled once for each."""

    ADMIN = "admin"
    MEMBER = "member"
    MEMBER_OF_SEVERAL = "member_of_several"
    # With whom something is shared besides.
    MEMBER_WITH_SHARES = "member_with_shares"
    MEMBER_OF_SEVERAL_WITH_SHARES = "member_of_several_with_shares"
    ANONYMOUS = "anonymous"

    @property
    def base(self) -> Reader:
        """The reader without the grants that narrow it."""
        return self

    @property
    def is_of_one_organization(self) -> bool:
        return self in (Reader.MEMBER, Reader.MEMBER_WITH_SHARES)

    @property
    def has_shares(self) -> bool:
        """Whether anything is shared with the reader."""
        return self in WITHOUT_SHARES

    @property
    def without_shares(self) -> Reader:
        """The reader as it would be if nothing was shared with it."""
        return WITHOUT_SHARES.get(self, self)

    def granted(self, row: Any, *operations: str) -> ColumnElement[bool]:
        """The rows that grants allow for all of ``operations``: every one."""
        return true()

    def shows(self, model: Any, name: str, *operations: str) -> bool:
        """Whether grants show the field called ``name`` on any row for all of ``operations``."""
        return True

    def admits(self, model: Any, *operations: str) -> bool:
        """Whether grants allow any row for all of ``operations``."""
        return True

    def admits_wholly(self, model: Any, *operations: str) -> bool:
        """Whether grants allow every row with all of its fields for all of ``operations``."""
        return True

    def field_grants(self, model: Any, name: str, *operations: str, filtered: bool = True) -> Hashable:
        """Which grants show the field called ``name``, as ``granted_by`` takes it; empty where all rows show it, or
        with ``filtered`` all that grants allow."""
        return ()

    def granted_by(self, row: Any, grants: Hashable) -> ColumnElement[bool]:
        """The rows that meet some of the grants that ``field_grants`` has found."""
        return true()


WITHOUT_SHARES = {
    Reader.MEMBER_WITH_SHARES: Reader.MEMBER,
    Reader.MEMBER_OF_SEVERAL_WITH_SHARES: Reader.MEMBER_OF_SEVERAL,
}
WITH_SHARES = {reader: shared for shared, reader in WITHOUT_SHARES.items()}


Recipients = Mapping[str, UUID | None]


def recipients_within(recipients: Recipients, organizations: Collection[UUID]) -> dict[str, UUID | None]:
    """The caller's own recipients of shares, without teams of other organizations."""
    return {name: team_of for name, team_of in recipients.items() if team_of is None or team_of in organizations}


class Narrowing(Protocol):
    """What narrows a credential: ``app.engine.read.grants`` has it. Its ``values`` are further bind parameters;
    ``hash`` tells whether it is the same as at an earlier request."""

    @property
    def hash(self) -> str: ...

    @property
    def values(self) -> dict[str, Any]: ...

    @property
    def lists(self) -> Sequence[Any]: ...

    @property
    def is_of_key(self) -> bool: ...

    @property
    def reaches(self) -> bool: ...

    def reader(self, base: Reader) -> Any:
        """The reader that ``base`` becomes by it."""

    def within(self, organizations: Collection[UUID]) -> Narrowing | None:
        """What of it narrows a caller who acts in ``organizations`` alone."""

    def requiring(self, operation: str) -> Narrowing:
        """A copy by which each write also needs a grant of ``operation``."""


@dataclass(frozen=True)
class Principal:
    """A caller as the database knows it at this request.

    ``is_admin`` is the effective right: the user is an admin now and the credential carries it.
    ``memberships`` maps the organizations that this credential acts in to the live role in each.
    """

    credential: Credential
    credential_id: UUID
    scopes: frozenset[str]
    user_id: UUID | None = None
    organization_id: UUID | None = None
    is_admin: bool = False
    memberships: Mapping[UUID, str] = field(default_factory=dict)
    verified_email: str | None = None
    authenticated_at: datetime | None = None
    # Organizations that count the caller as no member until a second factor is set up.
    organizations_requiring_second_factor: Sequence[UUID] = ()
    # The admin who looks at the service with the eyes of the user.
    impersonator_id: UUID | None = None
    # Of a key that came in the query string, which proxies write down.
    from_query: bool = False
    # A program that somebody has connected, which speaks with the words of others.
    is_client: bool = False
    narrowing: Narrowing | None = None
    # The recipients of shares that stand for the caller: the user, an address, teams with the organization of each;
    # only those with which something is shared.
    recipients: Recipients = field(default_factory=dict)

    @cached_property
    def reader(self) -> Reader:
        base = Reader.MEMBER if len(self.memberships) == 1 else Reader.MEMBER_OF_SEVERAL
        if self.is_admin:
            base = Reader.ADMIN
        elif self.user_id is None and not self.memberships:
            base = Reader.ANONYMOUS
        if self.recipients:
            base = WITH_SHARES.get(base, base)
        return base if self.narrowing is None else self.narrowing.reader(base)

    @property
    def is_nobody(self) -> bool:
        """Whether no credential was presented."""
        return self.credential is Credential.NOBODY

    @property
    def grants_hash(self) -> str:
        """A hash of the grants that narrow the caller, empty where none do."""
        return "" if self.narrowing is None else self.narrowing.hash

    def within(self, memberships: Mapping[UUID, str], organization_id: UUID | None) -> Principal:
        """The caller with these memberships alone, and the grants of these; all grants where anything is shared."""
        recipients = recipients_within(self.recipients, memberships)
        # A row that is shared may be of any organization, whose grants narrow it.
        narrowing = self.narrowing
        if narrowing is not None and not recipients:
            narrowing = narrowing.within(memberships)
        return replace(
            self,
            organization_id=organization_id,
            memberships=memberships,
            narrowing=narrowing,
            recipients=recipients,
        )

    def without_shares(self) -> Principal:
        """The caller as if nothing was shared with them."""
        return replace(self, recipients={}) if self.recipients else self

    def organizations(self, *roles: str) -> list[UUID]:
        """List the organizations in which the caller has one of ``roles`` (any role when none is named)."""
        return [each for each, role in self.memberships.items() if not roles or role in roles]

    def manages(self, organization_id: UUID | None) -> bool:
        return self.is_admin or (organization_id is not None and self.memberships.get(organization_id) in MANAGERS)

    def covers(self, other: Principal) -> bool:
        """Whether the caller has every right that ``other`` has."""
        roles = ((role, self.memberships.get(each)) for each, role in other.memberships.items())
        if self.grants_hash != other.grants_hash:
            return False
        if not self.recipients.keys() >= other.recipients.keys():
            return False
        is_member_as_before = all(now is not None and ROLES.index(now) <= ROLES.index(role) for role, now in roles)
        return is_member_as_before and self.is_admin >= other.is_admin and self.scopes >= other.scopes

    @cached_property
    def binds(self) -> dict[str, Any]:
        """Values of the bind parameters that conditions are made of."""
        organizations = self.organizations()
        binds = {
            "caller_user": self.user_id,
            "caller_email": self.verified_email,
            "caller_organization": organizations[0] if len(organizations) == 1 else None,
            "caller_organizations": organizations,
            "caller_managed": self.organizations(*MANAGERS),
            "caller_owned": self.organizations("owner"),
            "caller_recipients": list(self.recipients),
        }
        return binds if self.narrowing is None else binds | self.narrowing.values


# The principal of jobs, commands and sign-ins, for which no caller is known: it may do whatever the models allow.
SYSTEM = Principal(Credential.SYSTEM, UUID(int=0), expand_scopes(["admin"]), is_admin=True)

"""The sample organization, its three members and their team."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import update

from app.auth.accounts import passwords
from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization, AuthTeam, AuthTeamMember
from app.auth.organizations import organizations
from app.notification.models import NotificationPreference
from app.ops.samples.context import Context
from app.storage.models import StorageBucket

NAME, SLUG = "Harbour Works Demo", "harbour-works-demo"
MAIL_DOMAIN = "harbour.example"
FOUNDED = 64
# Role, name, days since joining, time of the last sign-in on the day before loading.
MEMBERS = (
    ("owner", "Mara Lindqvist", FOUNDED, "08:12"),
    ("admin", "Tomas Okafor", 60, "08:34"),
    ("member", "Ines Duarte", 55, "08:47"),
)


@dataclass(frozen=True)
class Team:
    """The organization and its people: ``owner`` and ``admin`` manage it, ``member`` keeps the companies."""

    organization: AuthOrganization
    owner: AuthUser
    admin: AuthUser
    member: AuthUser

    @property
    def everybody(self) -> tuple[AuthUser, AuthUser, AuthUser]:
        return self.owner, self.admin, self.member


def make(context: Context) -> tuple[Team, list[tuple[str, str]]]:
    """Store the people and the organization; also return each address with its password."""
    users, credentials = [], []
    for _, name, days, signed_in in MEMBERS:
        user, password = _person(context, name, context.at(days, "09:00"), context.at(1, signed_in))
        users.append(user)
        credentials.append((user.email, password))
    team = Team(_organization(context, users), *users)
    _desk(context, team)
    return team, credentials


def _person(context: Context, name: str, joined: datetime, signed_in: datetime) -> tuple[AuthUser, str]:
    email = f"{name.lower().replace(' ', '.')}@{MAIL_DOMAIN}"
    user = AuthUser(
        email=email, name=name, email_verified=True, last_login_at=signed_in, created_at=joined, updated_at=signed_in
    )
    _backdate(context, organizations.provision_user(context.unit, user).id, joined)
    wanted = NotificationPreference.user_id == user.id
    context.unit.bookkeep(update(NotificationPreference).where(wanted).values(created_at=joined, updated_at=joined))
    password = secrets.token_urlsafe(15)
    account = AuthAccount(
        user_id=user.id, provider_id="credential", issuer="local", account_id=str(user.id),
        password=passwords.hash_password(password),
    )  # fmt: skip
    context.store(account, joined)
    return user, password


def _organization(context: Context, users: list[AuthUser]) -> AuthOrganization:
    founded = context.at(FOUNDED, "09:20")
    organization = context.store(AuthOrganization(name=NAME, slug=SLUG), founded)
    organizations.provision_organization(context.unit, organization, users[0].id)
    _backdate(context, organization.id, founded)
    for user, (role, _, days, _) in zip(users[1:], MEMBERS[1:], strict=True):
        member = AuthMember(organization_id=organization.id, user_id=user.id, role=role)
        context.store(member, context.at(days, "09:30"))
    return organization


def _backdate(context: Context, organization_id: UUID, made: datetime) -> None:
    """Date an organization that was just furnished, its first member and its bucket."""
    dates = {"created_at": made, "updated_at": made}
    context.unit.bookkeep(update(AuthOrganization).where(AuthOrganization.id == organization_id).values(dates))
    context.unit.bookkeep(update(AuthMember).where(AuthMember.organization_id == organization_id).values(dates))
    context.unit.bookkeep(update(StorageBucket).where(StorageBucket.organization_id == organization_id).values(dates))


def _desk(context: Context, team: Team) -> None:
    made = context.at(54, "10:05")
    description = "Answers customers, and keeps companies, contacts and deals in order."
    desk = AuthTeam(organization_id=team.organization.id, name="Customer desk", description=description)
    context.store(desk, made)
    for user in (team.admin, team.member):
        context.store(AuthTeamMember(team_id=desk.id, user_id=user.id), made)

"""Hooks of accounts: roles, owners, the last admin, invitations and memberships."""

from __future__ import annotations

from secrets import token_hex
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.exc import IntegrityError

from app.auth.accounts import identities, recovery, users
from app.auth.accounts.events import account_deleted, signed_out
from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.models.identity import AuthAccount, AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization, AuthTeam, AuthTeamMember
from app.auth.models.sharing import AuthShare
from app.auth.organizations import memberships
from app.auth.organizations.organizations import (
    cancel_invitations,
    end_sessions,
    free_slug,
    provision_organization,
    provision_user,
)
from app.auth.sharing import shares
from app.engine.declare.principal import MANAGERS, Principal
from app.engine.write import audit
from app.engine.write.hooks import Write, on_create, on_delete, on_update, require
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden

RANKS = {"member": 0, "admin": 1, "owner": 2}
# Any number of its own will do.
ADMIN_LOCK = 7_203_150


@on_create(AuthUser, callers_only=True)
def register(user: AuthUser, write: Write) -> None:
    provision_user(write.unit, user)
    recovery.welcome(write.unit, user)


@on_update(AuthUser, callers_only=True)
def check_user_change(user: AuthUser, write: Write) -> None:
    own = user.id == write.unit.principal.user_id
    require(not (own and write.changed("role")), "role", "Nobody changes their own role.")
    require(not (own and write.changed("banned", "ban_expires")), "banned", "Nobody bans themselves.")
    if write.changed("role", "banned") and write.before.get("role", user.role) == "admin":
        _keep_an_admin(user, write)
    if write.changed("role") or (write.changed("banned") and user.banned):
        end_sessions(write.unit, user.id)
        _cancel_invitations_of(user, write)


def _cancel_invitations_of(user: AuthUser, write: Write) -> None:
    """Take back the open invitations of somebody who is banned, and those that only a platform admin could send."""
    own = [AuthInvitation.inviter_id == user.id]
    if not user.banned:
        managed = (AuthMember.user_id == user.id, AuthMember.role.in_(MANAGERS))
        own.append(AuthInvitation.organization_id.not_in(select(AuthMember.organization_id).where(*managed)))
    if user.banned or user.role != "admin":
        cancel_invitations(write.unit, *own)


@on_delete(AuthUser, callers_only=True)
def remove_user(user: AuthUser, write: Write) -> None:
    if user.id == write.unit.principal.user_id:
        require_recent_authentication(write.unit.principal)
    if user.role == "admin":
        _keep_an_admin(user, write)
    cancel_invitations(write.unit, AuthInvitation.inviter_id == user.id)
    shares.end_outside(write.unit, AuthShare.created_by_id == user.id)
    for organization in write.unit.session.scalars(_owned_by(user.id)):
        if organization.is_personal:
            write.unit.session.delete(organization)
        elif _is_last_owner(organization.id, user.id, write):
            raise Conflict(f"Hand over or delete the organization {organization.slug} first")
    account_deleted.emit(write.unit, user)


def _keep_an_admin(user: AuthUser, write: Write) -> None:
    """Refuse to take away the last admin. One at a time does so, or two could remove each other."""
    write.unit.session.execute(select(func.pg_advisory_xact_lock(ADMIN_LOCK)))
    others = count(AuthUser, AuthUser.role == "admin", AuthUser.banned.is_(False), AuthUser.id != user.id)
    with write.unit.session.no_autoflush:
        if not write.unit.session.scalar(others):
            raise Conflict("The last admin stays")


@on_delete(AuthSession, callers_only=True)
def tell_signed_out(session: AuthSession, write: Write) -> None:
    signed_out.emit(write.unit, session)


@on_delete(AuthAccount, callers_only=True)
def unlink(account: AuthAccount, write: Write) -> None:
    require_recent_authentication(write.unit.principal)
    write.unit.get(AuthUser, account.user_id, lock=True)
    users.require_other_sign_in_method(write.unit, account.user_id)
    identities.tell_unlinked(write.unit, account)


@on_create(AuthOrganization, callers_only=True)
def create_organization(organization: AuthOrganization, write: Write) -> None:
    _check_factor(organization, write)
    if organization.slug is None:
        _store_under_free_slug(organization, write)
    else:
        write.unit.store(organization)
    owner = provision_organization(write.unit, organization, write.unit.principal.user_id)
    audit.record_write(write.unit, "create", owner)


def _store_under_free_slug(organization: AuthOrganization, write: Write) -> None:
    organization.slug = free_slug(write.unit.session, organization.name)
    try:
        with write.unit.session.begin_nested():
            write.unit.store(organization)
    except IntegrityError:  # somebody took it in between
        organization.slug = f"{organization.slug[:39]}-{token_hex(4)}"
        write.unit.store(organization)


@on_update(AuthOrganization, callers_only=True)
def check_organization_change(organization: AuthOrganization, write: Write) -> None:
    if write.changed("require_two_factor"):
        _check_factor(organization, write)
    if write.changed("outside_shares") and not organization.outside_shares:
        shares.end_outside(write.unit, AuthShare.organization_id == organization.id)


def _check_factor(organization: AuthOrganization, write: Write) -> None:
    """Whoever asks others for a second factor has one, or would be out at once."""
    if organization.require_two_factor and not memberships.has_factor(write.unit.session, write.unit.principal.user_id):
        raise Forbidden("Set up a second factor or a passkey of your own first")


@on_delete(AuthOrganization, callers_only=True)
def refuse_deleting_personal(organization: AuthOrganization, write: Write) -> None:
    if organization.is_personal:
        raise Conflict("A personal organization goes with its user")


@on_create(AuthMember, callers_only=True)
def check_new_member(member: AuthMember, write: Write) -> None:
    refuse_second_owner(member.organization_id, member.role, write)


@on_update(AuthMember, callers_only=True)
def change_role(member: AuthMember, write: Write) -> None:
    before = write.before.get("role")
    if before is None:
        return
    lock_organization(member.organization_id, write)
    refuse_second_owner(member.organization_id, member.role, write)
    check_may_give_role(member.organization_id, member.role, write.unit.principal)
    _check_outranks(member, before, write)
    if RANKS[member.role] < RANKS[before]:
        beyond = [role for role, rank in RANKS.items() if rank >= RANKS[member.role]]
        cancel_invitations(write.unit, *_invitations_of(member), AuthInvitation.role.in_(beyond))


@on_delete(AuthMember, callers_only=True)
def leave(member: AuthMember, write: Write) -> None:
    lock_organization(member.organization_id, write)
    if member.user_id != write.unit.principal.user_id:
        _check_outranks(member, member.role, write)
    elif member.role == "owner":
        _keep_an_owner(member, write)
    teams = select(AuthTeam.id).where(AuthTeam.organization_id == member.organization_id)
    joined = (AuthTeamMember.user_id == member.user_id, AuthTeamMember.team_id.in_(teams))
    for membership in write.unit.session.scalars(select(AuthTeamMember).where(*joined)).all():
        audit.record_write(write.unit, "delete", membership)
        write.unit.session.delete(membership)
    _revoke_access(member, write)


def _revoke_access(member: AuthMember, write: Write) -> None:
    """End what would let somebody who left act in the organization, or come back by themselves."""
    keys = (AuthApiKey.user_id == member.user_id, AuthApiKey.organization_id == member.organization_id)
    for key in write.unit.session.scalars(select(AuthApiKey).where(*keys, AuthApiKey.revoked_at.is_(None))).all():
        key.revoked_at = now()
        audit.note(write.unit, "auth.api_key.revoke", key)
    cancel_invitations(write.unit, *_invitations_of(member))
    of_it = AuthShare.organization_id == member.organization_id
    shares.end_outside(write.unit, AuthShare.created_by_id == member.user_id, of_it)


def _invitations_of(member: AuthMember) -> tuple[ColumnElement[bool], ...]:
    return (AuthInvitation.inviter_id == member.user_id, AuthInvitation.organization_id == member.organization_id)


def check_may_give_role(organization_id: UUID, role: str, principal: Principal) -> None:
    """Only an owner may give a role at or above their own; raises Forbidden."""
    own = principal.memberships.get(organization_id, "member")
    if not principal.is_admin and own != "owner" and RANKS[role] >= RANKS[own]:
        raise Forbidden(f"Only an owner grants the role {role}")


def refuse_second_owner(organization_id: UUID, role: str, write: Write) -> None:
    """A personal organization has one owner, the person it was made for."""
    with write.unit.session.no_autoflush:
        organization = write.unit.get(AuthOrganization, organization_id)
    require(role != "owner" or not organization.is_personal, "role", "A personal organization has one owner.")


def _check_outranks(member: AuthMember, role: str, write: Write) -> None:
    """Only an owner takes a role at or above their own from somebody else, and never the last owner's."""
    principal = write.unit.principal
    own = principal.memberships.get(member.organization_id, "member")
    itself = member.user_id == principal.user_id
    if not (principal.is_admin or itself or own == "owner") and RANKS[role] >= RANKS[own]:
        raise Forbidden(f"Only an owner takes the role {role} from somebody")
    if role == "owner":
        _keep_an_owner(member, write)


def _keep_an_owner(member: AuthMember, write: Write) -> None:
    last = _is_last_owner(member.organization_id, member.user_id, write)
    require(not last, "role", "The last owner of an organization stays.")


def _is_last_owner(organization_id: UUID, user_id: UUID, write: Write) -> bool:
    others = exists().where(
        AuthMember.organization_id == organization_id, AuthMember.role == "owner", AuthMember.user_id != user_id
    )
    with write.unit.session.no_autoflush:
        return not write.unit.session.scalar(select(others))


def lock_organization(organization_id: UUID, write: Write) -> None:
    with write.unit.session.no_autoflush:
        write.unit.get(AuthOrganization, organization_id, lock=True)


@on_create(AuthTeamMember, callers_only=True)
def join_team(membership: AuthTeamMember, write: Write) -> None:
    team = write.unit.get(AuthTeam, membership.team_id)
    wanted = (AuthMember.organization_id == team.organization_id, AuthMember.user_id == membership.user_id)
    fits = bool(write.unit.session.scalar(count(AuthMember, *wanted)))
    require(fits, "userId", "Must be a member of the organization of the team.")


def _owned_by(user_id: UUID) -> Select[Any]:
    """The organizations that a user owns, locked in one order for all who do so."""
    joined = select(AuthOrganization).join(AuthMember, AuthMember.organization_id == AuthOrganization.id)
    owned = joined.where(AuthMember.user_id == user_id, AuthMember.role == "owner")
    return owned.order_by(AuthOrganization.id).with_for_update(of=AuthOrganization)


def count(model: type, *conditions: ColumnElement[bool]) -> Select[Any]:
    return select(func.count()).select_from(model).where(*conditions)

"""Hooks of invitations: who offers which role, and what an answer does."""

from __future__ import annotations

from app.auth.accounts.hooks import check_may_give_role, count, lock_organization, refuse_second_owner
from app.auth.models.organizations import AuthInvitation, AuthTeam
from app.auth.organizations import invitations
from app.engine.declare.principal import Credential, Principal
from app.engine.write.hooks import Write, on_create, on_delete, on_update, require
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, Unauthenticated

MAX_PENDING = 100


@on_create(AuthInvitation, callers_only=True)
def invite(invitation: AuthInvitation, write: Write) -> None:
    require(invitation.status == "pending", "status", "A new invitation is pending.")
    require(invitation.expires_at > now(), "expiresAt", "Must be in the future.")
    lock_organization(invitation.organization_id, write)
    waiting = (AuthInvitation.organization_id == invitation.organization_id, AuthInvitation.status == "pending")
    if (write.unit.session.scalar(count(AuthInvitation, *waiting)) or 0) >= MAX_PENDING:
        raise Conflict(f"An organization has at most {MAX_PENDING} invitations that wait for an answer")
    refuse_second_owner(invitation.organization_id, invitation.role, write)
    check_may_give_role(invitation.organization_id, invitation.role, write.unit.principal)
    if invitation.team_id is not None:
        team = write.unit.get(AuthTeam, invitation.team_id)
        fits = team.organization_id == invitation.organization_id
        require(fits, "teamId", "Must be a team of the organization.")
    if write.unit.principal.credential is not Credential.SYSTEM:
        invitations.count_for_sender(write.unit)
    invitations.send(write.unit, invitation)


@on_update(AuthInvitation, callers_only=True)
def answer_invitation(invitation: AuthInvitation, write: Write) -> None:
    if not write.changed("status"):
        return
    principal = write.unit.principal
    if invitation.status == "canceled":
        _check_manager(invitation, principal)
    else:
        _check_addressee(invitation, principal)
        if invitation.status == "accepted":
            require(invitation.expires_at > now(), "status", "The invitation has expired.")
            if principal.user_id is None:
                raise Unauthenticated()
            invitations.admit(write.unit, invitation, principal.user_id)
    invitation.responded_at = now()


@on_delete(AuthInvitation, callers_only=True)
def withdraw_invitation(invitation: AuthInvitation, write: Write) -> None:
    _check_manager(invitation, write.unit.principal)


def _check_manager(invitation: AuthInvitation, principal: Principal) -> None:
    if not principal.manages(invitation.organization_id):
        raise Forbidden("Only a manager of the organization withdraws an invitation")


def _check_addressee(invitation: AuthInvitation, principal: Principal) -> None:
    if principal.credential is not Credential.SESSION or principal.verified_email != invitation.email:
        raise Forbidden("Only the invited person accepts or rejects")

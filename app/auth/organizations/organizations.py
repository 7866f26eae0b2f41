"""Provisioning: what a new user and a new organization get, from this domain and from those that subscribe."""

from __future__ import annotations

import secrets
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.orm import Session

from app.auth.accounts import addresses
from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.events import Event
from app.foundation.slugs import slug_of

# A user, or an organization with the id of its owner, was just stored.
user_provisioned: Event[[Unit, AuthUser]] = Event()
organization_provisioned: Event[[Unit, AuthOrganization, UUID | None]] = Event()

MAX_SLUG_LENGTH = 48


def provision_user(unit: Unit, user: AuthUser) -> AuthOrganization:
    """Store a new user with what everybody has: a personal organization, and what other domains give a user. Raises
    UniqueViolation for an address that is another account's."""
    addresses.claim(unit, user.email)
    unit.store(user)
    organization = AuthOrganization(name=user.name, slug=free_slug(unit.session, user.name), is_personal=True)
    unit.store(organization)
    provision_organization(unit, organization, user.id)
    user_provisioned.emit(unit, user)
    unit.session.flush()
    return organization


def provision_organization(unit: Unit, organization: AuthOrganization, owner_id: UUID | None) -> AuthMember:
    """Give a stored organization its owner, whose membership is returned, and what other domains give it."""
    owner = AuthMember(organization_id=organization.id, user_id=owner_id, role="owner")
    unit.session.add(owner)
    organization_provisioned.emit(unit, organization, owner_id)
    unit.session.flush()
    return owner


def free_slug(session: Session, name: str) -> str:
    """Make a slug from ``name``, with a random ending where the plain one is short or taken."""
    slug = slug_of(name, MAX_SLUG_LENGTH - 9)
    taken = exists().where(AuthOrganization.slug == slug)
    if len(slug) >= 3 and not session.scalar(select(taken)):
        return slug
    return f"{slug or 'org'}-{secrets.token_hex(4)}"


def personal_organization_of(session: Session, user_id: UUID) -> UUID | None:
    """The personal organization of a user."""
    member = AuthMember.organization_id == AuthOrganization.id
    personal = select(AuthOrganization.id).join(AuthMember, member)
    owned = (AuthMember.user_id == user_id, AuthMember.role == "owner")
    return session.scalar(personal.where(AuthOrganization.is_personal, *owned))


def end_sessions(unit: Unit, user_id: UUID) -> None:
    """Sign a user out everywhere."""
    unit.bookkeep(delete(AuthSession).where(AuthSession.user_id == user_id))


def cancel_invitations(unit: Unit, *which: ColumnElement[bool], actor: AuthUser | None = None) -> None:
    """Take back those invitations under ``which`` that nobody has answered."""
    waiting = select(AuthInvitation).where(*which, AuthInvitation.status == "pending")
    for invitation in unit.session.scalars(waiting.with_for_update()).all():
        invitation.status, invitation.responded_at = "canceled", now()
        audit.record_write(unit, "update", invitation, {"status": "pending"}, actor=actor)

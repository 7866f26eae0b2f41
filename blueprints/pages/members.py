"""One organization: its members, their roles, and who is invited."""

from __future__ import annotations

from uuid import UUID

from flask import Response, request
from wtforms import BooleanField, SelectField
from wtforms.fields import SelectChoice

from app.auth.credentials.authentication import caller
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization
from app.engine.read import records
from app.engine.read.pages import list_page
from app.engine.read.query import Query, equals
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from blueprints.http.base import load
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, address_field
from schemas.derive import create_schema, update_schema

MAX_SHOWN = 500
ROLES = {"member": _("Member"), "admin": _("Admin"), "owner": _("Owner")}


class InvitationForm(AccountForm):
    email = address_field(_("E-mail"), "off")
    role = SelectField(_("Role"), choices=[SelectChoice(*each) for each in ROLES.items()])


class GuardForm(AccountForm):
    requireTwoFactor = BooleanField(_("Members need a second factor or a passkey"))  # noqa: N815 - the wire name


@pages.signed_in
def organization(organization_id: UUID) -> Response:
    principal = caller()
    members = Query(where=equals(AuthMember, organization_id=organization_id), take=MAX_SHOWN)
    invited = Query(where=equals(AuthInvitation, organization_id=organization_id, status="pending"), take=MAX_SHOWN)
    manages = principal.manages(organization_id)
    found = records.get(AuthOrganization, principal, organization_id)
    return pages.page(
        "organization",
        organization=found,
        members=list_page(AuthMember, principal, members).records,
        invitations=list_page(AuthInvitation, principal, invited).records if manages else [],
        manages=manages, roles=ROLES, own_id=str(pages.own_id()),
        form=pages.shown(InvitationForm, role="member"),
        guard=pages.shown(GuardForm, requireTwoFactor=found["requireTwoFactor"]),
    )  # fmt: skip


@pages.signed_in
@pages.acts_on("organization")
def change_role(organization_id: UUID, member_id: UUID) -> Response:
    given = load(update_schema(AuthMember), {"role": request.form.get("role", "")})
    run_unit(caller(), Unit.update, AuthMember, member_id, given)
    return pages.done("organization", gettext("The role is changed."), organization_id=organization_id)


@pages.signed_in
@pages.acts_on("organization")
def remove(organization_id: UUID, member_id: UUID) -> Response:
    removed = records.get(AuthMember, caller(), member_id)
    run_unit(caller(), Unit.delete, AuthMember, member_id)
    if str(removed["userId"]) == str(pages.own_id()):
        return pages.done("organizations", gettext("You have left the organization."))
    return pages.done("organization", gettext("The member is removed."), organization_id=organization_id)


@pages.signed_in
@pages.acts_on("organization")
def invite(organization_id: UUID) -> Response:
    form = pages.sent(InvitationForm)
    sent = {"organizationId": str(organization_id), "email": form.email.data, "role": form.role.data}
    made = run_unit(caller(), Unit.create, AuthInvitation, load(create_schema(AuthInvitation), sent))
    told = (
        gettext("The invitation is out.")
        if made["mailed"]
        else gettext("The invitation is made. The address has just had one, so no further mail was sent.")
    )
    return pages.done("organization", told, organization_id=organization_id)


@pages.signed_in
@pages.acts_on("organization")
def withdraw(organization_id: UUID, invitation_id: UUID) -> Response:
    run_unit(caller(), Unit.update, AuthInvitation, invitation_id, {"status": "canceled"})
    return pages.done("organization", gettext("The invitation is withdrawn."), organization_id=organization_id)


@pages.signed_in
@pages.acts_on("organization")
def guard(organization_id: UUID) -> Response:
    given = load(update_schema(AuthOrganization), {"requireTwoFactor": pages.sent(GuardForm).requireTwoFactor.data})
    run_unit(caller(), Unit.update, AuthOrganization, organization_id, given)
    return pages.done("organization", gettext("Saved."), organization_id=organization_id)


ONE = "/organizations/<uuid:organization_id>"
MEMBER, INVITATION = f"{ONE}/members/<uuid:member_id>", f"{ONE}/invitations/<uuid:invitation_id>"
ROUTES = (
    (ONE, "organization", organization),
    (f"{MEMBER}/role", "change_role", change_role, "POST"),
    (f"{MEMBER}/remove", "remove_member", remove, "POST"),
    (f"{ONE}/invitations", "invite", invite, "POST"),
    (f"{INVITATION}/withdraw", "withdraw_invitation", withdraw, "POST"),
    (f"{ONE}/guard", "guard_organization", guard, "POST"),
)

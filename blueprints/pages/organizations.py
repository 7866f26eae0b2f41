"""Organizations: those that one is a member of, and the invitations to further ones."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from app.auth.credentials.authentication import caller
from app.auth.models.organizations import AuthInvitation, AuthOrganization
from app.auth.organizations import received_invitations
from app.engine.declare.kind import Operator
from app.engine.read.pages import list_page
from app.engine.read.query import Comparison, Junction, Query, SortKey
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from blueprints.http.base import load
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, name_field
from schemas.derive import create_schema

MAX_SHOWN = 200


class OrganizationForm(AccountForm):
    name = name_field(_("Name"), "organization")


@pages.signed_in
def organizations() -> Response:
    fields, principal = AuthOrganization.fields(), caller()
    own = Comparison(fields["id"], Operator.IN, principal.organizations())
    query = Query(where=Junction((own,)), sort=(SortKey((), fields["name"]),), take=MAX_SHOWN, is_plain=False)
    return pages.page(
        "organizations",
        organizations=list_page(AuthOrganization, principal, query).records,
        roles={str(each): role for each, role in principal.memberships.items()},
        received=received_invitations.waiting(principal),
        form=pages.shown(OrganizationForm),
    )


@pages.signed_in
@pages.acts_on("organizations")
def create() -> Response:
    given = load(create_schema(AuthOrganization), {"name": pages.sent(OrganizationForm).name.data})
    made = run_unit(caller(), Unit.create, AuthOrganization, given)
    return pages.done("organization", gettext("The organization is there."), organization_id=made["id"])


@pages.signed_in
@pages.acts_on("organizations")
def accept(invitation_id: UUID) -> Response:
    run_unit(caller(), Unit.update, AuthInvitation, invitation_id, {"status": "accepted"})
    return pages.done("organizations", gettext("You are a member now."))


@pages.signed_in
@pages.acts_on("organizations")
def reject(invitation_id: UUID) -> Response:
    run_unit(caller(), Unit.update, AuthInvitation, invitation_id, {"status": "rejected"})
    return pages.done("organizations", gettext("The invitation is declined."))


ROUTES = (
    ("/organizations", "organizations", organizations),
    ("/organizations", "create_organization", create, "POST"),
    ("/invitations/<uuid:invitation_id>/accept", "accept_invitation", accept, "POST"),
    ("/invitations/<uuid:invitation_id>/reject", "reject_invitation", reject, "POST"),
)

"""Bodies of the routes about addresses, passwords, invitations, and the account as a whole."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.auth.accounts.passwords import MAX_LENGTH
from app.auth.accounts.proofs import MAX_SECRET_LENGTH
from app.auth.organizations.invitations import Invited
from app.auth.sign_in.two_factor.codes import MAX_CODE_LENGTH
from schemas.fields import Flag, Identifier, Moment, Text, WireSchema
from schemas.people.sign_in import AN_ADDRESS, SessionUser, SignedInBody, readable

A_TOKEN: dict[str, Any] = {
    "validate": validate.Length(1, MAX_SECRET_LENGTH),
    "metadata": {"description": "From the link in the mail."},
}
NEW_PASSWORD: dict[str, Any] = {
    "metadata": {
        "description": "PASSWORD_MIN_LENGTH, 8 unless set, to 128 characters.", "minLength": 8, "maxLength": MAX_LENGTH,
    },
}  # fmt: skip
A_NAME: dict[str, Any] = {"validate": [validate.Length(1, 120), readable], "metadata": {"pattern": r"\S"}}


class Empty(WireSchema):
    """Nothing to say: the request is taken, or done."""


class Address(WireSchema):
    """An address, whether or not it has an account."""

    email = Text(required=True, metadata=AN_ADDRESS)


class VerifyEmail(WireSchema):
    """The secret of a mail; ``password`` stands in for the session of the account."""

    token = Text(required=True, **A_TOKEN)
    password = Text()


class Verified(WireSchema):
    """The account whose address is proved."""

    user = fields.Nested(SessionUser, required=True)


class ResetPassword(WireSchema):
    """The secret of a mail, and a new password."""

    token = Text(required=True, **A_TOKEN)
    password = Text(required=True, **NEW_PASSWORD)
    revoke_keys = Flag(data_key="revokeKeys", metadata={"description": "True: revokes every API key as well."})


class ChangePassword(WireSchema):
    """The password, left out by an account that has none yet, and the new one."""

    current_password = Text(data_key="currentPassword")
    new_password = Text(required=True, data_key="newPassword", **NEW_PASSWORD)
    revoke_other_sessions = Flag(data_key="revokeOtherSessions")


class NewToken(WireSchema):
    """A bearer token of the session, in place of its earlier one."""

    token = fields.String(required=True)


class RevertEmail(WireSchema):
    """The secret of a mail to the old address."""

    token = Text(required=True, **A_TOKEN)


class Proof(WireSchema):
    """One proof of a credential: the password, a code of the second factor, or the answer of a passkey."""

    password = Text()
    code = Text(validate=validate.Length(1, MAX_CODE_LENGTH))
    response = fields.Dict(metadata={"description": "What navigator.credentials.get answered, as JSON."})


class Proved(WireSchema):
    """When the session proved a credential."""

    authenticated_at = Moment(required=True, data_key="authenticatedAt")


class InvitationToken(WireSchema):
    """The secret of an invitation's mail."""

    token = Text(required=True, **A_TOKEN)


class AcceptInvitation(WireSchema):
    """The secret of an invitation's mail; with name and password where the invited person has no account."""

    token = Text(required=True, **A_TOKEN)
    name = Text(**A_NAME)
    password = Text(**NEW_PASSWORD)


class InvitedOrganization(WireSchema):
    """The organization that invites."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    name = fields.String(required=True)
    slug = fields.String(required=True)
    logo = fields.String(required=True, allow_none=True)


class Inviter(WireSchema):
    """Who invites."""

    name = fields.String(required=True)


class ShownInvitation(WireSchema):
    """An invitation as the holder of its mail sees it."""

    email = fields.String(required=True)
    role = fields.String(required=True)
    expires_at = Moment(required=True, data_key="expiresAt")
    organization = fields.Nested(InvitedOrganization, required=True)
    inviter = fields.Nested(Inviter, required=True, allow_none=True)


class Joined(WireSchema):
    """The organization that was joined."""

    organization_id = Identifier(required=True, data_key="organizationId", metadata={"format": "uuid"})


class JoinedAsNew(SignedInBody):
    """The organization that was joined, and the session of the new account."""

    organization_id = Identifier(required=True, data_key="organizationId", metadata={"format": "uuid"})


class Deletion(WireSchema):
    """When the account will be deleted."""

    deletion_at = Moment(required=True, data_key="deletionAt")


class Impersonate(WireSchema):
    """Whom to look at the service as."""

    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})


class Impersonation(WireSchema):
    """A session that reads what the user may read."""

    token = fields.String(required=True)
    user = fields.Nested(SessionUser, required=True)
    expires_at = Moment(required=True, data_key="expiresAt")


def invitation_body(invited: Invited) -> dict[str, Any]:
    """An invitation as the holder of its mail sees it."""
    organization = invited.organization
    return {
        "email": invited.invitation.email,
        "role": invited.invitation.role,
        "expiresAt": invited.invitation.expires_at,
        "organization": {name: getattr(organization, name) for name in ("id", "name", "slug", "logo")},
        "inviter": {"name": invited.inviter.name} if invited.inviter else None,
    }

"""Bodies of the sign-in routes, in the shapes that clients of better-auth know."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import ValidationError, fields, validate

from app.auth.models.identity import AuthSession, AuthUser
from schemas.fields import Flag, Identifier, Moment, Text, Url, WireSchema

# A path of this service: no scheme, no host, and nothing that browsers read as either.
OWN_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]*")
# Two of these and the state have to fit into a cookie, twice.
MAX_PATH_LENGTH = 400
# An address that is not valid has its own error code, which clients of better-auth know; so this is only described.
AN_ADDRESS = {"format": "email", "maxLength": 254}


def _own_path(text: str) -> None:
    if len(text) > MAX_PATH_LENGTH or OWN_PATH.fullmatch(text) is None:
        raise ValidationError("Must be a path of this service, such as /welcome.")


def readable(text: str) -> None:
    """Refuse blanks alone, and characters that are not seen or that turn the text around them."""
    if not text.strip() or not text.isprintable():
        raise ValidationError("Must be readable text.")


def _path(name: str, description: str) -> Text:
    rules = {"pattern": f"^{OWN_PATH.pattern}$", "maxLength": MAX_PATH_LENGTH}
    return Text(data_key=name, validate=_own_path, metadata={"description": description, **rules})


class SignUp(WireSchema):
    """A new account."""

    email = Text(required=True, metadata=AN_ADDRESS)
    password = Text(
        required=True,
        metadata={
            "description": "PASSWORD_MIN_LENGTH, 8 unless set, to 128 characters.", "minLength": 8, "maxLength": 128,
        },
    )  # fmt: skip
    name = Text(
        validate=[validate.Length(1, 120), readable],
        metadata={"description": "The start of the address when omitted.", "pattern": r"\S"},
    )
    image = Url(validate=validate.Length(max=2048), allow_none=True)
    callback_url = _path("callbackURL", "Where a link in a mail leads to.")
    remember_me = Flag(data_key="rememberMe", metadata={"description": "False: the cookie ends with the browser."})


class SignIn(WireSchema):
    """An account and its password."""

    email = Text(required=True, metadata=AN_ADDRESS)
    password = Text(required=True)
    callback_url = _path("callbackURL", "Accepted for clients that send it.")
    remember_me = Flag(data_key="rememberMe", metadata={"description": "False: the cookie ends with the browser."})


class SignInElsewhere(WireSchema):
    """A name, and its password, that another service knows."""

    login = Text(required=True)
    password = Text(required=True)
    remember_me = Flag(data_key="rememberMe", metadata={"description": "False: the cookie ends with the browser."})


class OAuthStart(WireSchema):
    """Where the browser goes after signing in elsewhere."""

    callback_url = _path("callbackURL", "Where to go when it worked; / when omitted.")
    error_callback_url = _path(
        "errorCallbackURL", "Where to go, with ?error=, when it failed; callbackURL when omitted."
    )
    disable_redirect = Flag(data_key="disableRedirect", metadata={"description": "Echoed as redirect: false."})


class ActIn(WireSchema):
    """The organization that a session acts in."""

    organization_id = Identifier(required=True, data_key="organizationId", metadata={"format": "uuid"})


class SessionUser(WireSchema):
    """The signed-in user."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    name = fields.String(required=True)
    email = fields.String(required=True)
    image = fields.String(required=True, allow_none=True)
    email_verified = fields.Boolean(required=True, data_key="emailVerified")
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class SignedUp(WireSchema):
    """A new account; ``token`` is for the Authorization header, null while the address has to be verified first."""

    token = fields.String(required=True, allow_none=True)
    user = fields.Nested(SessionUser, required=True)


class Notices(WireSchema):
    """What a user should know of the account; left out where there is nothing to say."""

    two_factor_setup = fields.List(
        Identifier(metadata={"format": "uuid"}),
        data_key="twoFactorSetup",
        metadata={"description": "Organizations in which the user is no member until a second factor is set up."},
    )
    deletion_at = Moment(data_key="deletionAt", metadata={"description": "When the account will be deleted."})


class SignedInBody(Notices):
    """A new session; ``token`` is for the Authorization header."""

    redirect = fields.Boolean(required=True)
    token = fields.String(required=True)
    user = fields.Nested(SessionUser, required=True)


class TwoFactorRequired(WireSchema):
    """The first factor was right, and a second one is asked for: nobody is signed in yet."""

    two_factor_required = fields.Boolean(required=True, data_key="twoFactorRequired", metadata={"enum": [True]})
    challenge = fields.String(required=True)
    methods = fields.List(fields.String(metadata={"enum": ["totp", "recovery", "passkey"]}), required=True)
    expires_at = Moment(required=True, data_key="expiresAt")


class SessionRow(WireSchema):
    """The session of the caller."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    expires_at = Moment(required=True, data_key="expiresAt")
    ip_address = fields.String(required=True, allow_none=True, data_key="ipAddress")
    user_agent = fields.String(required=True, allow_none=True, data_key="userAgent")
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class CurrentSession(Notices):
    """Session and user; null instead of both when nobody is signed in."""

    session = fields.Nested(SessionRow, required=True)
    user = fields.Nested(SessionUser, required=True)


class SignedOut(WireSchema):
    """Nobody is signed in any more."""

    success = fields.Boolean(required=True)


class FreshToken(WireSchema):
    """A bearer token of the session, in place of its earlier one."""

    token = fields.String(required=True)
    expires_at = Moment(required=True, data_key="expiresAt")


class TabSession(FreshToken):
    """A session that the tab in Teams was given."""

    user = fields.Nested(SessionUser, required=True)


class ActingIn(WireSchema):
    """The organization that the session acts in now."""

    active_organization_id = Identifier(required=True, data_key="activeOrganizationId", metadata={"format": "uuid"})


class OAuthStarted(WireSchema):
    """Where to send the browser."""

    url = fields.String(required=True)
    redirect = fields.Boolean(required=True)


def user_body(user: AuthUser) -> dict[str, Any]:
    """The user as the sign-in routes show it."""
    return {
        "id": user.id,
        "name": user.name,
        "email": user.email,
        "image": user.image,
        "emailVerified": user.email_verified,
        "createdAt": user.created_at,
        "updatedAt": user.updated_at,
    }


def session_body(session: AuthSession) -> dict[str, Any]:
    """The session as the sign-in routes show it: without its secrets."""
    return {
        "id": session.id,
        "userId": session.user_id,
        "expiresAt": session.expires_at,
        "ipAddress": session.ip_address,
        "userAgent": session.user_agent,
        "createdAt": session.created_at,
        "updatedAt": session.updated_at,
    }

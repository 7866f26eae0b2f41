"""Failures of sign-in, passwords and credentials."""

from __future__ import annotations

from app.foundation.errors import Failure


class InvalidEmail(Failure):
    status, code, text = 400, "INVALID_EMAIL", "Not a valid email address"

    def __init__(self) -> None:
        super().__init__(details={"fields": {"email": ["Not a valid email address."]}})


class PasswordRefused(Failure):
    """A new password that is not accepted."""

    status = 400
    reason = ""

    def __init__(self) -> None:
        super().__init__(details={"fields": {"password": [self.reason]}})

    def on(self, field: str) -> PasswordRefused:
        """The same about a password that is sent as ``field``."""
        self.details = {"fields": {field: [self.reason]}}
        return self


class PasswordTooShort(PasswordRefused):
    code, text = "PASSWORD_TOO_SHORT", "The password is too short"

    def __init__(self, shortest: int) -> None:
        self.reason = f"Must have {shortest} characters at least."
        super().__init__()


class PasswordTooLong(PasswordRefused):
    code, text = "PASSWORD_TOO_LONG", "The password is too long"
    reason = "Must have 128 characters at most."


class PasswordBreached(PasswordRefused):
    code, text = "PASSWORD_BREACHED", "The password is known from breaches of other services"
    reason = "Is known from breaches of other services."


class InvalidToken(Failure):
    """A link that is wrong, used or expired: callers cannot tell which."""

    status, code, text = 400, "INVALID_TOKEN", "The link is not valid any more"


class InvalidCode(Failure):
    """A second factor that is wrong or was used before, or a challenge that is over."""

    status, code, text = 401, "INVALID_CODE", "The code is not valid"


class LastSignInMethod(Failure):
    status, code, text = 409, "LAST_SIGN_IN_METHOD", "The last way to sign in stays"


class PasswordTooCommon(PasswordRefused):
    code, text = "PASSWORD_TOO_COMMON", "The password is among the first that are guessed"
    reason = "Is among the first that are guessed."


class InvalidEmailOrPassword(Failure):
    """A sign-in that failed, for whatever reason: callers cannot tell which."""

    status, code, text = 401, "INVALID_EMAIL_OR_PASSWORD", "Invalid email or password"


class InsufficientScope(Failure):
    status, code, text = 403, "INSUFFICIENT_SCOPE", "The credential lacks a scope"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"The credential lacks the scope {scope}",
            details={"scope": scope},
            headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
        )


class ReauthenticationRequired(Failure):
    status, code, text = 403, "REAUTHENTICATION_REQUIRED", "Sign in again to do this"


class ProviderNotFound(Failure):
    status, code, text = 404, "PROVIDER_NOT_FOUND", "This sign-in provider is not set up here"


class UserAlreadyExists(Failure):
    status, code, text = 422, "USER_ALREADY_EXISTS", "An account with this email address already exists"

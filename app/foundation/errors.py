"""Every failure a caller can meet: status, code and text, named once."""

from __future__ import annotations

from typing import Any


class Failure(Exception):
    """Base of all failures that become an answer. ``details`` is a JSON object, ``headers`` go out with it."""

    status = 500
    code = "UNKNOWN_ERROR"
    text = "Unknown error"

    def __init__(
        self, text: str | None = None, *, details: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(text or self.text)
        self.text = text or self.text
        self.details = details or {}
        self.headers = headers or {}


UNKNOWN = "Unknown field."


class Invalid(Failure):
    """A body whose fields break a rule; ``fields`` maps wire names to lists of messages."""

    status, code, text = 400, "VALIDATION_ERROR", "Validation error"

    def __init__(self, fields: dict[str, list[str]] | str) -> None:
        if isinstance(fields, str):
            super().__init__(fields)
        else:
            # A field that is not known may well be one that is missing, mistyped.
            name = next((name for name, told in fields.items() if told == [UNKNOWN]), next(iter(fields)))
            messages = fields[name]
            super().__init__(f"Invalid {name}: {messages[0]}", details={"fields": fields})


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


class PasswordTooShort(PasswordRefused):
    code, text = "PASSWORD_TOO_SHORT", "The password is too short"

    def __init__(self, shortest: int) -> None:
        self.reason = f"Must have {shortest} characters at least."
        super().__init__()


class PasswordTooLong(PasswordRefused):
    code, text = "PASSWORD_TOO_LONG", "The password is too long"
    reason = "Must have 128 characters at most."


class PasswordTooCommon(PasswordRefused):
    code, text = "PASSWORD_TOO_COMMON", "The password is among the first that are guessed"
    reason = "Is among the first that are guessed."


class InvalidPagination(Failure):
    status, code, text = 400, "INVALID_PAGINATION", "Invalid pagination"


class InvalidFilter(Failure):
    status, code, text = 400, "INVALID_FILTER", "Invalid filter"


class InvalidJson(Failure):
    status, code, text = 400, "INVALID_JSON", "The body is not valid JSON"


class MalformedBody(Failure):
    """A body that breaks off, or whose chunks are malformed."""

    status, code, text = 400, "VALIDATION_ERROR", "The body breaks off or is malformed"


class ForeignKeyViolation(Failure):
    """A reference to a row that is missing or invisible, or the removal of a row that is still referred to."""

    status, code, text = 400, "FOREIGN_KEY_VIOLATION", "A referenced record does not exist"

    @classmethod
    def on(cls, field: str) -> ForeignKeyViolation:
        text = "Refers to a record that does not exist."
        return cls(f"Invalid {field}: {text}", details={"fields": {field: [text]}})


class Unauthenticated(Failure):
    status, code, text = 401, "UNAUTHENTICATED", "Authentication required"

    def __init__(self, *, invalid_token: bool = False) -> None:
        self.invalid_token = invalid_token
        challenge = 'Bearer error="invalid_token"' if invalid_token else "Bearer"
        super().__init__(headers={"WWW-Authenticate": challenge})


class InvalidEmailOrPassword(Failure):
    """A sign-in that failed, for whatever reason: callers cannot tell which."""

    status, code, text = 401, "INVALID_EMAIL_OR_PASSWORD", "Invalid email or password"


class Forbidden(Failure):
    status, code, text = 403, "FORBIDDEN", "You may not do this"


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


class NotFound(Failure):
    status, code, text = 404, "NOT_FOUND", "Resource not found"


class ProviderNotFound(Failure):
    status, code, text = 404, "PROVIDER_NOT_FOUND", "This sign-in provider is not set up here"


class MethodNotAllowed(Failure):
    status, code, text = 405, "METHOD_NOT_ALLOWED", "Method not allowed"


class RequestTimedOut(Failure):
    """A request of which nothing more comes."""

    status, code, text = 408, "REQUEST_TIMEOUT", "The request did not come in time"


class Conflict(Failure):
    status, code, text = 409, "CONFLICT", "The record is in use"


class UniqueViolation(Failure):
    """A value that must be unique is taken; names the fields, never the value."""

    status, code, text = 409, "UNIQUE_VIOLATION", "A record with this value already exists"

    @classmethod
    def on(cls, fields: list[str]) -> UniqueViolation:
        named = " and ".join(fields)
        return cls(
            f"A record with this {named} already exists",
            details={"fields": {name: ["Is already taken."] for name in fields}},
        )


class PayloadTooLarge(Failure):
    status, code, text = 413, "PAYLOAD_TOO_LARGE", "The body is too large"


class UnsupportedMediaType(Failure):
    status, code, text = 415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json"


class RangeNotSatisfiable(Failure):
    status, code, text = 416, "RANGE_NOT_SATISFIABLE", "The range lies outside the content"


class UserAlreadyExists(Failure):
    status, code, text = 422, "USER_ALREADY_EXISTS", "An account with this email address already exists"


class RateLimited(Failure):
    status, code, text = 429, "RATE_LIMITED", "Rate limit exceeded"


class DatabaseFailure(Failure):
    status, code, text = 500, "DATABASE_ERROR", "Internal server error"


class TeamsAuthenticationFailed(Failure):
    """A bot or tab token that is not good; callers do not learn why."""

    status, code, text = 401, "TEAMS_001", "Bot authentication failed"

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})


class TeamsCredentialsRefused(Failure):
    """Microsoft did not take the service's own credentials."""

    status, code, text = 502, "TEAMS_001", "Bot authentication failed"


class TeamsPermissionDenied(Failure):
    status, code, text = 403, "TEAMS_002", "Microsoft Teams does not permit this"


class TabContextUnavailable(Failure):
    status, code, text = 400, "TEAMS_003", "Tab context unavailable"


class MeetingNotFound(Failure):
    status, code, text = 404, "TEAMS_004", "Meeting not found"


class UpstreamFailure(Failure):
    status, code, text = 502, "UPSTREAM_ERROR", "Another service failed"


class Unavailable(Failure):
    status, code, text = 503, "UNAVAILABLE", "The service is temporarily unavailable"

    def __init__(self, text: str | None = None) -> None:
        super().__init__(text, headers={"Retry-After": "1"})


CODES = (
    "VALIDATION_ERROR",
    "INVALID_PAGINATION",
    "INVALID_FILTER",
    "INVALID_JSON",
    "FOREIGN_KEY_VIOLATION",
    "INVALID_EMAIL",
    "PASSWORD_TOO_SHORT",
    "PASSWORD_TOO_LONG",
    "PASSWORD_TOO_COMMON",
    "UNAUTHENTICATED",
    "INVALID_EMAIL_OR_PASSWORD",
    "FORBIDDEN",
    "INSUFFICIENT_SCOPE",
    "REAUTHENTICATION_REQUIRED",
    "NOT_FOUND",
    "PROVIDER_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "CONFLICT",
    "UNIQUE_VIOLATION",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RANGE_NOT_SATISFIABLE",
    "USER_ALREADY_EXISTS",
    "RATE_LIMITED",
    "DATABASE_ERROR",
    "UNKNOWN_ERROR",
    "UPSTREAM_ERROR",
    "UNAVAILABLE",
    "TEAMS_001",
    "TEAMS_002",
    "TEAMS_003",
    "TEAMS_004",
)

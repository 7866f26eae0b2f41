"""The failures that callers meet: each has a status, a code and a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")


class Failure(Exception):
    """Base of all failures that become an answer, with its ``status``, ``code`` and ``text``. ``details`` is a JSON
    object (its ``fields`` have the messages by wire name), ``headers`` go out with it."""

    status = 500
    code = "UNKNOWN_ERROR"
    text = "Unknown error"
    # Of several records that were asked for at once, the one that is refused.
    record_index: int | None = None

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
            # A field that is not known is often a required one, mistyped: it is named first.
            name = next((name for name, told in fields.items() if told == [UNKNOWN]), next(iter(fields)))
            super().__init__(f"Invalid {name}: {fields[name][0]}", details={"fields": fields})


class InvalidPagination(Failure):
    status, code, text = 400, "INVALID_PAGINATION", "Invalid pagination"


class AnswerTooLarge(InvalidPagination):
    """An answer to a query that would be larger than answers may be."""

    @classmethod
    def than(cls, most: int) -> AnswerTooLarge:
        return cls(f"The answer is larger than {most} bytes: ask for fewer records or fields")


class InvalidFilter(Failure):
    status, code, text = 400, "INVALID_FILTER", "Invalid filter"


class InvalidSort(Failure):
    status, code, text = 400, "INVALID_SORT", "Invalid sort"


class InvalidFields(Failure):
    status, code, text = 400, "INVALID_FIELDS", "Invalid fields"


class InvalidExpand(Failure):
    status, code, text = 400, "INVALID_EXPAND", "Invalid expand"


class InvalidSearch(Failure):
    status, code, text = 400, "INVALID_SEARCH", "Invalid search"


class QueryTimeout(Failure):
    status, code, text = 400, "QUERY_TIMEOUT", "The query takes too long: ask for less, or by a field that has an index"


class InvalidJson(Failure):
    status, code, text = 400, "INVALID_JSON", "The body is not valid JSON"


class MalformedBody(Failure):
    """A body that breaks off, or whose chunks are malformed."""

    status, code, text = 400, "VALIDATION_ERROR", "The body breaks off or is malformed"


class ForeignKeyViolation(Failure):
    """A reference to a missing or invisible row, or the removal of one that is still referred to."""

    status, code, text = 400, "FOREIGN_KEY_VIOLATION", "A referenced record does not exist"

    @classmethod
    def on(cls, field: str) -> ForeignKeyViolation:
        text = "Refers to a record that does not exist."
        return cls(f"Invalid {field}: {text}", details={"fields": {field: [text]}})


class Unauthenticated(Failure):
    """A caller who presents no credential, or with ``invalid_token`` none that is good."""

    status, code, text = 401, "UNAUTHENTICATED", "Authentication required"

    def __init__(self, *, invalid_token: bool = False) -> None:
        self.invalid_token = invalid_token
        challenge = 'Bearer error="invalid_token"' if invalid_token else "Bearer"
        super().__init__(headers={"WWW-Authenticate": challenge})


class Forbidden(Failure):
    """The caller may see the record, and may not do this."""

    status, code, text = 403, "FORBIDDEN", "You may not do this"


class NotFound(Failure):
    """What is not there, or not for the caller to see: nobody learns which."""

    status, code, text = 404, "NOT_FOUND", "Resource not found"


class MethodNotAllowed(Failure):
    status, code, text = 405, "METHOD_NOT_ALLOWED", "Method not allowed"


class RequestTimedOut(Failure):
    """A request of which nothing more comes."""

    status, code, text = 408, "REQUEST_TIMEOUT", "The request did not come in time"


class IdempotencyKeyReused(Failure):
    """An idempotency key that came with another request before."""

    status, code, text = 422, "IDEMPOTENCY_KEY_REUSED", "The idempotency key was used for another request"


class Conflict(Failure):
    status, code, text = 409, "CONFLICT", "The record is in use"


class UniqueViolation(Failure):
    """A value that must be unique is taken; names the fields, never the value."""

    status, code, text = 409, "UNIQUE_VIOLATION", "A record with this value already exists"

    @classmethod
    def on(cls, fields: list[str]) -> UniqueViolation:
        return cls(
            f"A record with this {' and '.join(fields)} already exists",
            details={"fields": {name: ["Is already taken."] for name in fields}},
        )


class Overlap(Failure):
    """A record that overlaps with another one, where a rule leaves room for one alone."""

    status, code, text = 409, "OVERLAP", "Overlaps with another record"

    @classmethod
    def on(cls, fields: list[str]) -> Overlap:
        text = "Overlaps with another record."
        return cls(
            f"{' and '.join(fields)} overlap with another record", details={"fields": {name: [text] for name in fields}}
        )


class PreconditionFailed(Failure):
    """A write whose caller knows another version of the record than the stored one."""

    status, code, text = 412, "PRECONDITION_FAILED", "The record has changed since"


class PayloadTooLarge(Failure):
    status, code, text = 413, "PAYLOAD_TOO_LARGE", "The body is too large"


class UnsupportedMediaType(Failure):
    status, code, text = 415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json"


class RangeNotSatisfiable(Failure):
    status, code, text = 416, "RANGE_NOT_SATISFIABLE", "The range lies outside the content"


class PreconditionRequired(Failure):
    """A write that has to say which version of the record it changes (RFC 6585, section 3)."""

    status, code, text = 428, "PRECONDITION_REQUIRED", "Changes of this record need If-Match with its version"


class TooManyRows(Failure):
    """A write about all rows that match, which are more than its caller expects."""

    status, code, text = 400, "TOO_MANY_ROWS", "More records match than max allows"


class BatchFailed(Failure):
    """A part of an atomic batch that was refused, and with it the whole."""

    status, code, text = 400, "BATCH_FAILED", "A request of the batch was refused, and nothing was written"


class RateLimited(Failure):
    """One request too many for now."""

    status, code, text = 429, "RATE_LIMITED", "Rate limit exceeded"


class DatabaseFailure(Failure):
    status, code, text = 500, "DATABASE_ERROR", "Internal server error"


class UpstreamFailure(Failure):
    status, code, text = 502, "UPSTREAM_ERROR", "Another service failed"


class Unavailable(Failure):
    """A part that is away for now; jobs are tried again."""

    status, code, text = 503, "UNAVAILABLE", "The service is temporarily unavailable"

    def __init__(self, text: str | None = None, retry_after: int = 1) -> None:
        super().__init__(text, headers={"Retry-After": str(retry_after)})


class NotConfigured(Unavailable):
    """An optional part without settings here; it is not logged as an outage."""


def require_found(value: T | None, failure: Exception | type[Exception] = NotFound) -> T:
    """Return what was looked for; raises ``failure`` where there is none."""
    if value is None:
        raise failure
    return value


# The codes of all failures, those of plugins behind the service's own; a code may have several failures.
_OWN: list[type[Failure]] = [*Failure.__subclasses__(), Failure]
CODES = list(dict.fromkeys(each.code for each in _OWN))


def register(failures: Iterable[type[Failure]]) -> None:
    """Add the codes of a plugin's failures."""
    CODES.extend(dict.fromkeys(each.code for each in failures if each.code not in CODES))

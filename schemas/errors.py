"""The three shapes of error bodies, by route family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate
from marshmallow.exceptions import SCHEMA

from app.engine.write.faults import MAX_TOLD, ItemsRefused
from app.foundation.errors import CODES, Failure
from schemas.fields import WireSchema

GUIDE_PATH = "/api/v1/crm/company"
KEY_PATH = "/api/v1/auth/api-key"


class Error(WireSchema):
    """What the domain API, the consumer routes and the Teams routes answer instead of a result."""

    error = fields.String(required=True, metadata={"description": "What is wrong, in one sentence."})
    code = fields.String(required=True, validate=validate.OneOf(CODES))
    details = fields.Dict(required=True, metadata={"description": "Which fields, as fields: {name: [message]}."})


class GuideDetail(WireSchema):
    """One field that broke a rule, of an array in the record at ``index``."""

    index = fields.Integer()
    field = fields.String(required=True)
    message = fields.String(required=True)


class GuideError(WireSchema):
    """What the guide routes answer instead of a result."""

    error = fields.String(required=True)
    details = fields.List(fields.Nested(GuideDetail))


class ApiKeyError(WireSchema):
    """What the API-key routes answer instead of a result."""

    error = fields.String(required=True)
    statusCode = fields.Integer(required=True)  # noqa: N815 - the wire name
    details = fields.Dict()


def error_body(failure: Failure, path: str) -> dict[str, Any]:
    """The body of ``failure`` in the shape of the route family that ``path`` belongs to."""
    if is_under(path, KEY_PATH):
        return _key_body(failure)
    if is_under(path, GUIDE_PATH):
        return _guide_body(failure)
    return {"error": failure.text, "code": failure.code, "details": failure.details}


def is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def _key_body(failure: Failure) -> dict[str, Any]:
    text = "Invalid request" if failure.status == 400 else failure.text
    body: dict[str, Any] = {"error": text, "statusCode": failure.status}
    return body | {"details": failure.details} if failure.status == 400 and failure.details else body


def _guide_body(failure: Failure) -> dict[str, Any]:
    if isinstance(failure, ItemsRefused):
        error = "Validation error" if failure.code == "VALIDATION_ERROR" else failure.text
        return {"error": error, "details": list(_of_records(failure))}
    broken = failure.details.get("fields")
    if failure.code != "VALIDATION_ERROR" or broken is None:
        return {"error": failure.text}
    details = [{"field": field, "message": message} for field, messages in broken.items() for message in messages]
    return {"error": "Validation error", "details": details}


def _of_records(failure: ItemsRefused) -> Iterator[dict[str, Any]]:
    for place in sorted(failure.faults)[:MAX_TOLD]:
        refused = failure.faults[place]
        # What is wrong with no field is wrong with the record that the id names.
        for field, messages in refused.details.get("fields", {"id": [refused.text]}).items():
            yield from ({"index": place, "field": field, "message": message} for message in messages)


def by_field(messages: Mapping[Any, Any], within: str = "") -> dict[str, list[str]]:
    """A marshmallow message tree by the names of fields, those of an object within as ``object.field``."""
    found: dict[str, list[str]] = {}
    for name, told in messages.items():
        place = within if within and name == SCHEMA else ".".join(filter(None, (within, str(name))))
        if isinstance(told, Mapping) and all(isinstance(each, str) for each in told):
            found |= by_field(told, place)
        else:
            found[place] = flatten_messages(told)
    return found


def flatten_messages(messages: Any) -> list[str]:
    """All texts of a marshmallow message tree, each once."""
    if isinstance(messages, str):
        return [messages]
    inner = messages.values() if isinstance(messages, dict) else messages
    return list(dict.fromkeys(text for each in inner for text in flatten_messages(each)))

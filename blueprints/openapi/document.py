"""The OpenAPI document of version 1: security schemes, error responses and schema details."""

from __future__ import annotations

from typing import Any

from flask import Flask

from app.auth.errors import InsufficientScope, UserAlreadyExists
from app.engine.declare.catalogue import every_model
from app.foundation.errors import (
    Conflict,
    DatabaseFailure,
    Failure,
    Invalid,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    PreconditionRequired,
    RangeNotSatisfiable,
    RateLimited,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
    UpstreamFailure,
)
from app.runtime.turns import yield_if_overdue
from blueprints.http.base import Blueprint
from blueprints.openapi import imports, many, queries, relations
from blueprints.openapi.api import Api
from blueprints.openapi.records import describe_operation
from blueprints.openapi.vocabulary import schema_reference
from schemas.errors import GUIDE_PATH, KEY_PATH, ApiKeyError, GuideError, error_body
from schemas.fields import Email, Embedded, Grants, Identifier, Json, Moment, Shaped, Url, Value

TEXT = """Stored data models as a versioned REST API. Send a session token or an API key as
`Authorization: Bearer`; a key may also come as the query parameter `api_key`. What a caller may not see
answers like what does not exist."""

SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A session token or an API key."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "session",
        "description": "The session of a browser, from pages of the service; `__Host-session` over https.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "query",
        "name": "api_key",
        "description": "An API key; discouraged where the header can be sent.",
    },
}

# Where keys may come in the query; elsewhere, a session may come in the cookie.
DATA = "/api/v1/"
# Where a key in the query reads at most, and what reads there by POST.
GUARDED, READ_ENDINGS = "/api/v1/auth/", ("/_query", "/_aggregate")
SESSION_SECURITY: list[dict[str, list[str]]] = [{"bearer": []}, {"cookie": []}]

FAILURES: tuple[Failure, ...] = (
    Invalid({"email": ["Not a valid email address."]}),
    Unauthenticated(),
    InsufficientScope("write"),
    NotFound(),
    Conflict(),
    PreconditionFailed(details={"version": 8}),
    PayloadTooLarge(),
    UnsupportedMediaType(),
    RangeNotSatisfiable(),
    UserAlreadyExists(),
    PreconditionRequired(),
    RateLimited(),
    DatabaseFailure(details={"requestId": "0192f0c17a507c3e"}),
    UpstreamFailure(),
    Unavailable(),
)
MEANINGS = {
    400: "The request breaks a rule",
    401: "No credential, or one that is not valid",
    403: "The credential may not do this",
    404: "Absent, or not visible to the caller",
    409: "Collides with another record",
    412: "The record has another version",
    413: "The body is too large",
    415: "The body is not JSON",
    416: "The range lies outside the content",
    422: "The address has an account already, or the idempotency key came with another request",
    428: "The change has to say which version it is of",
    429: "Rate limit exceeded",
    500: "The service failed",
    502: "Another service failed",
    503: "A needed part is away; try again after Retry-After seconds",
}


def build(app: Flask) -> Api:
    """The API object of version 1, bound to ``app``."""
    app.config.update(API_TITLE="Rowgate", API_VERSION="v1", OPENAPI_VERSION="3.1.0")
    api = Api(app, finish=finish, spec_kwargs={"info": {"description": TEXT}})
    Blueprint.describe_operation = staticmethod(describe_operation)
    api.register_field(Identifier, "string", "uuid")
    api.register_field(Moment, "string", "date-time")
    api.register_field(Email, "string", "email")
    api.register_field(Url, "string", "uri")
    api.register_field(Embedded, None, None)
    api.ma_plugin.converter.add_attribute_function(_json_shape)
    api.register_field(Value, None, None)
    api.ma_plugin.converter.add_attribute_function(_of_kind)
    api.ma_plugin.converter.add_attribute_function(_not_blank)
    api.spec.components.schema("GuideError", schema=GuideError)
    api.spec.components.schema("ApiKeyError", schema=ApiKeyError)
    return api


def finish(document: dict[str, Any]) -> dict[str, Any]:
    """Add security, the error bodies with an example for each status, and where the service is."""
    components = document.setdefault("components", {})
    components["securitySchemes"] = SECURITY
    components["responses"] = dict(_responses())
    models = list(every_model())
    for described in (queries.components(models), relations.components(models)):
        for kind, found in described.items():
            components.setdefault(kind, {}).update(found)
    relations.add_related(components["schemas"], models)
    for name, schema in components["schemas"].items():
        yield_if_overdue()
        for member, each in schema.get("properties", {}).items():
            if each.get("type") == "boolean" and "enum" in each:
                # Generators for Java make texts of what is enumerated and has a type, and that for Python takes no
                # constant that may be left out.
                (value,) = each.pop("enum")
                if member in schema.get("required", ()):
                    schema["properties"][member] = {"const": value}
        if name.endswith("Update"):
            # They may be sent back as they are, and are nothing to send otherwise.
            properties = schema["properties"].items()
            schema["properties"] = {key: each for key, each in properties if not each.get("readOnly")}
    bulk = many.components(components["schemas"], models)
    for kind, found in (*bulk.items(), *imports.components().items()):
        components[kind].update(found)
    document["security"] = [{"bearer": []}, {"apiKey": []}]
    for path, operations in document["paths"].items():
        yield_if_overdue()
        for method, operation in operations.items():
            if isinstance(operation, dict):
                operation.get("responses", {}).pop("default", None)
                if not path.startswith(DATA):
                    operation.setdefault("security", SESSION_SECURITY)
                elif path.startswith(GUARDED) and method != "get" and not path.endswith(READ_ENDINGS):
                    operation.setdefault("security", [{"bearer": []}])
    document["servers"] = [{"url": "/"}]
    return document


def _responses() -> Any:
    for family, path in (("Error", "/api/v1/crm/contact"), ("GuideError", GUIDE_PATH), ("ApiKeyError", KEY_PATH)):
        for failure in FAILURES:
            content = {"schema": {"$ref": f"#/components/schemas/{family}"}, "example": error_body(failure, path)}
            described = {"description": MEANINGS[failure.status], "content": {"application/json": content}}
            yield f"{family}{failure.status}", described


def _not_blank(self: Any, field: Any, **kwargs: Any) -> dict[str, Any]:
    """Say that a string of blanks alone is refused."""
    return {"pattern": r"\S"} if field.metadata.get("blank") is False else {}


def _of_kind(self: Any, field: Any, **kwargs: Any) -> dict[str, Any]:
    """Say what a kind says of its values."""
    if not isinstance(field, Value):
        return {}
    return queries.described_value(field.kind, nullable=field.allow_none)


def _json_shape(self: Any, field: Any, **kwargs: Any) -> dict[str, Any]:
    """Say what a JSON field holds, for the converter of apispec."""
    if not isinstance(field, Json) or not field.shape:
        return {}
    if isinstance(field, Shaped):
        return {**field.kind.schema, "type": [field.shape, "null"] if field.allow_none else field.shape}
    inside: dict[str, Any] = {"items": {}} if field.shape == "array" else {"additionalProperties": True}
    if isinstance(field, Grants):
        inside = {"items": schema_reference("Grant")}
    return {"type": [field.shape, "null"] if field.allow_none else field.shape, **inside}

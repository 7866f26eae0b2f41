"""Makes a record of any model with whatever it needs: over HTTP where callers can, in the database where not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import delete

from app.ai.models.answering import AiProvider
from app.ai.models.chats import AiMessage
from app.ai_rag.models import AiRagDocument, AiRagEmbedding, AiRagIndex
from app.analytics.models import AnalyticsInsight, AnalyticsReport
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization, AuthTeamMember
from app.engine.declare.kinds import Enum
from app.engine.declare.record import Field, Record
from app.engine.declare.scope import Rule
from app.engine.read.encoding import dumps
from app.notification.models import NotificationNotification, NotificationPreference
from app.platform.models import PlatformAuditLog
from app.storage.models import StorageUpload
from app.testing.cast import Actor, Cast
from app.testing.database import transaction
from schemas.derive import create_schema

numbers = count(1)
NEEDS = "examples() says what else it needs; of a 500 the log says why"
EXAMPLES: dict[type[Record], Mapping[str, Any]] = {}
EARLIER, LATER = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
SHA = "0123456789abcdef" * 4


class Workshop:
    """Works for one owner; ``admin`` makes what only admins can make."""

    def __init__(self, cast: Cast, owner: Actor) -> None:
        self.cast, self.owner = cast, owner
        self.parents: dict[tuple[type[Record], int], str] = {}
        self.planted: dict[type[Record], dict[str, Any]] = {}

    def make(self, model: type[Record], **overrides: Any) -> dict[str, Any]:
        """A record that belongs to the owner, as the owner reads it, with parents of its own."""
        self.parents.clear()
        return self._make(model, **overrides)

    def _make(self, model: type[Record], **overrides: Any) -> dict[str, Any]:
        if model.policy.create is Rule.NONE or model.has_custom_routes:
            return self.plant(model, **overrides)
        maker = self.maker(model)
        self.make_room(model)
        response = maker.post(model.collection_path(), self._body(model) | overrides)
        assert response.status_code == 201, (model.__name__, response.json, NEEDS)
        return response.get_json()

    def maker(self, model: type[Record]) -> Actor:
        """Who makes records of it."""
        return self.cast.admin if model.policy.create is Rule.ADMIN else self.owner

    def remover(self, model: type[Record]) -> Actor:
        """Who may delete what was made."""
        return self.cast.admin if model.policy.delete is Rule.ADMIN or model is AuthUser else self.owner

    def path(self, model: type[Record], **overrides: Any) -> str:
        return f"{model.collection_path()}/{self.make(model, **overrides)['id']}"

    def body(self, model: type[Record], *, full: bool = False) -> dict[str, Any]:
        """What creates a record: the required fields, or all that a caller may send."""
        self.parents.clear()
        return self._body(model, full=full)

    def _body(self, model: type[Record], *, full: bool = False) -> dict[str, Any]:
        sent: dict[str, Any] = {}
        for attribute, schema_field in create_schema(model).fields.items():
            field = model.fields()[attribute]
            if schema_field.required or (full and field.spec.writable and not field.references):
                sent[field.name] = self.value(model, field)
        for name, value in SPECIAL.get(model, {}).items():
            if full or name in sent or model in ALWAYS_SPECIAL:
                sent[name] = f"{value} ({next(numbers)})" if name == "content" else value
        return sent | said(model) | self.people(model)

    def people(self, model: type[Record]) -> dict[str, Any]:
        """References to users that only make sense for certain people."""
        if model is AuthMember:
            return {"organizationId": self._make(AuthOrganization)["id"], "userId": str(self.cast.user().user_id)}
        return {"userId": str(self.owner.user_id)} if model in (AuthTeamMember, NotificationNotification) else {}

    def value(self, model: type[Record], field: Field) -> Any:
        """A value that the field takes; texts differ from call to call."""
        if field.references:
            target = model.target(field.attribute)
            if target is AuthUser:
                return str(self.owner.user_id)
            alike = [name for name, each in model.fields().items() if each.references == field.references]
            return self.parent(target, alike.index(field.attribute))
        return plain_value(field)

    def parent(self, model: type[Record], number: int = 0) -> str:
        """One record of each model that others refer to, so that they hang together; of a ``number`` of its own where
        one record refers to several, and somebody else's where the owner can have one alone."""
        if (model, number) not in self.parents:
            maker = Workshop(self.cast, self.cast.user()) if number and is_one_for_each(model) else self
            self.parents[model, number] = maker._make(model)["id"]
        return self.parents[model, number]

    def make_room(self, model: type[Record], actor: Actor | None = None) -> None:
        """Take away the record of which ``actor``, or else the owner, can have one alone."""
        if not is_one_for_each(model):
            return
        actor = actor or self.owner
        of_user = bool(model.policy.scope.owner_column)
        column = getattr(model, whose(model))
        with self.cast.app.app_context(), transaction() as session:
            session.execute(delete(model).where(column == (actor.user_id if of_user else actor.organization_id)))

    def plant(self, model: type[Record], **overrides: Any) -> dict[str, Any]:
        """Insert a row that only the server writes, and read it as its owner does."""
        self.make_room(model)
        values = self.planted_values(model) | overrides
        with self.cast.app.app_context(), transaction() as session:
            record = model(**values)
            session.add(record)
            session.flush()
            identifier = record.id
        self.planted[model] = {"id": str(identifier)}
        return self.planted[model]

    def planted_values(self, model: type[Record]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, field in model.fields().items():
            if field.column is None or name in ("id", "created_at", "updated_at"):
                continue
            if name == model.policy.scope.column and field.references in ("auth_user", "auth_organization"):
                values[name] = self.owner.user_id if model.policy.scope.owner_column else self.owner.organization_id
            elif not field.nullable and field.column.default is None:
                value = self.value(model, field)
                values[name] = UUID(value) if field.references else value
        named = {field.name: name for name, field in model.fields().items()}
        values |= {named[name]: value for name, value in said(model).items()}
        if model is PlatformAuditLog:
            values["organization_id"] = self.owner.organization_id
        return values


def examples(model: type[Record], values: Mapping[str, Any]) -> None:
    """Say what an example of a model needs where the declaration does not tell: values by the names that callers use.
    One that can be called is asked for each example."""
    EXAMPLES[model] = values


def is_one_for_each(model: type[Record]) -> bool:
    """Tell whether a unique rule leaves one record to each owner."""
    field = model.fields().get(whose(model))
    if field is None or field.attribute == "id":
        return False
    return field.unique or any(key.unique and not key.where and key.columns == (field.attribute,) for key in model.keys)


def whose(model: type[Record]) -> str:
    """The column that names the user, or the organization, whose a record is; empty where none does."""
    return model.policy.scope.owner_column or model.policy.scope.organization_column


def kept(model: type[Record], body: Mapping[str, Any]) -> dict[str, Any]:
    """What a record shows of a ``body`` that it was made from: moments to the millisecond, addresses in lower case."""
    names = {field.data_key or name: field for name, field in create_schema(model).fields.items()}
    return {name: plain(names[name].deserialize(value)) if name in names else value for name, value in body.items()}


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return orjson.loads(dumps(value))


def said(model: type[Record]) -> dict[str, Any]:
    """What ``examples`` was told of a model."""
    return {name: value() if callable(value) else value for name, value in EXAMPLES.get(model, {}).items()}


def plain_value(field: Field) -> Any:
    """A value by type and bounds alone."""
    kind, bounds, number = field.spec.kind.name, field.spec.kind.constraints, next(numbers)
    if isinstance(field.spec.kind, Enum):
        return next(iter(field.spec.kind.values))
    if kind == "array<string>":
        return list(bounds.get("items") or ["one", "two"])[: bounds.get("maxItems", 2)]
    if kind == "integer":
        return min(bounds["maximum"], max(bounds["minimum"], 1))
    if kind in ("string", "text"):
        return text_value(bounds, number)
    usual = {
        "number": 0.5,
        "boolean": True,
        "timestamp": "2026-01-15T10:00:00.000Z",
        "json": [] if bounds.get("shape") == "array" else {},
        "vector": [0.5, 0.25],
    }
    return usual[kind] if kind in usual else field.spec.kind.example()


def text_value(bounds: dict[str, Any], number: int) -> str:
    if bounds.get("format") == "email":
        return f"person{number}@example.com"
    if bounds.get("format") == "url":
        return f"https://example.com/{number}"
    if bounds.get("pattern") == "^[A-Z]{3}$":
        return "EUR"
    if bounds.get("minLength", 0) >= 36:
        return (SHA + str(number))[-bounds["minLength"] :]
    return f"name{number}"[: bounds.get("maxLength") or None]


def iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


SPECIAL: dict[type[Record], dict[str, Any]] = {
    AiMessage: {"role": "user"},
    AuthOrganization: {"requireTwoFactor": False},
    AuthInvitation: {"role": "member", "expiresAt": "2099-01-01T00:00:00.000Z"},
    AiRagIndex: {"chunkSize": 1000},
    AiProvider: {"kind": "openai_compatible", "baseUrl": "https://models.example.com/v1"},
    AiRagDocument: {"content": "A text worth knowing."},
    AiRagEmbedding: {"model": "test-model"},
    AnalyticsInsight: {"periodStart": iso(EARLIER), "periodEnd": iso(LATER)},
    AnalyticsReport: {"periodStart": iso(EARLIER), "periodEnd": iso(LATER)},
    StorageUpload: {"contentBase64": "SGVsbG8=", "contentType": "text/plain"},
    NotificationPreference: {
        "channels": {"stream": True, "teams": False, "email": False},
        "types": {"MESSAGE": False},
        "quietHours": {"enabled": True},
    },
}
ALWAYS_SPECIAL = (AiProvider, AiRagDocument, AiRagEmbedding)
# Fields that change under rules of their own.
GUARDED: dict[type[Record], tuple[str, ...]] = {AuthUser: ("role",), AuthMember: ("role",), AuthInvitation: ("role",)}

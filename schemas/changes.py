"""What is read and answered of the log of changes: the history of a record, and pages of the feed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from marshmallow import fields, validate
from werkzeug.datastructures import MultiDict

from app.engine.changes.feed import FeedQuery, open_models, own_conditions
from app.engine.changes.history import MAX_TAKE
from app.engine.changes.recent import RecentQuery
from app.engine.changes.telling import Followed
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.query import DEFAULT_TAKE, MATCH_ALL
from app.engine.read.query_context import QueryContext, allowed, invalid
from app.foundation.clock import NOT_A_MOMENT, moment_of
from app.foundation.errors import Forbidden, InvalidFields, InvalidPagination
from app.foundation.identifiers import uuid_of
from config import Settings
from schemas.fields import Identifier, Json, Whole, WireSchema
from schemas.query.queries import CREDENTIAL, MAX_VALUES_IN_URL, bounded, json_of, names, once, refuse_unknown

OPERATIONS = ("create", "update", "delete")
PURGE = "purge"
ACTORS = ("user", "key", "job", "system")


class Actor(WireSchema):
    """Who has made a change. The id is that of the user or the key, for those who share an organization with them."""

    type = fields.String(required=True, validate=validate.OneOf(ACTORS))
    id = fields.UUID(required=True, allow_none=True)


class Version(WireSchema):
    """One version of a record: ``before`` and ``after`` have the fields that changed; of the first one, and of a
    deletion, all of them. ``before`` is null where you could not see the record."""

    version = fields.Integer(required=True)
    operation = fields.String(required=True, validate=validate.OneOf(OPERATIONS))
    at = fields.DateTime(required=True)
    actor = fields.Nested(Actor, required=True)
    request_id = fields.String(required=True, data_key="requestId", allow_none=True)
    transaction = fields.UUID(required=True)
    changed = fields.List(fields.String(), required=True)
    before = Json(required=True, allow_none=True)
    after = Json(required=True, allow_none=True)


class RecentVersion(Version):
    """One version of a record of any model."""

    id = fields.String(required=True)
    model = fields.String(required=True)
    record_id = fields.UUID(required=True, data_key="recordId")


class HistoryMeta(WireSchema):
    """The cursor of the versions behind these."""

    next = fields.String(required=True, allow_none=True)


class History(WireSchema):
    """Versions of a record, newest first."""

    data = fields.List(fields.Nested(Version), required=True)
    meta = fields.Nested(HistoryMeta, required=True)


class RecentHistory(WireSchema):
    """Versions of records of all models, newest first. A page may be empty while there is more."""

    data = fields.List(fields.Nested(RecentVersion), required=True)
    meta = fields.Nested(HistoryMeta, required=True)


class DeletedRecord(WireSchema):
    """A record that is gone, as it was, and who has deleted it."""

    record_id = fields.UUID(required=True, data_key="recordId")
    version = fields.Integer(required=True)
    at = fields.DateTime(required=True)
    actor = fields.Nested(Actor, required=True)
    request_id = fields.String(required=True, data_key="requestId", allow_none=True)
    transaction = fields.UUID(required=True)
    record = Json(required=True)


class DeletedRecords(WireSchema):
    """Records that are gone, the latest first."""

    data = fields.List(fields.Nested(DeletedRecord), required=True)
    meta = fields.Nested(HistoryMeta, required=True)


class Change(WireSchema):
    """One change as you are told of it. A deletion has id, model and record id alone; all others have the record as it
    is now."""

    id = fields.String(required=True)
    model = fields.String(required=True)
    record_id = fields.UUID(required=True, data_key="recordId")
    operation = fields.String(required=True, validate=validate.OneOf(OPERATIONS))
    version = fields.Integer()
    at = fields.DateTime()
    actor = fields.Nested(Actor)
    request_id = fields.String(data_key="requestId", allow_none=True)
    transaction = fields.UUID()
    changed = fields.List(fields.String())
    record = Json()


class ChangesMeta(WireSchema):
    """Where the next page begins, and whether there is more by now. ``resync`` names models to be read anew: your
    rights, or records that theirs follow, have changed. ``reset`` says that the log does not reach back to ``since``:
    read everything anew."""

    next = fields.String(required=True)
    more = fields.Boolean(required=True)
    resync = fields.List(fields.String())
    reset = fields.Boolean()


class Changes(WireSchema):
    """A page of changes, in the order of their commits."""

    data = fields.List(fields.Nested(Change), required=True)
    meta = fields.Nested(ChangesMeta, required=True)


class Revert(WireSchema):
    """The version whose values a record is to have again."""

    version = Whole(required=True, validate=validate.Range(1))


class Undo(WireSchema):
    """The transaction that is to be taken back, as `Transaction-Id` has named it."""

    transaction = Identifier(required=True)


class KeptFields(WireSchema):
    """Fields of a record that keep their values, as those before are not kept."""

    model = fields.String(required=True)
    id = fields.UUID(required=True)
    fields_ = fields.List(fields.String(), required=True, data_key="fields")


class Undone(WireSchema):
    """How many records were deleted, changed and restored, and what stays as it is."""

    deleted = fields.Integer(required=True)
    changed = fields.Integer(required=True)
    restored = fields.Integer(required=True)
    kept = fields.List(fields.Nested(KeptFields), required=True)


def history_window(args: MultiDict[str, str]) -> tuple[int, str | None]:
    """Read how many versions are wanted, and behind which cursor; raises InvalidFilter and InvalidPagination."""
    refuse_unknown(args, (CREDENTIAL, "take", "cursor"))
    return _window(args)


def _window(args: MultiDict[str, str]) -> tuple[int, str | None]:
    cursor = once("cursor", args.getlist("cursor")) if "cursor" in args else ""
    return bounded(args, "take", 1, MAX_TAKE, DEFAULT_TAKE), cursor or None


def recent_query(principal: Principal, args: MultiDict[str, str]) -> RecentQuery:
    """Read which versions are wanted of all records; raises InvalidFilter, InvalidPagination and Forbidden."""
    refuse_unknown(args, (CREDENTIAL, "take", "cursor", "models", "organizationId", "actorId"))
    models = _models(principal, args, "read")
    take, cursor = _window(args)
    organization, actor = (_identifier(args, name) for name in ("organizationId", "actorId"))
    if organization is not None and organization not in principal.memberships and not principal.is_admin:
        raise Forbidden("You are no member of this organization")
    return RecentQuery(models, take, cursor, organization, actor)


def _identifier(args: MultiDict[str, str], name: str) -> UUID | None:
    if name not in args:
        return None
    found = uuid_of(once(name, args.getlist(name)))
    if found is None:
        raise invalid(name, "Is no id.")
    return found


def _models(principal: Principal, args: MultiDict[str, str], operation: str) -> list[type[Record]]:
    """The models that are named, or all whose changes the caller may read."""
    known = open_models(principal, operation)
    wanted = (
        names("models", once("models", args.getlist("models")), InvalidPagination) if "models" in args else list(known)
    )
    for name in wanted:
        if name not in known:
            raise invalid("models", f"{name} is no model whose changes you may read. {allowed(known)}")
    return [known[name] for name in wanted]


def is_purge(args: MultiDict[str, str]) -> bool:
    """Read whether what the log has of a record is to go with it; raises InvalidFilter."""
    if PURGE not in args:
        return False
    if args[PURGE] not in ("true", "false"):
        raise invalid(PURGE, allowed(("true", "false")))
    return args[PURGE] == "true"


def moment_asked(args: MultiDict[str, str]) -> datetime:
    """Read ``asOf``; raises InvalidFilter."""
    moment = moment_of(once("asOf", args.getlist("asOf")))
    if moment is None:
        raise invalid("asOf", NOT_A_MOMENT)
    return moment


FOLLOWED = (CREDENTIAL, "models", "where", "fields", "since")


def feed_query(principal: Principal, args: MultiDict[str, str], settings: Settings) -> FeedQuery:
    """Read what is asked of the feed; raises InvalidFilter, InvalidFields and InvalidPagination."""
    refuse_unknown(args, (*FOLLOWED, "take"))
    followed = _followed(principal, args, settings)
    take = bounded(args, "take", 1, settings.max_take, DEFAULT_TAKE)
    return FeedQuery(followed.models, followed.where, followed.names, take, _since(args))


def stream_query(
    principal: Principal, args: MultiDict[str, str], last: str | None, settings: Settings
) -> tuple[Followed, str | None]:
    """Read what a stream is to tell, and behind which cursor: the ``last`` that the client has heard, where it says so.
    Raises InvalidFilter and InvalidFields."""
    refuse_unknown(args, (*FOLLOWED, "token"))
    return _followed(principal, args, settings), last or _since(args)


def _since(args: MultiDict[str, str]) -> str | None:
    """Read the cursor behind which changes are asked for; raises InvalidFilter."""
    return once("since", args.getlist("since")) if "since" in args else None


def _followed(principal: Principal, args: MultiDict[str, str], settings: Settings) -> Followed:
    """Read which changes are asked for; raises InvalidFilter and InvalidFields."""
    asked = {name: once(name, args.getlist(name)) for name in ("where", "fields") if name in args}
    models = _models(principal, args, "list")
    where, chosen = MATCH_ALL, None
    if "where" in asked:
        if len(models) != 1:
            raise invalid("where", "Needs exactly one model in models.")
        context = QueryContext(principal, settings, MAX_VALUES_IN_URL)
        where = own_conditions(context, models[0], json_of(asked["where"]))
    if "fields" in asked:
        chosen = _chosen(models, names("fields", asked["fields"], InvalidFields))
    return Followed(models, where, chosen)


def _chosen(models: list[type[Record]], wanted: list[str]) -> frozenset[str]:
    known = {field.name for model in models for field in model.fields().values() if field.spec.readable}
    for name in wanted:
        if name not in known:
            raise invalid("fields", f"{name} is no field of these models.", InvalidFields)
    return frozenset(wanted)

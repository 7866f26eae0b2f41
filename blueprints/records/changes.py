"""The feed over HTTP: pages of the changes of all models."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from flask import Response, current_app, request

from app.auth.credentials.access import Access, WithGrants, declare_access
from app.auth.credentials.authentication import caller
from app.engine.changes import feed, history, recent, undoing
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.read.concurrency import query_slot
from app.engine.write.unit_of_work import Unit
from app.live.broadcaster import Broadcaster
from app.live.change_stream import ChangeStream
from app.platform import undo_jobs
from blueprints.http.base import EVENTS, NO_BUFFERING, Blueprint
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas import changes
from schemas.content.jobs import FollowedJob, job_of

TEXT = (
    "What has changed behind the cursor `since`, in the order of the commits; without it, the cursor of now. You are "
    "told of records that you may list, and that you saw before a change or see after it: what comes into sight by a "
    "change is a `create`, what goes out of sight a `delete`."
)
TEXT_VALUE = {"type": "string"}
PARAMETERS: list[dict[str, Any]] = [
    {"name": name, "in": "query", "description": description, "schema": schema}
    for name, description, schema in (
        ("models", "Names between commas, such as `crm/contact,crm/deal`; all, unless given.", TEXT_VALUE),
        ("since", "The `next` of an earlier page.", TEXT_VALUE),
        ("where", "Conditions on fields of the one model in `models`, as JSON.", TEXT_VALUE),
        ("fields", "Names of the fields of records to answer, between commas.", TEXT_VALUE),
    )
] + window_parameters()[:1]
RECENT_TEXT = (
    "Newest first, of the records whose history you may read, with what the history of each shows. A page looks at "
    "5,000 changes of everybody, so it may be empty while `next` is not null."
)
RECENT_PARAMETERS: list[dict[str, Any]] = [
    PARAMETERS[0],
    {
        "name": "organizationId", "in": "query", "schema": {"type": "string", "format": "uuid"},
        "description": "Of records of this organization, which is one of yours.",
    },
    {
        "name": "actorId", "in": "query", "schema": {"type": "string", "format": "uuid"},
        "description": "Made by this user or key, among those who are named to you.",
    },
    window_parameters(history.MAX_TAKE)[0],
    {"name": "cursor", "in": "query", "description": "The `next` of an earlier page.", "schema": TEXT_VALUE},
]  # fmt: skip
STREAM_TEXT = (
    "Server-sent events: `ready`, then `create`, `update` and `delete` with what a page has of the change. The id of "
    "each is a cursor: a client that comes back with it, as `Last-Event-ID` or `since`, misses nothing. `resync` names "
    "`models` to be read anew, as your rights have changed or nobody can tell; `reset` says that the log does not "
    "reach back: read everything anew. `bye` ends a stream, whose client comes back. Every 15 "
    "seconds `place` has nothing but a cursor."
)
STREAM_PARAMETERS: list[dict[str, Any]] = [
    *PARAMETERS[:-1],
    {
        "name": "token", "in": "query", "schema": TEXT_VALUE,
        "description": "A stream ticket, for browsers, which can send no header with an EventSource.",
    },
]  # fmt: skip
UNDO_TEXT = (
    "As a whole, whether it was one write, an array, a batch or an import: what it made is deleted, what it changed "
    "gets its old values, what it deleted comes back. 409 names what has changed since. Mails and notifications that "
    "were sent stay. More than 20,000 changes are taken back by a job: the answer is 202 with the job, whose `result` "
    "becomes what is answered here otherwise."
)
TRANSACTION = "0b0e3c52-6f0c-4c36-9d3c-0f5f6b9a8a10"
UNDOING = {
    "id": EXAMPLE_ID, "task": "undo", "recordId": TRANSACTION, "status": "waiting", "progress": 0, "message": None,
    "result": None, "errorMessage": None, "dueAt": None, "createdAt": "2027-01-01T09:00:00.000Z", "startedAt": None,
    "endedAt": None,
}  # fmt: skip
UNDONE = {"deleted": 0, "changed": 1, "restored": 0, "kept": []}
ABOUT = {
    "id": "118", "model": "crm/contact", "recordId": EXAMPLE_ID, "operation": "update", "version": 2,
    "at": "2027-01-01T09:00:00.000Z", "actor": {"type": "user", "id": EXAMPLE_ID}, "requestId": "f3a9c1d2",
    "transaction": TRANSACTION, "changed": ["phone"],
}  # fmt: skip
RECENT = {
    "data": [{**ABOUT, "before": {"phone": None}, "after": {"phone": "+358 40 1234567"}}], "meta": {"next": None},
}  # fmt: skip
EXAMPLE = {
    "data": [{**ABOUT, "record": {"id": EXAMPLE_ID, "phone": "+358 40 1234567"}}],
    "meta": {"next": "k3Jx", "more": False},
}


def build() -> Blueprint:
    """The blueprint of the feed."""
    blp = Blueprint("changes", __name__, url_prefix="/api/v1", description="What has changed.")
    _route_feed(blp)
    _route_stream(blp)
    _route_log(blp)
    return blp


def _route_feed(blp: Blueprint) -> None:
    @serve(blp, "GET", "/_changes", Operation(
        "listChanges", "List what has changed",
        access=declare_access(Access(reads=True, private=True, with_grants=WithGrants.EVERYBODY)),
        gives=Answer(changes.Changes, example=EXAMPLE), query=PARAMETERS, fails=(404,), description=TEXT,
    ))  # fmt: skip
    def list_changes() -> Response:
        query = changes.feed_query(caller(), request.args, current_app.config["SETTINGS"])
        found = feed.page(caller(), query)
        meta: dict[str, Any] = {"next": found.next, "more": found.more}
        meta |= {"resync": found.resync} if found.resync else {}
        meta |= {"reset": True} if found.reset else {}
        return Reply({"data": found.changes, "meta": meta}).response()


def _route_stream(blp: Blueprint) -> None:
    @serve(blp, "GET", "/_changes/stream", Operation(
        "streamChanges", "Follow what changes",
        access=declare_access(
            Access(reads=True, private=True, tickets=True, with_grants=WithGrants.EVERYBODY)
        ),
        gives=Answer(content_type=EVENTS), query=STREAM_PARAMETERS, fails=(404,), description=STREAM_TEXT,
    ))  # fmt: skip
    def stream_changes() -> Response:
        last, settings = request.headers.get("Last-Event-ID"), current_app.config["SETTINGS"]
        followed, since = changes.stream_query(caller(), request.args, last, settings)
        broadcaster: Broadcaster[ChangeStream] = current_app.extensions["live_changes"]
        response = Response(broadcaster.open(ChangeStream(caller(), followed, since)), content_type=EVENTS)
        response.headers.update(NO_BUFFERING)
        return response


def _route_log(blp: Blueprint) -> None:
    @serve(blp, "GET", "/_history", Operation(
        "listRecentVersions", "List the latest versions of all records",
        access=declare_access(Access(reads=True, private=True, with_grants=WithGrants.EVERYBODY)),
        gives=Answer(changes.RecentHistory, example=RECENT), query=RECENT_PARAMETERS, fails=(404,),
        description=RECENT_TEXT,
    ))  # fmt: skip
    def list_recent_versions() -> Response:
        found = recent.recent(caller(), changes.recent_query(caller(), request.args))
        return Reply({"data": found.entries, "meta": {"next": found.next}}).response()

    @serve(blp, "POST", "/_undo", Operation(
        "undoTransaction", "Take back what one request has written",
        access=declare_access(Access(private=True, with_grants=WithGrants.EVERYBODY)),
        takes=Body(changes.Undo, example={"transaction": TRANSACTION}), gives=Answer(changes.Undone, example=UNDONE),
        defers=Answer(FollowedJob, example=UNDOING, status=202), fails=(404, 409), once=True, description=UNDO_TEXT,
    ))  # fmt: skip
    def undo_transaction(given: dict[str, Any]) -> Response:
        with query_slot(caller()):
            return respond(_undone, given["transaction"])


def _undone(unit: Unit, transaction: UUID) -> Reply:
    try:
        return Reply(asdict(undoing.undo(unit, transaction, undoing.MAX_AT_ONCE)))
    except undoing.TooManyChanges:
        job = undo_jobs.ask(unit, transaction)
        return Reply(job_of(job), 202, headers={"Location": f"/api/v1/_jobs/{job.id}"})

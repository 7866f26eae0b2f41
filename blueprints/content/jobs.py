"""The jobs that a user follows: how far they have come, what came of them, and their end before that."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.auth.credentials.access import credentials_required
from app.auth.credentials.authentication import caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Invalid
from app.jobs import following
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.declarations import Answer, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.content.jobs import FollowedJob, FollowedJobList, job_of
from schemas.query.queries import window

EXAMPLE = {
    "id": EXAMPLE_ID, "task": "shop_export", "recordId": EXAMPLE_ID, "status": "running", "progress": 0.4,
    "message": "40 of 100", "result": None, "errorMessage": None, "dueAt": None,
    "createdAt": "2027-01-01T09:00:00.000Z", "startedAt": "2027-01-01T09:00:01.000Z", "endedAt": None,
}  # fmt: skip
OF_STATUS = {
    "name": "status", "in": "query", "schema": {"type": "string", "enum": list(following.STATUSES)},
    "description": "Only those in this state.",
}  # fmt: skip
MAX_TAKE = 100

signed_in = credentials_required()


def build() -> Blueprint:
    """The blueprint of jobs that are followed."""
    blp = Blueprint("jobs", __name__, url_prefix="/api/v1/_jobs", description="Jobs that you wait for.")

    @serve(blp, "GET", "", Operation(
        "listJobs", "List the jobs that you wait for, or waited for", access=signed_in,
        query=(OF_STATUS, *window_parameters(MAX_TAKE)),
        gives=Answer(FollowedJobList, example={"data": [EXAMPLE], "meta": {"count": 1, "take": 20, "skip": 0}}),
    ))  # fmt: skip
    def list_jobs() -> Response:
        status = request.args.get("status")
        if status not in (None, *following.STATUSES):
            raise Invalid({"status": [f"Must be one of: {', '.join(following.STATUSES)}."]})
        return answer(run_unit(caller(), _listed, status, *window(request.args, MAX_TAKE)))

    @serve(blp, "GET", "/<string:id>", Operation(
        "getJob", "Ask how far a job has come", access=signed_in, gives=Answer(FollowedJob, example=EXAMPLE),
    ))  # fmt: skip
    def get_job(id: str) -> Response:
        return respond(_found, parse_id(id))

    @serve(blp, "POST", "/<string:id>/_cancel", Operation(
        "cancelJob", "Cancel a job that waits, or ask one that runs to stop", access=signed_in,
        gives=Answer(FollowedJob, example={**EXAMPLE, "status": "cancelled"}), fails=(409,), once=True,
    ))  # fmt: skip
    def cancel_job(id: str) -> Response:
        return respond(_cancelled, parse_id(id))

    return blp


def _listed(unit: Unit, status: str | None, take: int, skip: int) -> dict[str, Any]:
    found, count = following.list_jobs(unit, status, take, skip)
    return paged([job_of(each) for each in found], count, take, skip)


def _found(unit: Unit, identifier: Any) -> Reply:
    return Reply(job_of(following.get(unit, identifier)))


def _cancelled(unit: Unit, identifier: Any) -> Reply:
    return Reply(job_of(following.cancel(unit, identifier)))

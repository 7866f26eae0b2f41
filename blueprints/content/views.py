"""Saved views: what a user keeps for oneself, or shares with the organization."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.auth.credentials.access import credentials_required
from app.auth.credentials.authentication import caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.unit_of_work import Unit, run_unit
from app.platform import kept
from app.platform.kept import PlatformSavedView
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.content.views import View, ViewCreate, ViewList, ViewUpdate, model_of, models_of, view_of
from schemas.envelopes import Deleted
from schemas.query.queries import window

DEFINITION = {"where": {"stage": "lead"}, "sort": ["-amount"], "columns": ["name", "amount"]}
GIVEN = {"model": "crm/deal", "name": "Open deals", "shared": True, "definition": DEFINITION}
EXAMPLE = {
    "id": EXAMPLE_ID, **GIVEN, "own": True, "writable": True, "createdAt": "2027-01-01T09:00:00.000Z",
    "updatedAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip
OF_MODEL = {
    "name": "model", "in": "query", "schema": {"type": "string"}, "description": "Only those of this model.",
}  # fmt: skip

# A page of the largest views is still small.
MAX_TAKE = 100

signed_in = credentials_required()


def build() -> Blueprint:
    """The blueprint of saved views."""
    blp = Blueprint("views", __name__, url_prefix="/api/v1/_views", description="Saved views of records.")

    @serve(blp, "GET", "", Operation(
        "listViews", "List your saved views and those shared with you", access=signed_in,
        query=(OF_MODEL, *window_parameters(MAX_TAKE)),
        gives=Answer(ViewList, example={"data": [EXAMPLE], "meta": {"count": 1, "take": 20, "skip": 0}}),
    ))  # fmt: skip
    def list_views() -> Response:
        return answer(run_unit(caller(), _listed, request.args.get("model"), *window(request.args, MAX_TAKE)))

    @serve(blp, "POST", "", Operation(
        "createView", "Save a view", access=signed_in, takes=Body(ViewCreate, example=GIVEN),
        gives=Answer(View, example=EXAMPLE, status=201), fails=(409,), once=True,
    ))  # fmt: skip
    def create_view(given: dict[str, Any]) -> Response:
        return respond(_created, model_of(given.pop("model"), caller()), given)

    @serve(blp, "PUT", "/<string:id>", Operation(
        "updateView", "Change a saved view", access=signed_in, takes=Body(ViewUpdate, example={"name": "Mine"}),
        gives=Answer(View, example=EXAMPLE), once=True,
    ))  # fmt: skip
    def update_view(given: dict[str, Any], id: str) -> Response:
        return respond(_changed, parse_id(id), given)

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deleteView", "Remove a saved view", access=signed_in, gives=Answer(Deleted), once=True,
    ))  # fmt: skip
    def delete_view(id: str) -> Response:
        return respond(_removed, id)

    return blp


def _listed(unit: Unit, model: str | None, take: int, skip: int) -> dict[str, Any]:
    models = [name for name in models_of(unit.principal) if model in (None, name)]
    found, count = kept.list_views(unit, models, take, skip)
    return paged([view_of(each, unit.principal) for each in found], count, take, skip)


def _created(unit: Unit, model: Any, given: dict[str, Any]) -> Reply:
    return Reply(
        view_of(kept.create(unit, PlatformSavedView(model=model.qualified_name()), given), unit.principal), 201
    )


def _changed(unit: Unit, identifier: Any, given: dict[str, Any]) -> Reply:
    return Reply(view_of(kept.change(unit, PlatformSavedView, identifier, given), unit.principal))


def _removed(unit: Unit, identifier: str) -> Reply:
    kept.delete(unit, PlatformSavedView, parse_id(identifier))
    return Reply({"id": identifier, "deleted": True})

"""Dashboards: what a user keeps for oneself, or shares with the organization."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.auth.credentials.access import credentials_required
from app.auth.credentials.authentication import caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.unit_of_work import Unit, run_unit
from app.platform import kept
from app.platform.kept import PlatformDashboard
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.content.dashboards import Dashboard, DashboardCreate, DashboardList, DashboardUpdate, dashboard_of
from schemas.envelopes import Deleted
from schemas.query.queries import window

PANEL = {"kind": "bar", "model": "crm/deal", "groupBy": ["stage"], "sum": ["amount"], "title": "Deals by stage"}
GIVEN = {"name": "Sales", "shared": True, "definition": {"panels": [PANEL]}}
EXAMPLE = {
    "id": EXAMPLE_ID, **GIVEN, "own": True, "writable": True, "createdAt": "2027-01-01T09:00:00.000Z",
    "updatedAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip
MAX_TAKE = 20

signed_in = credentials_required()


def build() -> Blueprint:
    """The blueprint of dashboards."""
    blp = Blueprint("dashboards", __name__, url_prefix="/api/v1/_dashboards", description="Dashboards.")

    @serve(blp, "GET", "", Operation(
        "listDashboards", "List your dashboards and those shared with you", access=signed_in,
        query=window_parameters(MAX_TAKE),
        gives=Answer(DashboardList, example={"data": [EXAMPLE], "meta": {"count": 1, "take": 20, "skip": 0}}),
    ))  # fmt: skip
    def list_dashboards() -> Response:
        return answer(run_unit(caller(), _listed, *window(request.args, MAX_TAKE)))

    @serve(blp, "POST", "", Operation(
        "createDashboard", "Make a dashboard", access=signed_in, takes=Body(DashboardCreate, example=GIVEN),
        gives=Answer(Dashboard, example=EXAMPLE, status=201), fails=(409,), once=True,
    ))  # fmt: skip
    def create_dashboard(given: dict[str, Any]) -> Response:
        return respond(_created, given)

    @serve(blp, "GET", "/<string:id>", Operation(
        "readDashboard", "Read a dashboard", access=signed_in, gives=Answer(Dashboard, example=EXAMPLE),
    ))  # fmt: skip
    def read_dashboard(id: str) -> Response:
        return respond(_read, parse_id(id))

    @serve(blp, "PUT", "/<string:id>", Operation(
        "updateDashboard", "Change a dashboard", access=signed_in,
        takes=Body(DashboardUpdate, example={"name": "Mine"}), gives=Answer(Dashboard, example=EXAMPLE), once=True,
    ))  # fmt: skip
    def update_dashboard(given: dict[str, Any], id: str) -> Response:
        return respond(_changed, parse_id(id), given)

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deleteDashboard", "Remove a dashboard", access=signed_in, gives=Answer(Deleted), once=True,
    ))  # fmt: skip
    def delete_dashboard(id: str) -> Response:
        return respond(_removed, id)

    return blp


def _listed(unit: Unit, take: int, skip: int) -> dict[str, Any]:
    found, count = kept.list_dashboards(unit, take, skip)
    return paged([dashboard_of(each, unit.principal) for each in found], count, take, skip)


def _created(unit: Unit, given: dict[str, Any]) -> Reply:
    return Reply(dashboard_of(kept.create(unit, PlatformDashboard(), given), unit.principal), 201)


def _read(unit: Unit, identifier: Any) -> Reply:
    return Reply(dashboard_of(kept.find(unit, PlatformDashboard, identifier), unit.principal))


def _changed(unit: Unit, identifier: Any, given: dict[str, Any]) -> Reply:
    return Reply(dashboard_of(kept.change(unit, PlatformDashboard, identifier, given), unit.principal))


def _removed(unit: Unit, identifier: str) -> Reply:
    kept.delete(unit, PlatformDashboard, parse_id(identifier))
    return Reply({"id": identifier, "deleted": True})

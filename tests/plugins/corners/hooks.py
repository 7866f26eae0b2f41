"""What a road must be."""

from __future__ import annotations

from corners.models import CornersRoad

from rowgate import Write, on_create, on_update, require


@on_create(CornersRoad)
@on_update(CornersRoad, changing=["start_id", "end_id"])
def check_road(road: CornersRoad, write: Write) -> None:
    require(road.start_id != road.end_id, "endId", "Must be another place.")

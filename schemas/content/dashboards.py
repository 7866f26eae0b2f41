"""Dashboards on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.engine.declare.principal import Principal
from app.platform.kept import DASHBOARD_BYTES, PlatformDashboard
from schemas.content.kept import Definition, KeptState, KeptUpdate, kept_of
from schemas.envelopes import ListMeta
from schemas.fields import Text, WireSchema


class DashboardUpdate(KeptUpdate):
    """What changes of a dashboard."""

    definition = Definition(DASHBOARD_BYTES)


class DashboardCreate(DashboardUpdate):
    """A new dashboard."""

    name = Text(required=True, validate=validate.Length(1, 120))


class Dashboard(KeptState, DashboardUpdate):
    """A dashboard that somebody keeps."""


class DashboardList(WireSchema):
    """A page of dashboards, by name."""

    data = fields.List(fields.Nested(Dashboard), required=True)
    meta = fields.Nested(ListMeta, required=True)


def dashboard_of(dashboard: PlatformDashboard, principal: Principal) -> dict[str, Any]:
    """A dashboard as ``principal`` gets it."""
    return {**kept_of(dashboard, principal), "definition": dashboard.definition}

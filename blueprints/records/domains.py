"""One blueprint per domain, built from the catalogue."""

from __future__ import annotations

from app.engine.declare.catalogue import Domain
from blueprints.http.base import Blueprint
from blueprints.records.bindings import add_routes


def build(domain: Domain) -> Blueprint:
    """The generic routes of ``domain``; models that are served apart have none here."""
    blp = Blueprint(domain.name, __name__, url_prefix=f"/api/v1/{domain.name}", description=domain.summary)
    for model in domain.models:
        if not (model.legacy_envelope or model.has_custom_routes):
            add_routes(blp, model)
    return blp

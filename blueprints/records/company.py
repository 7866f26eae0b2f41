"""The company routes, which answer in the older envelope of the generation guide (``Record.legacy_envelope``):
``{data, total, page, pageSize, hasMore}`` for lists, the record for removals."""

from __future__ import annotations

from app.crm.models import CrmCompany
from blueprints.http.base import Blueprint
from blueprints.records.bindings import add_routes


def build() -> Blueprint:
    """The blueprint of the guide routes."""
    blp = Blueprint("company", __name__, url_prefix="/api/v1", description="Companies, by the generation guide.")
    add_routes(blp, CrmCompany)
    return blp

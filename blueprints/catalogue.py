"""The catalogue over HTTP: what a caller may read and do, for programs that show every model."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

from flask import Response

from app.auth.authentication import caller, credentials_required
from app.engine.encoding import dumps
from blueprints.base import JSON, Blueprint
from blueprints.conditional import is_known
from blueprints.declarations import Answer, Operation, serve
from schemas.catalogue import Catalogue, Standing, catalogue_for

TEXT = (
    "Every model that the caller may read, with its fields, relations and states, and what the caller may do with "
    "records of it. It is the same for all callers of one standing, so that it can be kept by its tag."
)
EXAMPLE = {
    "currency": "USD",
    "domains": [{
        "name": "crm", "summary": "Customers.", "models": [{
            "name": "deal", "class": "CrmDeal", "path": "/api/v1/crm/deal", "plural": "deals", "label": ["name"],
            "operations": {"list": True, "read": True, "create": True, "update": True, "delete": True},
            "relations": [{"name": "company", "model": "crm/company", "many": False, "reference": "companyId"}],
            "fields": [{"name": "amount", "type": "integer", "display": "money", "settable": ["create", "update"]}],
        }],
    }],
}  # fmt: skip


def build() -> Blueprint:
    """The blueprint of the catalogue."""
    blp = Blueprint("catalogue", __name__, url_prefix="/api/v1", description="What there is, for one caller.")

    @serve(blp, "GET", "/_catalogue", Operation(
        "readCatalogue", "Read which models there are and what you may do with them",
        access=credentials_required(), gives=Answer(Catalogue, example=EXAMPLE), conditional=True, description=TEXT,
    ))  # fmt: skip
    def read_catalogue() -> Response:
        body, tag = _encoded(Standing.of(caller()))
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if is_known(tag):
            return Response(status=304, headers=headers)
        return Response(body, content_type=JSON, headers=headers)

    return blp


@cache
def _encoded(standing: Standing) -> tuple[bytes, str]:
    body = dumps(catalogue_for(standing))
    return body, f'"{blake2b(body, digest_size=16).hexdigest()}"'

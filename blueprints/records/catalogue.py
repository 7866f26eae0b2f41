"""The catalogue over HTTP: what a caller may read and do, for programs that show every model."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from flask import Response, current_app

from app.auth.credentials.access import WithGrants, credentials_required
from app.auth.credentials.authentication import caller
from app.engine.read.encoding import dumps
from blueprints.http.base import JSON, Blueprint
from blueprints.http.compression import compressed, wants_gzip
from blueprints.http.conditional import matches_if_none_match
from blueprints.http.declarations import Answer, Operation, serve
from schemas.catalogue import KEPT, CallerProfile, Catalogue, catalogue_for, served

TEXT = (
    "Every model that the caller may read, with its fields, relations and states, and what the caller may do with "
    "records of it. It is the same for all callers of one standing, so that it can be kept by its tag."
)
EXAMPLE = {
    "currency": "USD",
    "uploadMaxBytes": 26_214_400,
    "changesDays": 30,
    "extensions": ["/console/extensions/helpdesk/index.js"],
    "domains": [{
        "name": "crm", "summary": "Customers.", "models": [{
            "name": "deal", "class": "CrmDeal", "path": "/api/v1/crm/deal", "plural": "deals", "label": ["name"],
            "operations": {
                "list": True, "read": True, "create": True, "update": True, "delete": True, "export": True,
                "import": True,
            },
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
        access=credentials_required(with_grants=WithGrants.EVERYBODY),
        gives=Answer(Catalogue, example=EXAMPLE), conditional=True, description=TEXT,
    ))  # fmt: skip
    def read_catalogue() -> Response:
        settings = current_app.config["SETTINGS"]
        kept = _kept(CallerProfile.of(caller()), served(), settings.upload_max_bytes, settings.changes_days)
        headers = {"ETag": kept.tag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
        if matches_if_none_match(kept.tag):
            return Response(status=304, headers=headers)
        if not wants_gzip():
            return Response(kept.body, content_type=JSON, headers=headers)
        return Response(kept.gzipped, content_type=JSON, headers={**headers, "Content-Encoding": "gzip"})

    return blp


class Kept(NamedTuple):
    """An answer as it goes out."""

    body: bytes
    gzipped: bytes
    tag: str


@lru_cache(maxsize=KEPT)
def _kept(standing: CallerProfile, domains: tuple[str, ...], upload_max_bytes: int, changes_days: int) -> Kept:
    body = dumps({**catalogue_for(standing), "uploadMaxBytes": upload_max_bytes, "changesDays": changes_days})
    return Kept(body, compressed(body), f'"{blake2b(body, digest_size=16).hexdigest()}"')

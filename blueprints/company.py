"""The company routes, with the list envelope, PATCH and error shape of the generation guide."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.auth.authentication import credentials_required
from app.crm.models import CrmCompany
from blueprints import bulk, crud, lists
from blueprints.base import Blueprint, parse_id
from blueprints.conditional import precondition
from blueprints.declarations import strict
from blueprints.describe import document_operation
from blueprints.imports import add_import
from blueprints.replies import respond
from blueprints.transfers import add_export
from blueprints.writes import deleted
from schemas.derive import read_schema
from schemas.envelopes import guide_list_schema

PATH = "/crm/company"


def build() -> Blueprint:
    """The blueprint of the guide routes; what they share with every model comes from the generic ones."""
    blp = Blueprint("company", __name__, url_prefix="/api/v1", description="Companies, by the generation guide.")
    for operation in ("create", "read", "update"):
        crud.add_operation(blp, CrmCompany, operation, PATH)
    _add(blp, _list(blp), "list", PATH, "GET")
    crud.add_queries(blp, CrmCompany, PATH, lists.guide_envelope)
    add_export(blp, CrmCompany, PATH)
    bulk.add_bulk(blp, CrmCompany, PATH)
    add_import(blp, CrmCompany, PATH)
    _add(blp, strict(_delete(blp), crud.ON_ITEM), "delete", f"{PATH}/<string:id>", "DELETE")
    return blp


def _add(blp: Blueprint, handler: Any, operation: str, rule: str, method: str) -> None:
    name = crud.operation_id(CrmCompany, operation)
    view = blp.described(document_operation, CrmCompany, operation, name)(handler)
    blp.add_url_rule(rule, name, credentials_required()(view), methods=[method])


def _list(blp: Blueprint) -> crud.Handler:
    @blp.response(200, guide_list_schema(CrmCompany))
    def handler() -> Response:
        return lists.respond(CrmCompany, lists.of_parameters(CrmCompany), lists.guide_envelope)

    return handler


def _delete(blp: Blueprint) -> crud.Handler:
    @blp.response(200, read_schema(CrmCompany))
    def handler(id: str) -> Response:
        return respond(deleted, CrmCompany, parse_id(id), precondition())

    return handler

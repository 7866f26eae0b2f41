"""A route by hand: how many gadgets the caller has."""

from __future__ import annotations

from flask import Response
from gadgets.models import Gadget

from rowgate import PLAIN, list_page
from rowgate.http import Blueprint, answer, caller, credentials_required


def build() -> Blueprint:
    blp = Blueprint("gadget-count", __name__, url_prefix="/api/v1/gadgets-count", description="Counts of gadgets.")

    @blp.route("", methods=["GET"])
    @credentials_required()
    @blp.doc(operationId="countGadgets", summary="Count gadgets")
    @blp.response(200)
    def count() -> Response:
        return answer({"gadgets": list_page(Gadget, caller(), PLAIN).count})

    return blp

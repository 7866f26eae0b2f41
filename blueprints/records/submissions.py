"""Rows that anybody sends through a form, without a credential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, request

from app.auth.credentials import captcha
from app.auth.credentials.authentication import caller
from app.engine.declare.record import Record
from app.engine.write import submissions
from app.runtime import rate_limits
from blueprints.http.base import json_body, json_object, load
from blueprints.http.replies import Reply, idempotent_request
from schemas.derive import create_schema
from schemas.query.queries import refuse_unknown

Handler = Callable[..., Response]


def or_submitted(model: type[Record], create: Handler) -> Handler:
    """Let ``create`` make records for whoever has a credential, and take one from whoever has none."""

    def handler() -> Response:
        return _respond_with_submitted(model, json_body()) if caller().is_nobody else create()

    return handler


def _respond_with_submitted(model: type[Record], body: Any) -> Response:
    """The id of the new row, and nothing of it. A network and a form take so many at a time."""
    rate_limits.consume_for_network(rate_limits.by_setting("anonymous-create"), request.remote_addr)
    refuse_unknown(request.args, ())
    idempotent_request()
    sent = json_object(body)
    token = sent.pop(captcha.MEMBER, None)
    given = load(create_schema(model), sent)
    form, organization_id = submissions.find_form(model, given)
    rate_limits.consume(rate_limits.by_setting("anonymous-form"), f"form:{form}")
    captcha.check(token, request.remote_addr)
    return Reply({"id": str(submissions.submit(model, given, organization_id))}, 201).response()

"""What asks of a list: its page by GET, QUERY and POST, and sums over it, in the envelope of each family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from flask import Response, current_app, request

from app.auth.authentication import caller
from app.engine.declare.record import Record
from app.engine.read import pages, records
from app.engine.read.aggregates import SumQuery, sums
from app.engine.read.encoding import dumps
from app.engine.read.query import Page, Query
from app.foundation.errors import AnswerTooLarge
from blueprints.base import JSON, json_body, json_object
from blueprints.replies import Reply
from schemas.queries import body_query, item_selection, list_query
from schemas.sums import body_sum_query, sum_query

# RFC 10008, section 3.
ASKED_BY = [("Accept-Query", f'"{JSON}"')]

Envelope = Callable[[Query, Page], Mapping[str, Any]]


def of_parameters(model: type[Record]) -> Query:
    """What the query parameters of the request ask of the list of ``model``."""
    return list_query(model, caller(), request.args, current_app.config["SETTINGS"])


def of_body(model: type[Record]) -> Query:
    """What the body of the request asks."""
    return body_query(model, caller(), json_object(json_body()), current_app.config["SETTINGS"])


def respond(model: type[Record], query: Query, envelope: Envelope) -> Response:
    """The page that ``query`` asks for; raises AnswerTooLarge."""
    page = pages.list_page(model, caller(), query)
    body = dumps(envelope(query, page)) if query.is_plain else sized(envelope(query, page))
    return Response(body, 200, ASKED_BY, content_type=JSON)


def respond_with_item(model: type[Record], identifier: UUID) -> Response:
    """A record, or what the query parameters choose of it, with what they expand."""
    if not request.args:
        return Reply.of(records.get(model, caller(), identifier)).response()
    selection = item_selection(model, caller(), request.args, current_app.config["SETTINGS"])
    reply = Reply.of(records.get(model, caller(), identifier, selection))
    check_size(reply.body)
    return reply.response()


def sized(value: Any) -> bytes:
    """The JSON of an answer to a query; raises AnswerTooLarge."""
    body = dumps(value)
    check_size(body)
    return body


def check_size(body: bytes) -> None:
    """Refuse an answer to a query that is too large; raises AnswerTooLarge."""
    most = current_app.config["SETTINGS"].max_answer_bytes
    if len(body) > most:
        raise AnswerTooLarge.than(most)


def envelope(query: Query, page: Page) -> dict[str, Any]:
    """``{data, meta}``."""
    meta: dict[str, Any] = {"count": page.count, "take": query.take, "skip": query.skip}
    if query.cursor is not None:
        meta["next"] = page.next
    if query.counts:
        meta["counted"] = page.counted
    if query.versions:
        meta["versions"] = page.versions
    return {"data": page.records, "meta": meta}


def guide_envelope(query: Query, page: Page) -> dict[str, Any]:
    """``{data, total, page, pageSize, hasMore}``, as the generation guide has it."""
    window = {"page": query.skip // query.take, "pageSize": query.take, "hasMore": page.has_more}
    body: dict[str, Any] = {"data": page.records, "total": page.count, **window}
    if query.cursor is not None:
        body["next"] = page.next
    if query.counts:
        body["counted"] = page.counted
    if query.versions:
        body["versions"] = page.versions
    return body


def sum_of_parameters(model: type[Record]) -> SumQuery:
    """What the query parameters of the request ask to be summed."""
    return sum_query(model, caller(), request.args, current_app.config["SETTINGS"])


def sum_of_body(model: type[Record]) -> SumQuery:
    """What the body of the request asks to be summed."""
    return body_sum_query(model, caller(), json_object(json_body()), current_app.config["SETTINGS"])


def respond_with_sums(model: type[Record], query: SumQuery) -> Response:
    """The groups that ``query`` asks for."""
    groups, more = sums(model, caller(), query)
    return Response(sized({"data": groups, "meta": {"take": query.take, "more": more}}), content_type=JSON)

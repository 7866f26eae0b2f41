"""Reads over HTTP and in batches: a page of a list by GET, QUERY and POST, one record, aggregates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, current_app, request

from app.auth.credentials.authentication import caller
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import pages, ranked, records
from app.engine.read.aggregates import AggregateQuery, aggregates
from app.engine.read.encoding import dumps
from app.engine.read.query import Page, Query
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import AnswerTooLarge, InvalidSearch
from blueprints.http.base import JSON, json_body, json_object, parse_id
from blueprints.http.replies import Reply
from blueprints.records.history import AS_OF, read_as_of
from blueprints.records.parts import RoutedSubRequest
from config import Settings
from schemas.query.aggregates import aggregate_query, body_aggregate_query
from schemas.query.queries import body_query, item_selection, list_query

# RFC 10008, section 3.
ACCEPT_QUERY = [("Accept-Query", f'"{JSON}"')]

Handler = Callable[..., Response]


def list_records(model: type[Record]) -> Handler:
    """The page that the query parameters ask for."""

    def handler() -> Response:
        return respond_with_page(model, list_query(model, caller(), request.args, _settings()))

    return handler


def query_records(model: type[Record]) -> Handler:
    """The page that the body asks for."""

    def handler() -> Response:
        return respond_with_page(model, body_query(model, caller(), json_object(json_body()), _settings()))

    return handler


def read_record(model: type[Record]) -> Handler:
    """A record, or what the query parameters choose of it, with what they expand."""

    def handler(id: str) -> Response:
        identifier = parse_id(id)
        if not request.args:
            return Reply.of(records.get(model, caller(), identifier)).response()
        if AS_OF in request.args:
            return read_as_of(model, identifier)
        selection = item_selection(model, caller(), request.args, _settings())
        reply = Reply.of(records.get(model, caller(), identifier, selection))
        check_size(reply.body)
        return reply.response()

    return handler


def aggregate_records(model: type[Record]) -> Handler:
    """The groups that the query parameters ask for."""

    def handler() -> Response:
        return _groups(model, aggregate_query(model, caller(), request.args, _settings()))

    return handler


def query_aggregate(model: type[Record]) -> Handler:
    """The groups that the body asks for."""

    def handler() -> Response:
        return _groups(model, body_aggregate_query(model, caller(), json_object(json_body()), _settings()))

    return handler


def list_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_query=True)
    query = list_query(model, unit.principal, asked.args, _settings())
    if query.rank_by is not None:  # nothing slow happens while a batch holds its transaction
        raise InvalidSearch("A batch ranks no lists", details={"fields": {"searchMode": ["Not in a batch."]}})
    asked.expand(query.selection, query.take)
    return Reply(envelope_of(model)(query, pages.list_page(model, unit.principal, query)))


def read_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_query=True)
    selection = item_selection(model, unit.principal, asked.args, _settings())
    asked.expand(selection)
    return Reply.of(records.get(model, unit.principal, parse_id(asked.identifier), selection))


def aggregate_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_query=True)
    return Reply(grouped(model, unit.principal, aggregate_query(model, unit.principal, asked.args, _settings())))


def respond_with_page(model: type[Record], query: Query) -> Response:
    """The page that ``query`` asks for; raises AnswerTooLarge."""
    read = pages.list_page if query.rank_by is None else ranked.ranked_page
    answered = envelope_of(model)(query, read(model, caller(), query))
    return Response(dumps(answered) if query.is_plain else sized(answered), 200, ACCEPT_QUERY, content_type=JSON)


def _groups(model: type[Record], query: AggregateQuery) -> Response:
    return Response(sized(grouped(model, caller(), query)), content_type=JSON)


def grouped(model: type[Record], principal: Principal, query: AggregateQuery) -> dict[str, Any]:
    """The groups that ``query`` asks for, as they are answered."""
    groups, more = aggregates(model, principal, query)
    return {"data": groups, "meta": {"take": query.take, "more": more}}


def _settings() -> Settings:
    settings: Settings = current_app.config["SETTINGS"]
    return settings


def envelope_of(model: type[Record]) -> Callable[[Query, Page], Mapping[str, Any]]:
    """How lists of ``model`` are answered."""
    return paged_envelope if model.legacy_envelope else envelope


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
    if page.degraded is not None:
        meta["degraded"] = page.degraded
    return {"data": page.records, "meta": meta}


def paged_envelope(query: Query, page: Page) -> dict[str, Any]:
    """``{data, total, page, pageSize, hasMore}``, as the generation guide has it."""
    window = {"page": query.skip // query.take, "pageSize": query.take, "hasMore": page.has_more}
    body: dict[str, Any] = {"data": page.records, "total": page.count, **window}
    if query.cursor is not None:
        body["next"] = page.next
    if query.counts:
        body["counted"] = page.counted
    if query.versions:
        body["versions"] = page.versions
    if page.degraded is not None:
        body["degraded"] = page.degraded
    return body

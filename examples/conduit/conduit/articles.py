"""Articles, their comments, their readers' favorites, and their tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from flask import Response, request
from sqlalchemy import func, select

from conduit.http import blueprint, caller_or_nobody, profile_of, reader, route
from conduit.models import ConduitArticle, ConduitComment, ConduitFavorite, ConduitFollow
from conduit.people import shown
from conduit.schemas import ArticleChange, NewArticle, NewComment, within
from rowgate import NotFound, Principal, aggregate, find, get, reading, run_unit, visible
from rowgate.http import Answer, Blueprint, Body, answer, parse_id

WINDOW = [
    {"name": name, "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": most, "default": default}}
    for name, most, default in (("limit", 100, 20), ("offset", 100_000, 0))
]
FILTERS = {
    "author": lambda name: {"author": {"username": name}},
    "favorited": lambda name: {"conduitFavorites": {"some": {"reader": {"username": name}}}},
    "tag": lambda name: {"tags": {"has": name}},
}
TEXT = {"type": "string", "maxLength": 200}


def build() -> Blueprint:
    """The blueprint that the plugin names."""
    blp = blueprint("articles", "Articles and what readers do with them.")
    _serve_lists(blp)
    _serve_articles(blp)
    _serve_comments(blp)
    return blp


def _serve_lists(blp: Blueprint) -> None:
    named = [{"name": name, "in": "query", "schema": TEXT} for name in FILTERS]

    @route(blp, "GET", "/articles", "conduitArticles", "List articles, the newest first", query=[*named, *WINDOW])
    def articles() -> Response:
        asked = [condition(request.args[name]) for name, condition in FILTERS.items() if name in request.args]
        return _page(caller_or_nobody(), {"and": asked} if asked else {})

    @route(blp, "GET", "/articles/feed", "conduitFeed", "List articles of those one follows", query=WINDOW)
    def feed() -> Response:
        principal, mine = reader()
        return _page(principal, {"author": {"conduitFollowsByAuthor": {"some": {"readerId": mine["id"]}}}})

    @route(blp, "GET", "/tags", "conduitTags", "List the tags that articles have")
    def tags() -> Response:
        tag = func.unnest(ConduitArticle.tags).label("tag")
        statement = select(tag).where(visible(ConduitArticle, caller_or_nobody(), "list")).distinct().order_by(tag)
        with reading() as session:
            return answer({"tags": list(session.scalars(statement.limit(1000)))})


def _serve_articles(blp: Blueprint) -> None:
    article = "/articles/<string:slug>"

    @route(blp, "POST", "/articles", "addConduitArticle", "Publish an article",
           takes=Body(within("article", NewArticle)), gives=Answer(status=201))  # fmt: skip
    def add(given: dict[str, Any]) -> Response:
        principal, mine = reader()
        values = _values(given["article"]) | {"author_id": mine["id"]}
        made = run_unit(principal, lambda unit: unit.create(ConduitArticle, values))
        return _one(principal, made["slug"], 201)

    @route(blp, "GET", article, "conduitArticle", "Show an article")
    def show(slug: str) -> Response:
        return _one(caller_or_nobody(), slug)

    @route(blp, "PUT", article, "changeConduitArticle", "Change an article",
           takes=Body(within("article", ArticleChange)))  # fmt: skip
    def change(given: dict[str, Any], slug: str) -> Response:
        principal, _ = reader()
        found, values = _found(principal, slug), _values(given["article"])
        changed = run_unit(principal, lambda unit: unit.update(ConduitArticle, found["id"], values))
        return _one(principal, changed["slug"])

    @route(blp, "DELETE", article, "deleteConduitArticle", "Delete an article", gives=Answer(status=204))
    def delete(slug: str) -> Response:
        principal, _ = reader()
        found = _found(principal, slug)
        run_unit(principal, lambda unit: unit.delete(ConduitArticle, found["id"]))
        return Response(status=204)

    @route(blp, "POST", f"{article}/favorite", "favorConduitArticle", "Favor an article")
    def favor(slug: str) -> Response:
        principal, mine = reader()
        edge = {"reader_id": mine["id"], "article_id": _found(principal, slug)["id"]}
        if not _favorites(principal, mine, [edge["article_id"]]):
            run_unit(principal, lambda unit: unit.create(ConduitFavorite, edge))
        return _one(principal, slug)

    @route(blp, "DELETE", f"{article}/favorite", "disfavorConduitArticle", "Favor an article no more")
    def disfavor(slug: str) -> Response:
        principal, mine = reader()
        for each in _favorites(principal, mine, [_found(principal, slug)["id"]]):
            run_unit(principal, lambda unit, found=each["id"]: unit.delete(ConduitFavorite, found))
        return _one(principal, slug)


def _serve_comments(blp: Blueprint) -> None:
    comments = "/articles/<string:slug>/comments"

    @route(blp, "GET", comments, "conduitComments", "List the comments of an article", query=WINDOW)
    def show(slug: str) -> Response:
        principal = caller_or_nobody()
        found = find(
            ConduitComment, principal, {"articleId": _found(principal, slug)["id"]}, expand=["author"], **_window()
        )
        return answer({"comments": _comments(principal, found.records)})

    @route(blp, "POST", comments, "addConduitComment", "Comment on an article",
           takes=Body(within("comment", NewComment)))  # fmt: skip
    def add(given: dict[str, Any], slug: str) -> Response:
        principal, mine = reader()
        values = given["comment"] | {"article_id": _found(principal, slug)["id"], "author_id": mine["id"]}
        made = run_unit(principal, lambda unit: unit.create(ConduitComment, values))
        return answer({"comment": _comments(principal, [made | {"author": mine}])[0]})

    @route(blp, "DELETE", f"{comments}/<string:id>", "deleteConduitComment", "Delete a comment",
           gives=Answer(status=204))  # fmt: skip
    def delete(slug: str, id: str) -> Response:
        principal, _ = reader()
        found = get(ConduitComment, principal, parse_id(id))
        if found["articleId"] != _found(principal, slug)["id"]:
            raise NotFound()
        run_unit(principal, lambda unit: unit.delete(ConduitComment, found["id"]))
        return Response(status=204)


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """What is stored of an article: its tags without doubles, by name."""
    return given | ({"tags": sorted(set(given["tags"]))} if "tags" in given else {})


def _window() -> dict[str, int]:
    asked = {each["name"]: request.args.get(each["name"], each["schema"]["default"], type=int) for each in WINDOW}
    return {"take": asked["limit"], "skip": asked["offset"]}


def _found(principal: Principal, slug: str) -> dict[str, Any]:
    found = find(ConduitArticle, principal, {"slug": slug}, expand=["author"], take=1).records
    if not found:
        raise NotFound()
    return found[0]


def _one(principal: Principal, slug: str, status: int = 200) -> Response:
    return answer({"article": _articles(principal, [_found(principal, slug)])[0]}, status)


def _page(principal: Principal, where: dict[str, Any]) -> Response:
    found = find(ConduitArticle, principal, where, expand=["author"], count="bounded", **_window())
    shown = [
        {name: value for name, value in each.items() if name != "body"} for each in _articles(principal, found.records)
    ]
    return answer({"articles": shown, "articlesCount": found.count})


def _articles(principal: Principal, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Articles as RealWorld has them, in four statements however many there are."""
    mine, ids = profile_of(principal), [each["id"] for each in records]
    following = _followed(principal, mine, records)
    favored = {each["articleId"] for each in _favorites(principal, mine, ids)} if mine else set()
    groups = aggregate(ConduitFavorite, principal, {"articleId": {"in": ids}}, group=["articleId"]) if ids else []
    counts = {each["group"]["articleId"]: each["count"] for each in groups}
    return [
        {name: each[name] for name in ("slug", "title", "description", "body", "createdAt", "updatedAt")}
        | {
            "tagList": each["tags"],
            "favorited": each["id"] in favored,
            "favoritesCount": counts.get(each["id"], 0),
            "author": shown(each["author"], following=each["authorId"] in following),
        }
        for each in records
    ]


def _comments(principal: Principal, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    following = _followed(principal, profile_of(principal), records)
    return [
        {name: each[name] for name in ("id", "body", "createdAt", "updatedAt")}
        | {"author": shown(each["author"], following=each["authorId"] in following)}
        for each in records
    ]


def _followed(principal: Principal, mine: dict[str, Any] | None, records: Sequence[dict[str, Any]]) -> set[UUID]:
    """The authors among those of ``records`` whom the reader follows."""
    if mine is None or not records:
        return set()
    edges = {"readerId": mine["id"], "authorId": {"in": list({each["authorId"] for each in records})}}
    return {each["authorId"] for each in find(ConduitFollow, principal, edges, take=100).records}


def _favorites(principal: Principal, mine: dict[str, Any], articles: Sequence[UUID]) -> list[dict[str, Any]]:
    if not articles:
        return []
    edges = {"readerId": mine["id"], "articleId": {"in": list(articles)}}
    return list(find(ConduitFavorite, principal, edges, take=100).records)

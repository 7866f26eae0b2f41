"""Searches of a knowledge base that store nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from flask import Response

from app.ai_rag import previews, reembedding, searches
from app.ai_rag.hooks import check_filter
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex, AiRagQuery
from app.ai_rag.previews import Previewed
from app.ai_rag.search import Options
from app.auth.credentials.access import RequiredGrants, credentials_required, rights_required
from app.auth.credentials.authentication import caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.unit_of_work import Unit
from blueprints.http.base import Blueprint, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, respond
from schemas.content.knowledge import Passages, Preview, PreviewChunks, Reembedding, Search, passage_of
from schemas.derive import read_schema

# Another model is another choice of who reads all of it.
changes_bases = credentials_required(requires_grants=RequiredGrants((AiRagIndex,), ("update",)))
PASSAGE = {
    "chunkId": EXAMPLE_ID, "documentId": EXAMPLE_ID, "title": "Timetable", "content": "The ferry leaves at noon.",
    "heading": None, "page": 3, "start": 0, "end": 25, "before": None, "after": None, "highlights": [[4, 9]],
    "score": 0.98, "byWords": {"rank": 2, "score": 0.31},
    "byMeaning": {"rank": 1, "score": 0.64},
}  # fmt: skip

# What of a search a stored query has, too.
ASKED = ("text", "mode", "top_k", "min_score", "filter")
CHUNK = {
    "content": "# Ferries\n\nThe ferry leaves at noon.", "heading": "Ferries", "page": None, "start": 0, "end": 36,
}  # fmt: skip


def build() -> Blueprint:
    """The blueprint of searches."""
    blp = Blueprint(
        "knowledge", __name__, url_prefix="/api/v1/ai-rag/index", description="Searches of knowledge bases."
    )
    _route_searches(blp)
    _route_building(blp)
    return blp


def _route_searches(blp: Blueprint) -> None:
    @serve(blp, "POST", "/<string:id>/_search", Operation(
        "searchAiRagIndex", "Search a knowledge base", access=rights_required(AiRagIndex, "read", reads=True),
        takes=Body(Search, example={"text": "When does the boat depart?", "topK": 3}),
        gives=Answer(Passages, example={"data": [PASSAGE], "meta": {"mode": "hybrid", "degraded": False}}),
        fails=(404, 409),
        description="Finds passages by words, by meaning, or by both, in the documents that you may read. Nothing is "
        "stored; to keep what was asked and found, create an `ai-rag/query`.",
    ))  # fmt: skip
    def search(given: dict[str, Any], id: str) -> Response:
        return Reply(passages(parse_id(id), given)).response()


def passages(identifier: UUID, given: dict[str, Any]) -> dict[str, Any]:
    """The passages of a knowledge base that the caller may see, as they are answered; raises NotFound and Conflict."""
    check_filter(given["filter"])
    query = AiRagQuery(index_id=identifier, **{name: given[name] for name in ASKED})
    found = searches.find(caller(), query, _options(given))
    placed = caller().reader.admits_wholly(AiRagChunk, "list")
    meta = {"mode": given["mode"], "degraded": found.degraded}
    return {"data": [passage_of(hit, placed=placed) for hit in found.hits], "meta": meta}


def _options(given: dict[str, Any]) -> Options:
    """How what was asked is ranked and shown; a document is shown around its passages to whoever reads whole ones."""
    weights = given["weights"] and tuple(round(given["weights"][name], 6) for name in ("words", "meaning"))
    around = given["window"] if caller().reader.admits_wholly(AiRagDocument, "read") else 0
    return Options(
        weights=weights, per_document=given["per_document"], around=around, highlights=given["highlights"],
    )  # fmt: skip


def _route_building(blp: Blueprint) -> None:
    @serve(blp, "POST", "/<string:id>/_preview", Operation(
        "previewAiRagIndex", "See how a text or a file would be cut",
        access=rights_required(AiRagIndex, "read", reads=True),
        takes=Body(Preview, example={"content": "# Ferries\n\nThe ferry leaves at noon."}),
        gives=Answer(PreviewChunks, example={"data": [CHUNK]}), fails=(404,),
    ))  # fmt: skip
    def preview(given: dict[str, Any], id: str) -> Response:
        chunks = previews.preview(caller(), parse_id(id), Previewed(**given))
        return Reply({"data": [asdict(chunk) for chunk in chunks]}).within_bounds().response()

    @serve(blp, "POST", "/<string:id>/_reembed", Operation(
        "reembedAiRagIndex", "Give a knowledge base another model", access=changes_bases,
        takes=Body(Reembedding, example={"embeddingModel": "text-embedding-3-small", "providerId": EXAMPLE_ID}),
        gives=Answer(read_schema(AiRagIndex), status=202), fails=(404, 409), once=True,
        description="The old vectors answer until all of the new ones are there. `status` is `building` meanwhile, and "
        "`failed` where they cannot be made.",
    ))  # fmt: skip
    def reembed(given: dict[str, Any], id: str) -> Response:
        return respond(_reembedded, parse_id(id), given)


def _reembedded(unit: Unit, identifier: UUID, given: dict[str, Any]) -> Reply:
    reembedding.reembed(unit, identifier, given["embedding_model"], given["provider_id"])
    return Reply(unit.read_many(AiRagIndex, [identifier])[0], 202)

"""The tools that search knowledge bases, where the service has any."""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from app.ai_rag.models import AiRagChunk, AiRagIndex
from app.auth.credentials.authentication import caller
from app.engine.operations import verbs
from app.engine.read import records
from app.foundation.settings import settings
from blueprints.content.knowledge import passages
from blueprints.http.base import load, parse_id
from blueprints.mcp import catalogue, results
from blueprints.mcp.reading import OBJECT, ROWS, TEXT
from blueprints.mcp.tool import Arguments, Tool
from schemas.content.knowledge import Search
from schemas.query.queries import item_selection


def search_knowledge(arguments: Arguments) -> dict[str, Any]:
    """Answer passages of documents that fit a question, by words and by meaning."""
    catalogue.require(AiRagIndex, verbs.READ)
    given = load(Search(), {name: value for name, value in arguments.items() if name != "indexId"})
    found = passages(parse_id(arguments["indexId"]), given)
    hits = found["data"]
    room = results.fitting_rows(hits)
    return results.of_data({**found, "data": hits[:room]}, results.left_out(room, len(hits)))


def fetch_passage(arguments: Arguments) -> dict[str, Any]:
    """Answer a passage, with the document that it is of."""
    catalogue.require(AiRagChunk, verbs.READ)
    wanted = MultiDict({"expand": "document", "fields": "content,heading,page,position,document.id,document.title"})
    found = records.get(
        AiRagChunk, caller(), parse_id(arguments["chunkId"]), item_selection(AiRagChunk, caller(), wanted, settings)
    )
    return results.of_data({"record": found, "version": found.version})


TOOLS = (
    Tool(
        "search_knowledge", "Search knowledge", "Finds passages of documents in a knowledge base, by words and by "
        "meaning. query_records of ai-rag/index lists the knowledge bases.", search_knowledge,
        {
            "indexId": {**TEXT, "description": "The id of an ai-rag/index."}, "text": TEXT,
            "mode": {**TEXT, "description": "hybrid, vector or keyword."}, "topK": {"type": "integer"},
            "filter": {**OBJECT, "description": "Labels of the documents."}, "window": {"type": "integer"},
        }, ("indexId", "text"), output=ROWS,
    ),
    Tool(
        "fetch_passage", "Fetch a passage", "Reads a passage that a search has found, whole, with its document.",
        fetch_passage, {"chunkId": {**TEXT, "description": "The chunkId of a passage."}}, ("chunkId",),
        output={"type": "object", "properties": {"record": OBJECT}, "required": ["record"]},
    ),
)  # fmt: skip

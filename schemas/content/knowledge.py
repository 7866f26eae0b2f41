"""Searches of a knowledge base on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from app.ai_rag.search import Hit
from schemas.fields import Flag, Identifier, Json, Number, Text, Whole, WireSchema

MODES = ("hybrid", "vector", "keyword")
MAX_TEXT, MAX_TAKE, MAX_FILTER, MAX_CONTENT, MAX_WINDOW = 4000, 50, 8192, 2_000_000, 2000
# Of two weights, the larger one.
LEAST_WEIGHT = 0.001


class Weights(WireSchema):
    """How much the two ways of finding weigh, beside each other."""

    words = Number(required=True, validate=validate.Range(0, 1))
    meaning = Number(required=True, validate=validate.Range(0, 1))

    @validates_schema(skip_on_field_errors=True)
    def weigh(self, given: dict[str, Any], **_: Any) -> None:
        if max(given.values()) < LEAST_WEIGHT:
            raise ValidationError({"words": ["One of the two has to weigh something."]})


class Search(WireSchema):
    """What is asked of a knowledge base; nothing of it is stored."""

    text = Text(
        required=True, validate=validate.Length(1, MAX_TEXT),
        metadata={"description": 'Passages have to hold "phrases", must not hold -words; harb* is any word so begun.'},
    )  # fmt: skip
    mode = fields.String(
        load_default="hybrid", validate=validate.OneOf(MODES),
        metadata={"description": "By both ways, by meaning, or by words. Without vectors, both is by words alone."},
    )  # fmt: skip
    top_k = Whole(load_default=5, data_key="topK", validate=validate.Range(1, MAX_TAKE))
    min_score = Number(load_default=0.0, data_key="minScore", validate=validate.Range(0, 1))
    filter = Json(
        shape="object", max_bytes=MAX_FILTER, load_default=dict,
        metadata={"description": "Labels of the documents: key to value, or to a range of numbers."},
    )  # fmt: skip
    weights = fields.Nested(
        Weights, load_default=None, allow_none=True,
        metadata={"description": "For `hybrid`. Words weigh 5 times as much as meaning, unless they fit nowhere."},
    )  # fmt: skip
    per_document = Whole(
        load_default=None, allow_none=True, data_key="perDocument", validate=validate.Range(1, MAX_TAKE),
        metadata={"description": "The most passages of one document."},
    )  # fmt: skip
    window = Whole(
        load_default=0, validate=validate.Range(0, MAX_WINDOW),
        metadata={"description": "Characters of the document before and after each passage."},
    )  # fmt: skip
    highlights = Flag(load_default=False, metadata={"description": "Tell where the words stand in each passage."})


class Preview(WireSchema):
    """What is to be cut, a text, an upload or a document; nothing of it is stored."""

    content = Text(validate=validate.Length(1, MAX_CONTENT))
    upload_id = Identifier(data_key="uploadId", metadata={"format": "uuid"})
    storage_document_id = Identifier(data_key="storageDocumentId", metadata={"format": "uuid"})

    @validates_schema(skip_on_field_errors=True)
    def name_one(self, given: dict[str, Any], **_: Any) -> None:
        if len(given) != 1:
            raise ValidationError({"content": ["Takes a text, an upload or a document: one of these."]})


class PreviewChunk(WireSchema):
    """A chunk that a text would be cut into."""

    content = fields.String(required=True)
    heading = fields.String(required=True, allow_none=True)
    page = fields.Integer(required=True, allow_none=True)
    start = fields.Integer(required=True)
    end = fields.Integer(required=True)


class PreviewChunks(WireSchema):
    """The chunks that a text would be cut into, in its order."""

    data = fields.List(fields.Nested(PreviewChunk), required=True)


class Reembedding(WireSchema):
    """Which model a knowledge base is to have from now on."""

    provider_id = Identifier(
        data_key="providerId", load_default=None, allow_none=True,
        metadata={"format": "uuid", "description": "A provider that has embeddings; without one, that of the service."},
    )  # fmt: skip
    embedding_model = Text(
        data_key="embeddingModel", load_default=None, allow_none=True, validate=validate.Length(1, 120),
        metadata={"description": "The usual one of the service, unless given."},
    )  # fmt: skip


class Ranked(WireSchema):
    """How well a passage fits in one way, and its place among those that do."""

    rank = fields.Integer(required=True)
    score = fields.Float(required=True)


class Passage(WireSchema):
    """A passage that was found."""

    chunk_id = Identifier(required=True, data_key="chunkId", metadata={"format": "uuid"})
    document_id = Identifier(required=True, data_key="documentId", metadata={"format": "uuid"})
    title = fields.String(required=True)
    content = fields.String(required=True)
    heading = fields.String(required=True, allow_none=True)
    page = fields.Integer(required=True, allow_none=True)
    start = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Where the passage begins in the text."}
    )
    end = fields.Integer(required=True, allow_none=True, metadata={"description": "Where it ends."})
    before = fields.String(
        required=True, allow_none=True, metadata={"description": "The text before it, if there is a `window`."}
    )
    after = fields.String(required=True, allow_none=True, metadata={"description": "The text behind it."})
    highlights = fields.List(
        fields.List(fields.Integer()), required=True, allow_none=True,
        metadata={"description": "Where words stand: from which character of `content` until before which."},
    )  # fmt: skip
    score = fields.Float(required=True, metadata={"description": "1 is the best there could be."})
    by_words = fields.Nested(Ranked, required=True, allow_none=True, data_key="byWords")
    by_meaning = fields.Nested(Ranked, required=True, allow_none=True, data_key="byMeaning")


class SearchMeta(WireSchema):
    """How the search went."""

    mode = fields.String(required=True, validate=validate.OneOf(MODES))
    degraded = Flag(
        required=True, metadata={"description": "The question came to no vector in time, so that words alone decided."}
    )


class Passages(WireSchema):
    """What a search has found, best first."""

    data = fields.List(fields.Nested(Passage), required=True)
    meta = fields.Nested(SearchMeta, required=True)


def passage_of(hit: Hit, *, placed: bool) -> dict[str, Any]:
    """A hit as it is answered; where it stands in its document is told where it may be ``placed``."""
    return {
        "chunkId": hit.chunk_id, "documentId": hit.document_id, "title": hit.title, "content": hit.content,
        "heading": hit.heading if placed else None, "page": hit.page if placed else None,
        "start": hit.start if placed else None, "end": hit.end if placed else None,
        "before": hit.before if placed else None, "after": hit.after if placed else None, "highlights": hit.highlights,
        "score": hit.score,
        "byWords": _ranked(hit.word_rank, hit.word_score), "byMeaning": _ranked(hit.vector_rank, hit.vector_score),
    }  # fmt: skip


def _ranked(rank: int | None, score: float | None) -> dict[str, Any] | None:
    return None if rank is None else {"rank": rank, "score": score}

"""Knowledge bases: documents cut into chunks, embedded, searched and cited."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLED,
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    HIDDEN,
    IMMUTABLE,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    enum,
    integer,
    json,
    long_text,
    number,
    reference,
    string,
    timestamp,
    vector,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import PUBLISHED, Organization, Owner, Parent


class AiRagIndex(Record):
    """A knowledge base with one embedding model and one distance measure."""

    __tablename__ = "ai_rag_index"
    domain, segment = "ai-rag", "index"
    plural = "indexes"
    searchable = ("name", "description")
    bookkeeping = ("embedded_count", "embedded_tokens", "embedding_cost_micros")
    policy = Policy(Organization("organization_id", public=PUBLISHED), links=True, shares=True)
    keys = (unique("organization_id", "name"),)
    transitions = {
        "status": {
            "empty": ["building"], "building": ["ready", "failed"], "ready": ["building"], "failed": ["building"],
        }
    }  # fmt: skip

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    description: Mapped[str | None] = string(max=2000)
    provider_id: Mapped[UUID | None] = reference(
        "ai_provider", "set null", IMMUTABLE, FILTERABLE,
        note="embedding provider; null means the embeddings endpoint of the settings or the local extra, where "
        "there is one",
    )  # fmt: skip
    embedding_model: Mapped[str | None] = string(
        IMMUTABLE, FILTERABLE, min=1, max=120, default=DERIVED,
        note="that of the embedder; null without one, search is by keyword then",
    )  # fmt: skip
    dimensions: Mapped[int | None] = integer(IMMUTABLE, min=1, max=2000, default=DERIVED, note="those of the model")
    metric: Mapped[str] = enum("cosine", "l2", "inner_product", flags=(IMMUTABLE, FILTERABLE), default="cosine")
    kind: Mapped[str] = enum(
        "flat", "hnsw", "ivfflat", flags=(FILTERABLE,), default="hnsw", note="changing it rebuilds the index"
    )
    parameters: Mapped[dict[str, Any]] = json(shape="object", default={}, note="m, efConstruction, lists")
    chunk_size: Mapped[int] = integer(min=100, max=8000, default=1000, note="characters")
    chunk_overlap: Mapped[int] = integer(min=0, max=2000, default=150, note="below chunkSize")
    status: Mapped[str] = enum("empty", "building", "ready", "failed", flags=(READ_ONLY, FILTERABLE), default="empty")
    document_count: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    chunk_count: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    embedded_count: Mapped[int] = integer(
        READ_ONLY, min=0, max=INTEGER_MAX, default=0, note="chunks that have a vector of the embedding model"
    )
    embedded_tokens: Mapped[int] = integer(
        READ_ONLY, SCOPE_READS, min=0, max=SAFE_MAX, default=0, note="as the embedder has counted them"
    )
    embedding_cost_micros: Mapped[int] = integer(
        READ_ONLY, SCOPE_READS, min=0, max=SAFE_MAX, default=0, note="by the price list of the provider"
    )
    last_built_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")


class AiRagDocument(Record):
    """A source text taken into a knowledge base."""

    __tablename__ = "ai_rag_document"
    domain, segment = "ai-rag", "document"
    plural = "aiRagDocuments"
    searchable = ("title",)
    bookkeeping = (
        "embedded_count",
        "fetched_at",
        "entity_tag",
        "last_modified",
        "next_fetch_at",
        "missed",
        "configuration",
    )
    policy = Policy(Parent("index_id"))
    operations_note = "a change of content or source puts it back to pending"
    keys = (unique("index_id", "content_hash"), index("next_fetch_at", where="next_fetch_at IS NOT NULL"))
    transitions = {
        "status": {
            "pending": ["processing"],
            "processing": ["indexed", "failed"],
            "indexed": ["pending"],
            "failed": ["pending"],
        }
    }

    index_id: Mapped[UUID] = reference("ai_rag_index", "cascade", IMMUTABLE, FILTERABLE)
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=300)
    source_type: Mapped[str] = enum("text", "upload", "document", "url", flags=(IMMUTABLE, FILTERABLE), default="text")
    upload_id: Mapped[UUID | None] = reference("storage_upload", "set null", IMMUTABLE, FILTERABLE)
    storage_document_id: Mapped[UUID | None] = reference("storage_document", "set null", IMMUTABLE, FILTERABLE)
    source_url: Mapped[str | None] = string(CALLED, max=2048, format="url")
    refresh_seconds: Mapped[int | None] = integer(
        min=300, max=31_536_000, note="how often the page at sourceUrl is asked for anew"
    )
    fetched_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE, note="when the page last answered")
    gone_at: Mapped[datetime | None] = timestamp(
        READ_ONLY, FILTERABLE, note="the page was not there twice in a row; the text is kept"
    )
    entity_tag: Mapped[str | None] = string(HIDDEN, max=500)
    last_modified: Mapped[str | None] = string(HIDDEN, max=100)
    next_fetch_at: Mapped[datetime | None] = timestamp(HIDDEN)
    missed: Mapped[int] = integer(HIDDEN, min=0, max=INTEGER_MAX, default=0, note="answers in a row that it is gone")
    content: Mapped[str | None] = long_text(
        UNLISTED, max=2_000_000,
        note="required when sourceType is text, where the size of a JSON body is the limit; otherwise filled by "
        "extraction",
    )  # fmt: skip
    content_hash: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=64, max=64, pattern=r"^[0-9a-f]{64}$")
    language: Mapped[str | None] = string(
        FILTERABLE, min=2, max=35, note="a tag such as de or pt-BR; by it words are found in all of their forms"
    )
    configuration: Mapped[str] = string(HIDDEN, max=20, default="english", note="text search by the language")
    status: Mapped[str] = enum(
        "pending", "processing", "indexed", "failed", flags=(READ_ONLY, FILTERABLE), default="pending"
    )
    chunk_count: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    embedded_count: Mapped[int] = integer(
        READ_ONLY, min=0, max=INTEGER_MAX, default=0, note="chunks that have a vector of the embedding model"
    )
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000)
    indexed_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class AiRagChunk(Record):
    """A passage of a document, the unit of retrieval."""

    __tablename__ = "ai_rag_chunk"
    domain, segment = "ai-rag", "chunk"
    logged = False
    searchable = ("heading", "content")
    policy = Policy(Parent("document_id"))
    operations_note = "normally cut by the server; clients with their own pipeline may write chunks too"
    keys = (
        unique("document_id", "position", deferrable=True),
        index("content", using="gin", search=True, by_trigger=True),
    )

    document_id: Mapped[UUID] = reference("ai_rag_document", "cascade", IMMUTABLE, FILTERABLE)
    position: Mapped[int] = integer(SORTABLE, min=0, max=1_000_000, default=DERIVED)
    content: Mapped[str] = long_text(min=1, max=20000, note="a change drops its embeddings and queues new ones")
    heading: Mapped[str | None] = string(max=300)
    page: Mapped[int | None] = integer(
        IMMUTABLE, FILTERABLE, min=1, max=INTEGER_MAX, note="where the passage stands in a text that has pages"
    )
    start_offset: Mapped[int | None] = integer(IMMUTABLE, min=0, max=INTEGER_MAX)
    end_offset: Mapped[int | None] = integer(IMMUTABLE, min=0, max=INTEGER_MAX)
    token_count: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=DERIVED)


class AiRagEmbedding(Record):
    """The vector of one chunk under one model."""

    __tablename__ = "ai_rag_embedding"
    domain, segment = "ai-rag", "embedding"
    logged = False
    policy = Policy(Parent("chunk_id"))
    keys = (unique("chunk_id", "model"),)

    chunk_id: Mapped[UUID] = reference("ai_rag_chunk", "cascade", IMMUTABLE, FILTERABLE)
    index_id: Mapped[UUID] = reference(
        "ai_rag_index",
        "cascade",
        READ_ONLY,
        FILTERABLE,
        default=DERIVED,
        note="copied from the document so that vector search needs no join",
    )
    model: Mapped[str] = string(
        IMMUTABLE, FILTERABLE, min=1, max=120, default=DERIVED, note="the model of the index when omitted"
    )
    dimensions: Mapped[int] = integer(READ_ONLY, min=1, max=2000, default=DERIVED)
    vector: Mapped[list[float]] = vector(UNLISTED, note="as many numbers as dimensions of the index")


class AiRagMetadata(Record):
    """A typed label on a knowledge-base document, usable as a search filter."""

    __tablename__ = "ai_rag_metadata"
    domain, segment = "ai-rag", "metadata"
    plural = "metadataEntries"
    policy = Policy(Parent("document_id"))
    keys = (
        unique("document_id", "key"),
        index("key", "value"),
    )

    document_id: Mapped[UUID] = reference("ai_rag_document", "cascade", IMMUTABLE, FILTERABLE)
    key: Mapped[str] = string(IMMUTABLE, FILTERABLE, SORTABLE, min=1, max=64, pattern=r"^[a-z][a-zA-Z0-9_]*$")
    value: Mapped[str] = string(FILTERABLE, max=500)
    value_type: Mapped[str] = enum(
        "string",
        "number",
        "boolean",
        "timestamp",
        flags=(FILTERABLE,),
        default="string",
        note="value has to parse as this type",
    )
    number_value: Mapped[float | None] = number(READ_ONLY, SORTABLE, note="value as a number, for ranges")
    origin: Mapped[str] = enum("manual", "extracted", flags=(READ_ONLY, FILTERABLE), default="manual")


class AiRagQuery(Record):
    """A search put to a knowledge base; creating it runs the search."""

    __tablename__ = "ai_rag_query"
    domain, segment = "ai-rag", "query"
    plural = "queries"
    policy = Policy(Owner("user_id"), update=Rule.NONE)
    operations_note = "history of what was asked and found; ask again instead of changing it"
    keys = (index("user_id", "-created_at"),)
    transitions = {"status": {"running": ["completed", "failed"], "completed": [], "failed": []}}

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    index_id: Mapped[UUID] = reference(
        "ai_rag_index", "cascade", IMMUTABLE, FILTERABLE, note="must be visible to the caller"
    )
    chat_id: Mapped[UUID | None] = reference(
        "ai_chat", "set null", IMMUTABLE, FILTERABLE, note="set when the search served a chat"
    )
    text: Mapped[str] = string(IMMUTABLE, min=1, max=4000)
    mode: Mapped[str] = enum(
        "hybrid",
        "vector",
        "keyword",
        flags=(IMMUTABLE, FILTERABLE),
        default="hybrid",
        note="without embeddings hybrid is keyword alone and vector ends as failed",
    )
    top_k: Mapped[int] = integer(IMMUTABLE, min=1, max=50, default=5)
    min_score: Mapped[float] = number(IMMUTABLE, min=0, max=1, default=0)
    filter: Mapped[dict[str, Any]] = json(
        IMMUTABLE, shape="object", max_bytes=8192, default={}, note="metadata key to value or range"
    )
    status: Mapped[str] = enum("running", "completed", "failed", flags=(READ_ONLY, FILTERABLE), default="running")
    result_count: Mapped[int] = integer(READ_ONLY, min=0, max=50, default=0)
    latency_ms: Mapped[int | None] = integer(READ_ONLY, SORTABLE, min=0, max=INTEGER_MAX)
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000)


class AiRagResult(Record):
    """One hit of a search."""

    __tablename__ = "ai_rag_result"
    domain, segment = "ai-rag", "result"
    logged = False
    policy = Policy(Parent("query_id"), create=Rule.NONE, delete=Rule.NONE)
    operations_note = "written by the search; only feedback can be changed; it goes with its query"
    keys = (unique("query_id", "rank"),)

    query_id: Mapped[UUID] = reference("ai_rag_query", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    chunk_id: Mapped[UUID | None] = reference("ai_rag_chunk", "set null", READ_ONLY, FILTERABLE)
    document_id: Mapped[UUID | None] = reference("ai_rag_document", "set null", READ_ONLY, FILTERABLE)
    rank: Mapped[int] = integer(READ_ONLY, SORTABLE, min=1, max=50, default=DERIVED)
    score: Mapped[float] = number(
        READ_ONLY, SORTABLE, min=0, max=1, default=DERIVED, note="1 is best, whatever the metric"
    )
    excerpt: Mapped[str] = long_text(READ_ONLY, max=20000, default=DERIVED, note="kept when the chunk is removed")
    feedback: Mapped[str | None] = enum("relevant", "irrelevant", flags=(FILTERABLE,))

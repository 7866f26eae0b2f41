"""Hooks of knowledge bases: texts are hashed, bounded and queued for indexing; counters follow."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from app.ai_rag import kept_vectors, languages, vectors
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex, AiRagMetadata, AiRagQuery
from app.engine.changes.returning import on_restore
from app.engine.declare.record import camel
from app.engine.write.hooks import Write, on_create, on_delete, on_update, require
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import PayloadTooLarge
from app.foundation.settings import settings
from app.jobs import queue
from app.storage.models import StorageDocument, StorageUpload

INDEX_DOCUMENT, READ_SOURCE, RUN_QUERY = "index_document", "read_source", "run_query"
SOURCE_FIELDS = {"text": "content", "upload": "upload_id", "document": "storage_document_id", "url": "source_url"}
# A rough measure for texts in Latin script; it only bounds what is sent to a model.
CHARACTERS_PER_TOKEN = 4
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
RANGE = {"gt", "gte", "lt", "lte"}
# What a search may ask of the labels of a document.
MAX_LABELS = 20
COUNTED_EVERY = 100
MAX_ERROR = AiRagDocument.fields()["error_message"].spec.kind.constraints["maxLength"]
FULL = "The knowledge bases of the organization have no room for more"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


@on_create(AiRagIndex, callers_only=True)
@on_update(AiRagIndex, callers_only=True)
def check_chunking(index: AiRagIndex, write: Write) -> None:
    require(index.chunk_overlap <= index.chunk_size // 2, "chunkOverlap", "Must be at most half of chunkSize.")


@on_create(AiRagDocument, callers_only=True)
def take_in(document: AiRagDocument, write: Write) -> None:
    if document.source_type == "document" and document.storage_document_id:
        is_read = write.unit.principal.reader.admits_wholly(StorageDocument, "read")
        require(is_read, "storageDocumentId", "Needs a grant that reads whole documents.")
        if document.content is None:
            document.content = write.unit.get(StorageDocument, document.storage_document_id).content
    if document.source_type == "upload":
        is_read = write.unit.principal.reader.admits_wholly(StorageUpload, "read")
        require(is_read, "uploadId", "Needs a grant that reads whole uploads.")
    _check_source(document)
    plan_refresh(document)
    if document.language:
        document.configuration = languages.configuration_named(document.language)
    document.content_hash = content_hash(document.content)
    index = write.unit.get(AiRagIndex, document.index_id, lock=True)
    _check_room(index, document, write.unit)
    index.document_count += 1
    _defer(document, write.unit)


@on_update(AiRagDocument, callers_only=True)
def replace_source(document: AiRagDocument, write: Write) -> None:
    if write.changed("content") and not write.changed("refresh_seconds", "source_url"):
        document.refresh_seconds = None  # it has a text of its own now
    if write.changed("content", "refresh_seconds", "source_url"):
        _check_source(document)
        plan_refresh(document)
    if write.changed("content", "source_url"):
        document.entity_tag = document.last_modified = document.gone_at = None
        document.missed = 0
        if document.source_type == "url" and not write.changed("content"):
            document.content = None  # that of another address
        _check_source(document)
        document.content_hash = content_hash(document.content)
        document.status = "pending"
        index = write.unit.get(AiRagIndex, document.index_id, lock=True)
        _check_room(index, document, write.unit)
        drop_chunks(write.unit, document, index)
        _defer(document, write.unit)
    elif write.changed("language"):
        user_id = write.unit.principal.user_id
        queue.defer(write.unit, languages.APPLY_LANGUAGE, document.id, user_id=user_id, one_of=document.id)


def plan_refresh(document: AiRagDocument) -> None:
    """Say when the page of a document is asked for anew, if it is."""
    seconds = document.refresh_seconds if document.source_type == "url" else None
    document.next_fetch_at = None if seconds is None else now() + timedelta(seconds=seconds)


def replace_text(unit: Unit, document: AiRagDocument, index: AiRagIndex, content: str) -> None:
    """Give a document another text, and have it cut; ``index`` is locked."""
    document.content, document.status = content, "pending"
    document.content_hash = own_hash(unit.session, document)
    drop_chunks(unit, document, index)
    unit.session.flush()
    queue.defer(unit, INDEX_DOCUMENT, document.id, user_id=document.created_by_id)


def _defer(document: AiRagDocument, unit: Unit) -> None:
    """Have the text of a document cut, or read first where it is elsewhere."""
    is_elsewhere = document.content is None and document.source_type in ("upload", "url")
    queue.defer(unit, READ_SOURCE if is_elsewhere else INDEX_DOCUMENT, document.id, user_id=unit.principal.user_id)


def _check_room(index: AiRagIndex, document: AiRagDocument, unit: Unit) -> None:
    """Refuse a text for which the knowledge bases of the organization have no room; raises PayloadTooLarge. Its chunks
    are counted by the job that cuts them."""
    with unit.session.no_autoflush:
        if not has_room(unit.session, index, document, document.content or ""):
            raise PayloadTooLarge(FULL)


def has_room(session: Session, index: AiRagIndex, document: AiRagDocument, content: str) -> bool:
    """Whether the knowledge bases of an organization may hold a text in place of the one that a document has."""
    stored = session.scalar(stored_text(index.organization_id, without=document.id)) or 0
    return stored + len(content.encode()) <= settings.rag_max_bytes


def stored_text(organization_id: UUID, *, without: UUID) -> Select[Any]:
    """The bytes of text in the knowledge bases of an organization, but for one document."""
    size = func.coalesce(func.sum(func.octet_length(AiRagDocument.content)), 0)
    own = (AiRagIndex.organization_id == organization_id, AiRagDocument.id != without)
    return select(size).join(AiRagIndex, AiRagIndex.id == AiRagDocument.index_id).where(*own)


def stored_chunks(organization_id: UUID, *, without: UUID | None = None) -> Select[Any]:
    """The bytes of chunks in the knowledge bases of an organization, but for those of one document."""
    inside = select(AiRagDocument.id).join(AiRagIndex, AiRagIndex.id == AiRagDocument.index_id)
    inside = inside.where(AiRagIndex.organization_id == organization_id, AiRagDocument.id.is_distinct_from(without))
    size = func.coalesce(func.sum(func.octet_length(AiRagChunk.content)), 0)
    return select(size).where(AiRagChunk.document_id.in_(inside))


def drop_chunks(unit: Unit, document: AiRagDocument, index: AiRagIndex) -> None:
    """Remove the passages of a text that is no more; ``index`` is locked. Their vectors wait for those of the next one
    that are the same."""
    kept_vectors.set_aside(unit, document, index)
    index.chunk_count = max(0, index.chunk_count - document.chunk_count)
    document.chunk_count = 0
    vectors.drop_all(document, index)
    unit.bookkeep(delete(AiRagChunk).where(AiRagChunk.document_id == document.id))


def _check_source(document: AiRagDocument) -> None:
    needed = SOURCE_FIELDS[document.source_type]
    require(getattr(document, needed) is not None, camel(needed), f"Is required by the source {document.source_type}.")


@on_delete(AiRagDocument, callers_only=True)
def take_out(document: AiRagDocument, write: Write) -> None:
    uncount(document, write.unit.get(AiRagIndex, document.index_id, lock=True))


@on_restore(AiRagDocument)
def take_in_again(unit: Unit, document: AiRagDocument, with_parent: bool) -> None:
    """Have the passages of a document made anew, which went with it."""
    index = unit.get(AiRagIndex, document.index_id, lock=True)
    if with_parent:
        index.chunk_count = max(0, index.chunk_count - document.chunk_count)
        vectors.drop_all(document, index)
    else:
        _check_room(index, document, unit)
        index.document_count += 1
    document.chunk_count, document.embedded_count, document.status = 0, 0, "pending"
    _defer(document, unit)


def uncount(document: AiRagDocument, index: AiRagIndex) -> None:
    """Take a document that goes, with its passages, out of the figures of its ``index``, which is locked."""
    index.document_count = max(0, index.document_count - 1)
    index.chunk_count = max(0, index.chunk_count - document.chunk_count)
    vectors.drop_all(document, index)


def content_hash(content: str | None) -> str | None:
    """What tells whether a text is in a knowledge base already."""
    return None if content is None else sha256(content.encode()).hexdigest()


def own_hash(session: Session, entry: AiRagDocument) -> str | None:
    """Return what tells an entry's text from those of others in its knowledge base; nothing where another has the
    same."""
    digest = content_hash(entry.content)
    others = (AiRagDocument.index_id == entry.index_id, AiRagDocument.id != entry.id)
    with session.no_autoflush:
        same = session.scalar(select(AiRagDocument.id).where(AiRagDocument.content_hash == digest, *others))
    return None if same else digest


@on_create(AiRagChunk, callers_only=True)
def cut(chunk: AiRagChunk, write: Write) -> None:
    document, index = vectors.locked(write.unit, chunk.document_id)
    if chunk.position is None:
        chunk.position = write.unit.next_number(AiRagChunk.position, AiRagChunk.document_id == document.id, first=0)
    chunk.token_count = token_count(chunk.content)
    _check_room_for_chunk(document, write)
    _count_chunks(document, index, 1)
    vectors.ask_for(write.unit, document, index)


def _check_room_for_chunk(document: AiRagDocument, write: Write) -> None:
    """Refuse a chunk too many of a document, or in an organization that has no room; raises Invalid and
    PayloadTooLarge. Adding up reads every chunk, so it is done for one of a hundred."""
    most = settings.rag_max_chunks
    require(document.chunk_count < most, "documentId", f"The document has {most} chunks, the most there may be.")
    if document.chunk_count % COUNTED_EVERY == 0:
        index = write.unit.get(AiRagIndex, document.index_id)
        with write.unit.session.no_autoflush:
            stored = write.unit.session.scalar(stored_chunks(index.organization_id)) or 0
        if stored > settings.rag_max_bytes:
            raise PayloadTooLarge(FULL)


@on_update(AiRagChunk, callers_only=True)
def rewrite_chunk(chunk: AiRagChunk, write: Write) -> None:
    if write.changed("content"):
        chunk.token_count = token_count(chunk.content)
        document, index = vectors.locked(write.unit, chunk.document_id)
        vectors.drop_of_chunk(write.unit, chunk.id, document, index)
        vectors.ask_for(write.unit, document, index)


@on_delete(AiRagChunk, callers_only=True)
def drop_chunk(chunk: AiRagChunk, write: Write) -> None:
    document, index = vectors.locked(write.unit, chunk.document_id)
    _count_chunks(document, index, -1)
    vectors.drop_of_chunk(write.unit, chunk.id, document, index)


def _count_chunks(document: AiRagDocument, index: AiRagIndex, step: int) -> None:
    document.chunk_count = max(0, document.chunk_count + step)
    index.chunk_count = max(0, index.chunk_count + step)


def token_count(content: str) -> int:
    """About how many tokens a model makes of ``content``."""
    return math.ceil(len(content) / CHARACTERS_PER_TOKEN)


@on_create(AiRagQuery, callers_only=True)
def ask(query: AiRagQuery, write: Write) -> None:
    check_filter(query.filter)
    queue.defer(write.unit, RUN_QUERY, query.id, user_id=write.unit.principal.user_id, on_behalf=True)


def check_filter(given: Mapping[str, object]) -> None:
    """Refuse what asks for anything but labels; raises Invalid."""
    require(len(given) <= MAX_LABELS, "filter", f"Takes {MAX_LABELS} keys at most.")
    for key, wanted in given.items():
        require(_is_filter(wanted), "filter", f"Takes a value or a range of numbers for {key}.")


def _is_filter(wanted: object) -> bool:
    if isinstance(wanted, dict):
        return bool(wanted) and wanted.keys() <= RANGE and all(_is_number(limit) for limit in wanted.values())
    return isinstance(wanted, str | bool) or _is_number(wanted)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@on_create(AiRagMetadata, callers_only=True)
@on_update(AiRagMetadata, callers_only=True)
def type_label(label: AiRagMetadata, write: Write) -> None:
    label.number_value = _number(label.value) if label.value_type == "number" else None
    fits = {
        "string": True,
        "number": label.number_value is not None,
        "boolean": label.value in ("true", "false"),
        "timestamp": _is_timestamp(label.value),
    }
    require(fits[label.value_type], "value", f"Is not a {label.value_type}.")


def _is_timestamp(value: str) -> bool:
    try:
        return RFC_3339.match(value) is not None and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _number(value: str) -> float | None:
    parsed = float(value) if DECIMAL.fullmatch(value) else math.inf
    return parsed if math.isfinite(parsed) else None

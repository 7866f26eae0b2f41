"""The knowledge base of the sample data: the product handbook, cut into passages at its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from app.ai_rag.embedders import default_model
from app.ai_rag.hooks import CHARACTERS_PER_TOKEN
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex
from app.ai_rag.vectors import ask_for
from app.ops.samples.context import Context
from app.ops.samples.people import Team

NAME = "Product handbook"
TEXTS = Path(__file__).parent / "handbook"
MADE = 40
# A heading and what follows it, as far as the next one.
SECTION = re.compile(r"^#{1,2} .*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Handbook:
    """The stored knowledge base with its passages, by heading."""

    index: AiRagIndex
    chunks: dict[str, AiRagChunk]


@dataclass(frozen=True)
class Passage:
    """One part of a text: from a heading to the next."""

    heading: str
    start: int
    content: str


def make(context: Context, team: Team) -> Handbook:
    """Store the handbook; its documents come in on consecutive days."""
    texts = [path.read_text("utf-8") for path in sorted(TEXTS.glob("*.md"))]
    passages = [list(_passages(text)) for text in texts]
    index = AiRagIndex(
        organization_id=team.organization.id, created_by_id=team.owner.id, name=NAME, visibility="public",
        description="How Rowgate is used: starting, keys, lists, who sees what, and knowledge bases.", status="ready",
        document_count=len(texts), chunk_count=sum(map(len, passages)),
        last_built_at=_indexed(_arrival(context, len(texts) - 1)),
    )  # fmt: skip
    index.embedding_model, index.dimensions = default_model() or (None, None)
    context.store(index, context.at(MADE, "10:00"), index.last_built_at)
    chunks: dict[str, AiRagChunk] = {}
    for number, (text, parts) in enumerate(zip(texts, passages, strict=True)):
        document = _document(index, team, text, len(parts))
        made = _arrival(context, number)
        document.indexed_at = _indexed(made)
        context.store(document, made, document.indexed_at)
        for position, part in enumerate(parts):
            chunks[part.heading] = context.store(_chunk(document, position, part), document.indexed_at)
        ask_for(context.unit, document, index)
    return Handbook(index, chunks)


def tokens(text: str) -> int:
    """The rough length in tokens, as chunks are measured everywhere."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _arrival(context: Context, number: int) -> datetime:
    return context.at(MADE - number, "10:20")


def _indexed(arrived: datetime) -> datetime:
    return arrived + timedelta(seconds=4)


def _document(index: AiRagIndex, team: Team, text: str, parts: int) -> AiRagDocument:
    title = text.partition("\n")[0].removeprefix("# ")
    return AiRagDocument(
        index_id=index.id, created_by_id=team.owner.id, title=title, source_type="text", language="en",
        content=text, content_hash=sha256(text.encode()).hexdigest(), status="indexed", chunk_count=parts,
    )  # fmt: skip


def _passages(text: str) -> Iterator[Passage]:
    """Cut the text before every heading of the second level."""
    for found in SECTION.finditer(text):
        content = found[0].strip()
        yield Passage(content.partition("\n")[0].lstrip("# "), found.start(), content)


def _chunk(document: AiRagDocument, position: int, part: Passage) -> AiRagChunk:
    return AiRagChunk(
        document_id=document.id, position=position, content=part.content, heading=part.heading,
        start_offset=part.start, end_offset=part.start + len(part.content), token_count=tokens(part.content),
    )  # fmt: skip

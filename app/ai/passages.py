"""The built-in provider: it quotes the passages of the caller's own documents that fit the question."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ai.completion import CompletionInfo, Delta, Prompt
from app.ai.providers import Candidate
from app.ai_rag import search
from app.ai_rag.hooks import token_count
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.ai_rag.questions import vectors_of
from app.ai_rag.search import Hit, QuestionVector
from app.ai_rag.stored_documents import OWN_DOCUMENTS
from app.ai_rag.wording import Wording
from app.auth.organizations.organizations import personal_organization_of
from app.engine.declare.principal import Principal
from app.engine.declare.scope import both
from app.engine.read.concurrency import query_slot
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit

QUOTED = 3
# The score that the best passage must reach for any to be quoted: questions about a few dozen RFCs reached 0.16
# at least, questions about other things 0.09 at most.
FITTING = 0.12
# The likeness in meaning that it must reach otherwise, with the local embedder: other things reached 0.24 at most.
NEAR = 0.3
NOTHING = "Nothing in your documents fits this question."


def pieces(
    candidate: Candidate, prompt: Prompt, reply: CompletionInfo, deadline: float
) -> Generator[Delta, None, None]:
    """The best passages under the titles of their documents, best first; or a sentence that says there are none."""
    found = fitting(_found(prompt))
    tokens = 0
    for number, hit in enumerate(found):
        titled = number == 0 or hit.title != found[number - 1].title
        place = hit.place(prompt.principal.reader)
        above = (f"**{hit.title}**\n\n" if titled else "") + (f"*{place}*\n\n" if place else "")
        text = ("\n" if number else "") + above + _quoted(hit.content)
        tokens += token_count(text)
        yield Delta("text", text)
    if not found:
        yield Delta("text", NOTHING)
    reply.finish_reason = "stop"
    reply.input_tokens, reply.output_tokens = token_count(prompt.question), tokens or token_count(NOTHING)


def fitting(hits: Sequence[Hit]) -> list[Hit]:
    """The best of ``hits``, those of one document together; none when they say too little of what was asked."""
    best = hits[:QUOTED]
    if not any((hit.word_score or 0) >= FITTING or (hit.vector_score or 0) >= NEAR for hit in best):
        return []
    order = list(dict.fromkeys(hit.document_id for hit in best))
    return sorted(best, key=lambda hit: order.index(hit.document_id))


def _found(prompt: Prompt) -> list[Hit]:
    with reading() as session:
        sources = select(AiRagDocument.index_id).where(AiRagDocument.id.in_(readable(session, prompt)))
        indexes = session.scalars(sources.distinct()).all()
    # Whoever has made a base has chosen its provider for questions about that alone.
    of_one = prompt.index_id is not None
    vectors = vectors_of(prompt.principal, prompt.question, indexes, leaves_service=of_one).found
    with query_slot(prompt.principal):
        return run_unit(prompt.principal, _search, prompt, vectors)


def _search(unit: Unit, prompt: Prompt, vectors: Sequence[QuestionVector]) -> list[Hit]:
    documents = readable(unit.session, prompt)
    return search.search(
        unit, prompt.principal, Wording(prompt.question), documents, 2 * QUOTED, vectors, base=prompt.index_id
    )


def readable(session: Session, prompt: Prompt) -> list[UUID]:
    """The entries of knowledge bases that an answer may quote: those of the one that the chat names, if the caller sees
    it, else those of the caller's organizations and of the caller's own documents."""
    # A platform admin's questions are answered from what is the admin's own, too.
    principal = replace(prompt.principal, is_admin=False)
    if prompt.index_id is not None:
        return documents_in(session, principal, prompt.index_id)
    own = AiRagDocument.policy.own_in_lists(AiRagDocument, principal.reader)
    gathered = both(own, principal.reader.granted(AiRagDocument, "list"))
    found = set(session.scalars(select(AiRagDocument.id).where(gathered), principal.binds))
    home = personal_organization_of(session, principal.user_id) if principal.user_id and not prompt.shared else None
    if home is not None and home not in principal.memberships:
        at_home = (AiRagIndex.organization_id == home, AiRagIndex.name == OWN_DOCUMENTS)
        entries = select(AiRagDocument.id).join(AiRagIndex, AiRagIndex.id == AiRagDocument.index_id)
        granted = principal.reader.granted(AiRagDocument, "list")
        found |= set(session.scalars(entries.where(*at_home, granted), principal.binds))
    return list(found)


def documents_in(session: Session, principal: Principal, index_id: UUID) -> list[UUID]:
    """The entries of a knowledge base; none when the caller does not see it."""
    visible = AiRagIndex.policy.visible(AiRagIndex, principal.reader)
    seen = select(AiRagIndex.id).where(AiRagIndex.id == index_id, visible).scalar_subquery()
    granted = principal.reader.granted(AiRagDocument, "list")
    wanted = select(AiRagDocument.id).where(both(AiRagDocument.index_id == seen, granted))
    return list(session.scalars(wanted, principal.binds))


def _quoted(text: str) -> str:
    return "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())

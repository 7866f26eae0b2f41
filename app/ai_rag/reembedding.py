"""Another model for a knowledge base: its vectors are made beside the old ones, which answer until all of them are
there; then one statement changes over, and the old ones go."""

from __future__ import annotations

import logging
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, select, update

from app.ai_rag import embedders
from app.ai_rag.embedders import NotEmbedded
from app.ai_rag.embedding import Target, fill, lacks_vector
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagEmbedding, AiRagIndex
from app.auth.sharing.shareable import require_shareable
from app.engine.declare.principal import SYSTEM
from app.engine.declare.record import by_table
from app.engine.read.database import reading
from app.engine.write.hooks import require
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict
from app.jobs import queue
from app.runtime.connections import allow_time

log = logging.getLogger(__name__)

REEMBED_INDEX = "reembed_index"
# Vectors that one statement removes.
PORTION = 1000
NO_EMBEDDER = "Nothing here makes vectors of this model."


def reembed(unit: Unit, identifier: UUID, model: str | None, provider_id: UUID | None) -> None:
    """Have all vectors of a knowledge base made by a model, or by the usual one; where that is the one it has, those
    that are missing. Whoever may change it because it is shared with them may not. Raises NotFound and Forbidden,
    Invalid where nothing makes such vectors, and Conflict while others are being made."""
    require_shareable(unit, AiRagIndex, identifier)
    index = unit.get(AiRagIndex, identifier, lock=True)
    if provider_id is not None:
        visible = by_table("ai_provider").policy.visible(by_table("ai_provider"), unit.principal.reader)
        named = select(exists().where(by_table("ai_provider").id == provider_id, visible))
        require(bool(unit.session.scalar(named, unit.principal.binds)), "providerId", "Names no provider that you see.")
    if model is None:
        usual = embedders.default_model()
        require(usual is not None, "embeddingModel", NO_EMBEDDER)
        model = usual[0] if usual else ""
    require(embedders.embedder_for(unit.session, model, provider_id) is not None, "embeddingModel", NO_EMBEDDER)
    if index.status == "building":
        raise Conflict("The knowledge base is being built: try again once it is ready")
    replaced, index.status = index.embedding_model, "building"
    named_provider = str(provider_id) if provider_id else None
    unit.session.flush()
    queue.defer(
        unit, REEMBED_INDEX, index.id, one_of=index.id, model=model, provider_id=named_provider, replaced=replaced
    )


def reembed_index(index_id: UUID, model: str, provider_id: str | None, replaced: str | None) -> None:
    """Make the vectors that are missing, change over, and drop those of the model that is ``replaced``, as a job. Those
    that clients have of other models stay. Raises Unavailable."""
    target = Target(model, UUID(provider_id) if provider_id else None)
    try:
        while not run_unit(SYSTEM, _change_over, index_id, target):
            if not sum(fill(document_id, target).number for document_id in _incomplete(index_id, model)):
                break  # what is left is refused
        else:
            while replaced not in (None, model) and run_unit(SYSTEM, _drop_old, index_id, replaced):
                pass
            return
    except NotEmbedded as refusal:
        log.warning("The vectors of a knowledge base are not made: %s", refusal)
    give_up(index_id)


def give_up(index_id: UUID) -> None:
    """Tell that the vectors could not be made. The old ones go on answering."""
    failed = update(AiRagIndex).where(AiRagIndex.id == index_id, AiRagIndex.status == "building")
    run_unit(SYSTEM, Unit.bookkeep, failed.values(status="failed"))


def _incomplete(index_id: UUID, model: str) -> list[UUID]:
    """Documents with chunks that have no vector of a model."""
    with reading() as session:
        wanted = select(AiRagDocument.id).where(AiRagDocument.index_id == index_id, _lacks(model))
        return list(session.scalars(wanted))


def _lacks(model: str) -> ColumnElement[bool]:
    return exists().where(AiRagChunk.document_id == AiRagDocument.id, lacks_vector(model))


def _change_over(unit: Unit, index_id: UUID, target: Target) -> bool:
    """Have the vectors of the target answer, once no chunk lacks one; true as well where the index is gone."""
    allow_time(unit.session)
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True})
    if index is None:
        return True
    own = AiRagDocument.index_id == index_id
    if unit.session.scalar(select(exists().where(own, _lacks(target.model)))):
        if embedders.embedder_for(unit.session, *target) is None:
            raise NotEmbedded(NO_EMBEDDER)
        return False
    sizes = unit.session.scalars(
        select(AiRagEmbedding.dimensions)
        .distinct()
        .where(AiRagEmbedding.index_id == index_id, AiRagEmbedding.model == target.model)
    ).all()
    if len(sizes) > 1:
        raise NotEmbedded("The vectors of the model have not all the same length")
    index.embedding_model, index.provider_id = target
    index.dimensions, index.embedded_count = next(iter(sizes), None), index.chunk_count
    index.status = "ready" if index.chunk_count else "empty"
    unit.bookkeep(update(AiRagDocument).where(own).values(embedded_count=AiRagDocument.chunk_count))
    return True


def _drop_old(unit: Unit, index_id: UUID, model: str) -> int:
    old = select(AiRagEmbedding.id).where(AiRagEmbedding.index_id == index_id, AiRagEmbedding.model == model)
    return unit.bookkeep(delete(AiRagEmbedding).where(AiRagEmbedding.id.in_(old.limit(PORTION))))

"""Vectors of records: made by the clock of what the log of changes tells, so that no write waits for them.

Where the log does not reach back to what was made last, or another embedder makes them now, all records of a model are
walked through in the order of their ids. Nothing is locked, and no transaction is open, while an embedder works; what
changes meanwhile is in the log behind the position that is kept.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, delete, func, select, true
from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from app.ai_rag import embedders
from app.ai_rag.embedders import Embedder, NotEmbedded
from app.ai_rag.embedding import embedded
from app.ai_rag.questions import MAX_QUESTION, PATIENCE
from app.engine.changes import sequencer
from app.engine.changes.feed import LOOKED_AT
from app.engine.changes.purging import purged
from app.engine.changes.sequencer import Positions
from app.engine.changes.telling import AT_POSITIONS
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import SYSTEM
from app.engine.declare.record import Record
from app.engine.read.database import reading
from app.engine.read.ranked import Question, embeds_questions
from app.engine.read.statements import Statement, autocommit_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Unavailable
from app.foundation.settings import settings
from app.platform.models import PlatformRecordVector, PlatformVectorProgress

log = logging.getLogger(__name__)

# Characters of a record that its vector is made of, and records that are looked at at once: questions wait meanwhile.
MAX_CHARACTERS, BATCH = 2000, 32
# Seconds after which the next turn of the clock goes on, and between two walks where no log of changes is kept.
BUDGET, WALK_EVERY = 30.0, timedelta(hours=1)
FIRST = UUID(int=0)
BEHIND = Statement(
    f"SELECT position, record_id FROM ({AT_POSITIONS} WHERE p.position > %(since)s AND p.position <= %(until)s"  # noqa: S608
    " AND c.model = %(model)s) AS found ORDER BY position LIMIT %(most)s",
    {},
)


class Progress(NamedTuple):
    """How far the vectors of a model are true."""

    epoch: UUID
    position: int
    walked_to: UUID | None


@embeds_questions
def question(text: str) -> Question | None:
    """Put a question as the records' vectors are made; nothing where none are made here. Raises Unavailable."""
    embedder = embedders.usual()
    if embedder is None:
        return None
    try:
        return Question(embedder.model, embedder.embed([text[:MAX_QUESTION]], PATIENCE).vectors[0])
    except NotEmbedded as refusal:
        raise Unavailable(str(refusal)) from refusal


@purged.subscribe
def forget(unit: Unit, identifiers: Sequence[UUID]) -> None:
    """Remove the vectors of records whose traces are removed, at once."""
    kept = PlatformRecordVector
    own = (kept.model.in_([model.qualified_name() for model in _ranked()]), kept.record_id.in_(identifiers))
    unit.bookkeep(delete(kept).where(*own))


def _ranked() -> list[type[Record]]:
    """The models whose lists a search ranks."""
    return [model for model in every_model() if model.semantic]


def keep_true() -> None:
    """Make what is missing of the vectors of all models that a search ranks, for some seconds."""
    embedder = embedders.usual()
    if embedder is None:
        return
    until = time.monotonic() + BUDGET
    with suppress(Failure):  # whose turn it is gives the positions
        sequencer.number_changes()
    try:
        for model in _ranked():
            _keep_model(model, embedder, until)
    except (Unavailable, NotEmbedded) as failure:
        log.warning("Vectors of records wait: %s", failure)


def _keep_model(model: type[Record], embedder: Embedder, until: float) -> None:
    known = sequencer.positions()
    progress = _progress(model, embedder, known)
    while progress is not None and time.monotonic() < until:
        progress = _step(model, embedder, progress, known.last)
        if progress is not None:
            run_unit(SYSTEM, _move, model, embedder, progress)


def _progress(model: type[Record], embedder: Embedder, known: Positions) -> Progress | None:
    """Where to go on: with the log where that reaches back far enough, or with a walk; nowhere, if one was made not
    long ago and there is no log."""
    row, anew = PlatformVectorProgress, Progress(known.epoch, known.last, FIRST)
    own = (row.model == model.qualified_name(), row.embedder == embedder.model, row.epoch == known.epoch)
    with reading() as session:
        found = session.execute(
            select(row.epoch, row.position, row.walked_to, row.updated_at).where(*own)
        ).one_or_none()
    if found is None:
        return anew
    if settings.changes_days or found.walked_to is not None:
        return Progress(*found[:3]) if found.position + 1 >= known.first else anew
    return anew if found.updated_at < now() - WALK_EVERY else None


def _step(model: type[Record], embedder: Embedder, progress: Progress, last: int) -> Progress | None:
    """Keep the vectors of some records true, and return how far they are then; nothing at the end of the log."""
    identifier, kept = model.__table__.c.id, PlatformRecordVector.record_id
    if progress.walked_to is not None:
        rows = _rows(model, identifier > progress.walked_to)
        reached = rows[-1].id if len(rows) == BATCH else None
        _keep(model, embedder, rows, and_(kept > progress.walked_to, kept <= reached if reached else true()))
        return progress._replace(walked_to=reached)
    if progress.position >= last:
        return None
    until = min(last, progress.position + LOOKED_AT)
    with autocommit_connection() as connection:
        asked = {"since": progress.position, "until": until, "model": model.qualified_name(), "most": BATCH}
        changes = BEHIND.rows(connection, asked)
    changed = [record_id for _, record_id in changes]
    if changed:
        _keep(model, embedder, _rows(model, identifier.in_(changed)), kept.in_(changed))
    return progress._replace(position=changes[-1][0] if len(changes) == BATCH else until)


def _rows(model: type[Record], condition: ColumnElement[bool]) -> Sequence[Row[*tuple[Any, ...]]]:
    """Some records in the order of their ids: each the id, and the beginnings of what its vector is made of."""
    table = model.__table__
    texts = [func.left(getattr(model, name), MAX_CHARACTERS) for name in model.semantic]
    with reading() as session:
        return session.execute(select(table.c.id, *texts).where(condition).order_by(table.c.id).limit(BATCH)).all()


def _keep(
    model: type[Record], embedder: Embedder, rows: Sequence[Row[*tuple[Any, ...]]], within: ColumnElement[bool]
) -> None:
    """Make the vectors of records that have changed, and remove those ``within`` a condition whose record is gone."""
    texts = {row[0]: "\n".join(filter(None, row[1:]))[:MAX_CHARACTERS] for row in rows}
    wanted = {each: (embedder.model, sha256(text.encode()).hexdigest()) for each, text in texts.items()}
    kept = PlatformRecordVector
    of_model = and_(kept.model == model.qualified_name(), within)
    with reading() as session:
        stored = select(kept.record_id, kept.embedder, kept.digest).where(of_model)
        known = {row[0]: tuple(row[1:]) for row in session.execute(stored)}
    changed = [each for each, made_of in wanted.items() if known.get(each) != made_of]
    told = [each for each in changed if texts[each].strip()]
    vectors = dict(zip(told, embedded(embedder, [texts[each] for each in told])[0], strict=True)) if told else {}
    made = [
        {
            "id": uuid7(), "model": model.qualified_name(), "record_id": each, "embedder": embedder.model,
            "digest": wanted[each][1], "vector": vectors.get(each),
        }
        for each in changed
    ]  # fmt: skip
    gone = known.keys() - texts.keys()
    if made or gone:
        run_unit(SYSTEM, _store, made, and_(of_model, kept.record_id.in_(gone)))


def _store(unit: Unit, made: Sequence[Mapping[str, Any]], gone: ColumnElement[bool]) -> None:
    unit.bookkeep(delete(PlatformRecordVector).where(gone))
    if made:
        added = insert(PlatformRecordVector).values(made)
        again = {name: added.excluded[name] for name in ("embedder", "digest", "vector", "updated_at")}
        unit.bookkeep(added.on_conflict_do_update(index_elements=["model", "record_id"], set_=again))


def _move(unit: Unit, model: type[Record], embedder: Embedder, progress: Progress) -> None:
    values = {"embedder": embedder.model, **progress._asdict(), "updated_at": now()}
    added = insert(PlatformVectorProgress).values(id=uuid7(), model=model.qualified_name(), **values)
    unit.bookkeep(added.on_conflict_do_update(index_elements=["model"], set_=values))

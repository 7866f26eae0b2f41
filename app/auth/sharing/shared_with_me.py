"""What is shared with a caller, whatever its model: the share that was made last comes first."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Uuid, bindparam, case, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import aggregate_order_by

from app.auth.models.identity import AuthUser
from app.auth.models.sharing import AuthShare
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.sharing import RECIPIENTS, standing_shares
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import STATEMENTS_KEPT, Projection
from app.engine.read.statements import RecordStatement, autocommit_connection, compiled

NAMES = ("model", "id", "may", "until", "sharedAt", "sharedBy")


def listed(principal: Principal, take: int, skip: int) -> list[dict[str, Any]]:
    """What is shared with the caller and may be read: the model and the id of each record, for what and until when it
    is shared, since when and by whom. Raises QueryTimeout."""
    if not principal.recipients:
        return []
    statement = _statement(principal.reader)
    binds = {"take": take, "skip": skip, **principal.binds}
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, binds)
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(reader: Reader) -> RecordStatement:
    models = [each for each in every_model() if each.policy.shares and reader.admits(each, "read")]
    found = union_all(*(_of_model(model, reader) for model in models)).subquery("found")
    by = AuthUser.__table__.alias("by")
    person = func.jsonb_build_object("id", by.c.id, "name", by.c.name, "image", by.c.image)
    columns = [*(found.c[name] for name in NAMES[:-1]), case((by.c.id.is_not(None), person))]
    take, skip = (bindparam(name, type_=BigInteger()) for name in ("take", "skip"))
    page = select(*columns).outerjoin_from(found, by, by.c.id == found.c.sharer)
    ordered = page.order_by(found.c.sharedAt.desc(), found.c.id.desc())
    return compiled(ordered.limit(take).offset(skip), Projection(NAMES, (), ()))


def _of_model(model: type[Record], reader: Reader) -> Any:
    """The records of one model, each once, whoever has shared it with the caller in however many ways."""
    share = AuthShare.__table__.alias("share")
    ends = case((func.bool_and(share.c.until.is_not(None)), func.max(share.c.until)))
    sharers = aggregate_order_by(share.c.created_by_id, share.c.created_at.desc())
    columns = [
        literal(model.qualified_name()).label("model"), share.c.record_id.label("id"),
        func.max(share.c.may).label("may"), ends.label("until"), func.max(share.c.created_at).label("sharedAt"),
        func.array_agg(sharers, type_=ARRAY(Uuid()))[1].label("sharer"),
    ]  # fmt: skip
    joined = select(*columns).join(model, model.id == share.c.record_id)
    standing = (share.c.recipient == RECIPIENTS.any_(), *standing_shares(model, share.c))
    return joined.where(*standing, model.policy.visible(model, reader)).group_by(share.c.record_id)

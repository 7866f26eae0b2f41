"""What is shared with a caller, whatever its model: the share that was made last comes first."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, bindparam, case, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on

from app.auth.models.identity import AuthUser
from app.auth.models.sharing import AuthShare
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import USER
from app.engine.declare.sharing import RECIPIENTS, active_shares
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import STATEMENTS_KEPT, Projection
from app.engine.read.statements import RecordStatement, autocommit_connection, compiled

NAMES = ("model", "id", "may", "until", "sharedAt", "sharedBy")


def listed(principal: Principal, take: int, skip: int) -> list[dict[str, Any]]:
    """What is shared with the caller and may be read: the model and the id of each record, for what and until when it
    is shared, since when and by whom. Raises QueryTimeout."""
    models = tuple(each for each in every_model() if each.policy.shares and principal.reader.admits(each, "read"))
    if not (principal.recipients and models):
        return []
    statement = _statement(models, principal.reader)
    binds = {"take": take, "skip": skip, **principal.binds}
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, binds)
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(models: tuple[type[Record], ...], reader: Reader) -> RecordStatement:
    found = union_all(*(_of_model(model, reader) for model in models)).subquery("found")
    by = AuthUser.__table__.alias("by")
    person = func.jsonb_build_object("id", by.c.id, "name", by.c.name, "image", by.c.image)
    columns = [*(found.c[name] for name in NAMES[:-1]), case((by.c.id.is_not(None), person))]
    take, skip = (bindparam(name, type_=BigInteger()) for name in ("take", "skip"))
    page = select(*columns).outerjoin_from(found, by, by.c.id == found.c.sharer)
    ordered = page.order_by(found.c.sharedAt.desc(), found.c.id.desc())
    return compiled(ordered.limit(take).offset(skip), Projection(NAMES, (), ()))


def _of_model(model: type[Record], reader: Reader) -> Any:
    """The records of one model, each once, by the share that allows most and longest."""
    share = AuthShare.__table__.alias("share")
    joined = (
        select(
            literal(model.qualified_name()).label("model"), share.c.record_id.label("id"), share.c.may, share.c.until,
            share.c.created_at.label("sharedAt"), share.c.created_by_id.label("sharer"),
        )
        .ext(distinct_on(share.c.record_id))
        .join(model, model.id == share.c.record_id)
        .order_by(share.c.record_id, share.c.may.desc(), share.c.until.desc().nulls_first())
    )  # fmt: skip
    standing = (share.c.recipient == RECIPIENTS.any_(), *active_shares(model, share.c))
    by_others = share.c.created_by_id.is_distinct_from(USER)
    return select(joined.where(*standing, by_others, model.policy.visible(model, reader)).subquery())

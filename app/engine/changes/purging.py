"""Removal on request: what the log has of records goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from app.engine.declare.record import Record
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden
from app.foundation.events import Event

# The images of these records were removed, in the unit that does so.
purged: Event[[Unit, list[UUID]]] = Event()
# Whose they were stays, so that whoever follows the feed hears that they are gone.
PURGE = """
UPDATE platform_change AS c SET old = '{{}}', changed = '{{}}', image = (
    SELECT jsonb_object_agg(k.key, c.image -> k.key)
    FROM unnest('{{id,user_id,organization_id,visibility}}'::text[]) AS k (key) WHERE c.image ? k.key)
WHERE record_id IN ({records}){more} RETURNING record_id
"""
OF_THIS_TRANSACTION = """
operation = 'delete' AND xact = pg_current_xact_id() AND seq > (SELECT restored FROM platform_change_sequencer)
"""
DELETED = PURGE.format(
    records=f"SELECT record_id FROM platform_change WHERE {OF_THIS_TRANSACTION}",  # noqa: S608
    more="",
)
OWNED = PURGE.format(
    records="SELECT record_id FROM platform_change WHERE operation = 'delete' AND owner_id = %(owner)s", more=""
)
ONE = PURGE.format(records="%(wanted_id)s", more="")
DELETIONS = PURGE.format(records="SELECT unnest(%(wanted_ids)s::uuid[])", more=" AND operation = 'delete'")
WHOSE = f"""
SELECT organization_id, owner_id FROM platform_change WHERE record_id = %(wanted_id)s AND {OF_THIS_TRANSACTION}
"""  # noqa: S608


def purge_deleted(unit: Unit) -> None:
    """Remove the images of all records that ``unit`` has deleted so far, also of those that went with others."""
    unit.session.flush()
    _purge(unit, DELETED, {})


def purge_account(unit: Unit, user_id: UUID) -> None:
    """Do the same when an account is deleted, and for what its user had deleted before."""
    purge_deleted(unit)
    _purge(unit, OWNED, {"owner": user_id})


def require_manager(unit: Unit, identifier: UUID) -> None:
    """Refuse to remove what the log has of a record that ``unit`` has deleted, unless the caller manages its
    organization, or it was the caller's own; raises Forbidden."""
    unit.session.flush()
    rows = driver_connection(unit.session).rows(WHOSE, {"wanted_id": identifier})
    organization, owner = rows[0] if rows else (None, None)
    principal = unit.principal
    is_own = organization is None and owner is not None and owner == principal.user_id
    if not (principal.manages(organization) or is_own):
        raise Forbidden()


def purge_record(unit: Unit, model: type[Record], identifier: UUID) -> int:
    """Remove the images of one record that is gone, and return how many there were; raises Conflict."""
    if unit.session.get(model, identifier) is not None:
        raise Conflict("The record is there: delete it first")
    return _purge(unit, ONE, {"wanted_id": identifier})


def purge_deletions(unit: Unit, identifiers: Sequence[UUID]) -> None:
    """Remove the images that records could come back from; what they were before stays in their histories."""
    _purge(unit, DELETIONS, {"wanted_ids": list(identifiers)})


def _purge(unit: Unit, statement: str, asked: Mapping[str, Any]) -> int:
    found = [row[0] for row in driver_connection(unit.session).execute(statement, asked).fetchall()]
    if found:
        purged.emit(unit, list(set(found)))
    return len(found)

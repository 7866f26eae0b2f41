"""What follows writes of gadgets."""

from __future__ import annotations

from uuid import UUID

from flask import current_app
from gadgets.errors import TooManyParts
from gadgets.models import Gadget, GadgetPart

from rowgate import Unit, Write, defer, notify, on_create

TEST_GADGET = "test_gadget"


@on_create(Gadget)
def queue_test(gadget: Gadget, write: Write) -> None:
    defer(write.unit, TEST_GADGET, gadget.id, user_id=gadget.created_by_id)


@on_create(GadgetPart)
def count_part(part: GadgetPart, write: Write) -> None:
    gadget = write.unit.get(Gadget, part.gadget_id, lock=True)
    if gadget.part_count >= current_app.config["SETTINGS"].gadgets_max_parts:
        raise TooManyParts()
    gadget.part_count += 1


def test(unit: Unit, gadget_id: UUID) -> None:
    """Test a gadget and tell whoever made it, as a job."""
    gadget = unit.get(Gadget, gadget_id, lock=True)
    gadget.state = "tested"
    if gadget.created_by_id is not None:
        notify(unit, gadget.created_by_id, "GADGET_TESTED", f"{gadget.name} works", data={"gadgetId": str(gadget.id)})

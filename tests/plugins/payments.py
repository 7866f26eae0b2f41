"""A plugin with a job of three steps, whose worker is killed once between the second and the third."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from uuid import UUID

from rowgate import SYSTEM, Job, Plugin, Setting, Unit, step, unit_step
from rowgate.models import CrmCompany


def note(word: str) -> int:
    """Write down what was done, and return how often that was."""
    with Path(os.environ["NOTES"]).open("a+") as notes:
        notes.write(f"{word}\n")
        notes.seek(0)
        return notes.read().split().count(word)


def enter(unit: Unit, organization_id: str) -> str:
    """Keep somebody who has paid."""
    return str(unit.create(CrmCompany, {"name": "Payer", "organization_id": UUID(organization_id)})["id"])


def pay(row_id: UUID) -> None:
    """Charge, enter and thank."""
    charged = step("charge", lambda key: note("charged"))
    entered = unit_step("enter", SYSTEM, enter, str(row_id))
    if note("begun") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    step("thank", lambda key: note(f"thanked-{charged}-{entered}"))


plugin = Plugin("payments", "Payments.", jobs={"pay": Job(pay)}, settings=(Setting("notes", "", "where to write"),))

"""A few rounds of faults under a small load; `make fuzz` plays many, of every kind."""

from __future__ import annotations

import pytest

from tests.faults.faults import FAULTS
from tests.faults.rounds import Rounds
from tests.faults.service import Service

pytestmark = pytest.mark.full

PLAYED = ("web-worker-killed", "job-worker-killed", "commits-swallowed", "redis-killed")


def test_what_was_acknowledged_is_there_once_after_parts_were_killed_and_answers_lost():
    # A worker of jobs that loses its connection may have its job done again two minutes later.
    service = Service(jobs_apart=True)
    with Rounds(service, clients=6, followers=2, of_changes=10, webhooks=5, seed=1, before=1.0, after=1.0) as rounds:
        played = [rounds.play(FAULTS[name]) for name in PLAYED] + [rounds.last()]
    assert [each.findings for each in played if each.findings] == [], f"see the logs in {service.folder}"
    service.remove()

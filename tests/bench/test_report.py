"""The verdict on the memory of a worker."""

from __future__ import annotations

import pytest

from bench.report import Memory


@pytest.mark.parametrize(("last", "met"), [(100.0, True), (105.0, True), (105.1, False), (90.0, True)])
def test_a_worker_may_grow_by_a_twentieth_from_ten_thousand_requests_on(last, met):
    memory = Memory({1_000: 80.0, 10_000: 100.0, 100_000: last})
    assert memory.is_met == met
    assert str(memory).startswith("met" if met else "MISSED")
    assert memory.sentence.endswith(": met." if met else ": MISSED.")

"""The table of `make attacks` tells an assault that stopped others from one that did not."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.attacks.assaults import FILES, QUERIES, Assault
from tests.attacks.caller import TIMEOUT
from tests.attacks.innocents import Seen
from tests.attacks.table import MAX_RECOVERY, Others, Row

QUIET = 0.01


def answers(seconds, *, status=200, number=100):
    return [Seen(place, seconds, status) for place in range(number)]


def row(during, *, quiet=QUIET, section=QUERIES, lost_workers=0, recovery=0.5):
    others = Others("item", answers(quiet), during, answers(quiet))
    assault = Assault("made-up", section, 1, lambda _, __: None)
    return Row(assault, [others], Counter({"200": 7, "429 RATE_LIMITED": 2}), lost_workers, recovery)


def test_others_may_wait_up_to_four_times_as_long_as_before():
    assert row(answers(3.9 * QUIET)).faults() == []
    assert row(answers(4.1 * QUIET)).faults() == ["item: p99 41 ms is 4.1 times 10 ms"]


def test_one_slow_answer_of_two_hundred_is_let_pass_and_five_are_not():
    assert row(answers(QUIET, number=199) + answers(1.0, number=1)).faults() == []
    assert row(answers(QUIET, number=195) + answers(1.0, number=5)).faults()


def test_a_quarter_of_a_second_is_soon_where_the_database_is_not_what_is_attacked():
    assert row(answers(0.2), section=FILES).faults() == []
    assert row(answers(0.3), section=FILES).faults()
    assert row(answers(0.2), section=QUERIES).faults()


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        (Seen(0, 0.1, 503), "503"),
        (Seen(0, 0.1, 429), "429"),
        (Seen(0, 0.1, 0), "reset"),
        (Seen(0, TIMEOUT, 0), "silent"),
    ],
)
def test_one_refused_reset_or_silent_request_is_out_of_bounds_however_fast_the_others(seen, what):
    found = row([*answers(QUIET, number=500), seen])
    assert found.faults() == [f"item: 1 {what}"]
    assert not found.is_only_slow()


def test_a_worker_that_was_ended_and_a_service_that_stays_unwell_are_out_of_bounds():
    assert row(answers(QUIET), lost_workers=1).faults() == ["1 workers were ended"]
    assert row(answers(QUIET), recovery=MAX_RECOVERY + 1).faults() == ["not well after 11 s"]


def test_the_lines_of_a_row_name_the_assault_once_and_what_is_wrong():
    first, *rest = row(answers(5 * QUIET)).lines()
    assert first.split() == ["made-up", "item", "10/10", "50/50", "10/10", "5.0", "bad", "-"]
    assert rest == [
        "    answered: 7 200, 2 429 RATE_LIMITED",
        "    out of bounds: item: p99 50 ms is 5.0 times 10 ms",
    ]

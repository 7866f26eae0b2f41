"""What the documentation says was measured is what was measured."""

from __future__ import annotations

import orjson

from bench.documentation import PAGE, filled
from bench.peers import report
from tests import durations


def test_the_page_shows_the_kept_figures_of_the_peers():
    text = PAGE.read_text()
    assert filled(text, "bench-peers", report.tables(orjson.loads(report.RESULT.read_bytes()))) == text


def test_contributors_read_which_tests_take_longest():
    text = durations.PAGE.read_text()
    assert filled(text, "test", durations.Durations.read().table()) == text


def test_what_was_measured_takes_the_place_of_what_was_measured_before():
    text = "before\n<!-- measured by make x -->\n\nold\n\n<!-- end of make x -->\nafter"
    assert filled(text, "x", "new \\1") == text.replace("old", "new \\1")

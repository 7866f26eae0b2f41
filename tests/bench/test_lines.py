"""The figures of the page about plugins are those that are counted."""

from __future__ import annotations

from bench.lines import CONDUIT, code_lines, table
from config import ROOT


def test_the_page_shows_what_is_counted():
    page = (ROOT / "docs" / "plugins.md").read_text()
    assert table() in page
    assert table(CONDUIT, without=["Tests"]) in page


def test_blank_lines_comments_and_docstrings_are_no_code():
    assert (
        code_lines(
            '"""One."""\n\n# two\n// three\ndef f():\n    """Four\n\n    five.\n    """\n    return 6  # seven\n'
        )
        == 2
    )

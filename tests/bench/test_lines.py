"""The figures of the pages about plugins and fields are those that are counted."""

from __future__ import annotations

import pytest

from bench.lines import CONDUIT, PROJECTS, RENTAL, code_lines, table
from config import ROOT


@pytest.mark.parametrize(
    ("page", "projects", "without"),
    [("plugins.md", PROJECTS, []), ("plugins.md", CONDUIT, ["Tests"]), ("fields.md", RENTAL, ["Tests"])],
)
def test_the_page_shows_what_is_counted(page, projects, without):
    assert table(projects, without=without) in (ROOT / "docs" / page).read_text()


def test_blank_lines_comments_and_docstrings_are_no_code():
    assert (
        code_lines(
            '"""One."""\n\n# two\n// three\ndef f():\n    """Four\n\n    five.\n    """\n    return 6  # seven\n'
        )
        == 2
    )

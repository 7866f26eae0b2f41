"""Where texts are cut."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ai_rag.chunking import cut

MARKDOWN = """# Port

Ships come and go here, by day and by night.

## Cranes

The tower crane may be forty metres high, and lifts forty tonnes.

```sh
# no heading
crane --lift 40
```

## Ferries ##

The ferry to the island leaves at noon.
"""


def told(text, size=100, overlap=0):
    return [(chunk.heading, chunk.content) for chunk in cut(text, size, overlap)]


def test_a_chunk_ends_before_a_heading_and_knows_its_own():
    chunks = told(MARKDOWN)
    assert [heading for heading, _ in chunks] == ["Port", "Cranes", "Ferries"]
    assert chunks[1][1].startswith("## Cranes")


def test_a_block_of_code_is_kept_together_where_it_fits():
    chunks = [content for _, content in told(MARKDOWN, 150)]
    assert any("```sh" in content and content.count("```") == 2 for content in chunks)
    assert all(content.count("```") in (0, 2) for content in chunks)


def test_a_chunk_is_on_one_page():
    pages = ["Cranes and hooks. " * 12, "Ferries and boats. " * 12, "Refunds and money. " * 12]
    chunks = list(cut("\n\n\f".join(pages), 150, 30))
    assert [chunk.page for chunk in chunks] == sorted(chunk.page for chunk in chunks)
    for word, page in (("Cranes", 1), ("Ferries", 2), ("Refunds", 3)):
        assert {chunk.page for chunk in chunks if word in chunk.content} == {page}
    assert [chunk.page for chunk in cut("No pages", 100, 0)] == [None]


@given(
    st.text(alphabet=st.sampled_from("ab#`~ \n\f\x1e."), max_size=2000),
    st.integers(min_value=100, max_value=400),
    st.integers(min_value=0, max_value=200),
)
def test_nothing_of_a_text_is_lost_and_no_chunk_is_too_long(text, size, overlap):
    covered = 0
    for chunk in cut(text, size, overlap):
        assert text[covered : chunk.start].strip() == ""
        assert chunk.end - chunk.start <= size
        assert chunk.content == text[chunk.start : chunk.end].strip()
        assert chunk.end > covered
        covered = chunk.end
    assert text[covered:].strip() == ""


@pytest.mark.parametrize("line", ["```a\n", "# # # # ", "```\n~~~\n", "#\n", "\f", "\x1e", "\x1ea", "# a\n"])
def test_a_text_that_is_made_to_be_slow_takes_time_by_its_length_alone(line):
    def spent(length):
        text = line * (length // len(line))
        begun = time.process_time()
        assert sum(1 for _ in cut(text, 1000, 150)) > 0 or not text.strip()
        return time.process_time() - begun

    # By its square it would be 64 times as much.
    assert min(spent(360_000) for _ in range(2)) < 32 * min(spent(45_000) for _ in range(5))

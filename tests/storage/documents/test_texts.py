"""Texts out of files, and texts cut into passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ai_rag.chunking import cut
from app.storage.extraction import Unreadable, is_readable
from app.storage.extraction import text_of as bounded_text_of

MAX_CHARACTERS = 1000


def text_of(content, kind):
    return bounded_text_of(content, kind, 3, MAX_CHARACTERS)


PAGE = (
    b"<html><head><title>T</title><script>hidden()</script></head><body><h1>Ships</h1>"
    b"<p>They come <b>at</b> night.</p><style>p{}</style></body></html>"
)


def pdf(text):
    """The smallest PDF with a line of text."""
    drawing = f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(content)
    return content + b"xref\n0 6\n0000000000 65535 f \n" + table + end


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        (b"  plain\r\nwords ", "text/plain", "plain\nwords"),
        (b"# Title\n\ntext", "text/markdown", "# Title\n\ntext"),
        (b"\xff broken", "text/plain", "\ufffd broken"),
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (pdf("Harbour rules"), "application/pdf", "Harbour rules"),
    ],
)
def test_text_is_read(content, kind, text):
    assert is_readable(kind)
    assert text_of(content, kind) == text


def test_html_is_read_without_what_is_not_seen():
    words = text_of(PAGE, "text/html").split()
    assert words == ["Ships", "They", "come", "at", "night."]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "text/plain"),
        (b" \n", "text/plain"),
        (b"<script>x</script>", "text/html"),
        (b"%PDF-1.4 rubbish", "application/pdf"),
    ],
)
def test_a_file_without_text_is_unreadable(content, kind):
    with pytest.raises(Unreadable):
        text_of(content, kind)


def test_a_text_over_the_most_characters_is_refused():
    assert len(text_of(b"x" * MAX_CHARACTERS, "text/plain")) == MAX_CHARACTERS
    with pytest.raises(Unreadable, match="more than 1000 characters"):
        text_of(b"x" * (MAX_CHARACTERS + 1), "text/plain")


def test_other_types_are_not_read():
    assert not any(map(is_readable, ("image/png", "application/zip", "application/octet-stream", "video/mp4")))


@given(
    text=st.text(st.sampled_from("ab .\n"), max_size=400),
    size=st.integers(1, 60),
    overlap=st.integers(0, 59),
)
def test_passages_cover_a_text_in_order_and_fit(text, size, overlap):
    passages = list(cut(text, size, min(overlap, size - 1)))
    covered = set()
    for passage in passages:
        assert 0 < passage.end - passage.start <= size
        assert passage.content == text[passage.start : passage.end].strip() != ""
        covered.update(range(passage.start, passage.end))
    assert [passage.start for passage in passages] == sorted({passage.start for passage in passages})
    assert all(text[place].isspace() for place in range(len(text)) if place not in covered)


def test_passages_end_at_paragraphs_and_sentences_where_there_are_any():
    text = "First paragraph is here.\n\nSecond one follows. It has two sentences."
    assert [passage.content for passage in cut(text, 50, 0)] == [
        "First paragraph is here.",
        "Second one follows. It has two sentences.",
    ]

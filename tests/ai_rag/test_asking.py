"""What a search may be asked for: operators, weights, passages by document, their surroundings and highlights."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ai_rag import search
from app.ai_rag.wording import MAX_OPERATORS, Wording, parsed
from app.testing.waiting import work
from tests.writes import created

TEXTS = {
    "Cranes": "# Cranes\n\nThe tower crane of the harbor may be forty metres high.\n\n"
    "# Hooks\n\nThe crane hook carries two tonnes. It is made of steel, and looked at each morning.",
    "Ferries": "The ferry to the island leaves at noon. In summer it leaves the island every hour.",
    "Harbour": "The harbourmaster of the island harbour answers on channel 16. "
    "Documentation of universities is easily had.",
}


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.fixture(scope="module")
def index(app, owner):
    made = created(owner, "ai-rag/index", name="Port", chunkSize=100, chunkOverlap=0)["id"]
    for title, content in TEXTS.items():
        created(owner, "ai-rag/document", indexId=made, title=title, content=content)
    work(app)
    return made


def asked(caller, index, text, **body):
    answer = caller.post(f"/api/v1/ai-rag/index/{index}/_search", {"text": text, "topK": 20, **body})
    assert answer.status_code == 200, answer.json
    return answer.json["data"]


def titles(passages):
    return sorted({passage["title"] for passage in passages})


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("island", ["Ferries", "Harbour"]),
        ('island "leaves at noon"', ["Ferries"]),
        ('island "noon at leaves"', []),
        ("island -ferry", ["Harbour"]),
        ('island -"leaves at noon"', ["Harbour"]),
        ("harb*", ["Cranes", "Harbour"]),
        ("harb* tower", ["Cranes", "Harbour"]),
        ("HARBOURM*", ["Harbour"]),
        ("h_r*", []),
        ("documenta*", ["Harbour"]),
        ("universit*", ["Harbour"]),
        ("easily*", ["Harbour"]),
        ("a" * 2100 + "* island", ["Ferries", "Harbour"]),
        ('"the" "of"', []),
        ('island "the"', ["Ferries", "Harbour"]),
        ("-ferry", []),
        ("well-known island", ["Ferries", "Harbour"]),
        ("island ' | & ! :* \\", ["Ferries", "Harbour"]),
    ],
)
def test_operators_say_what_passages_hold(owner, index, question, found):
    assert titles(asked(owner, index, question)) == found


@pytest.mark.parametrize("few", [0, 1000], ids=["among others", "apart"])
def test_rare_words_decide_where_more_passages_hold_a_word_than_are_looked_at(app, owner, monkeypatch, few):
    base = created(owner, "ai-rag/index", name=f"Many {few}")["id"]
    for number in range(8):
        content = f"The ship waits at berth {number}." + " It carries salt." * (number == 7)
        created(owner, "ai-rag/document", indexId=base, title=f"Ship {number}", content=content)
    work(app)
    usual = asked(owner, base, "ship salt")
    monkeypatch.setattr(search, "FEW", few)
    assert asked(owner, base, "ship salt") == usual
    monkeypatch.setattr(search, "MOST_MET", 3)
    monkeypatch.setattr(search, "LEAST_MET", 3)
    first, *others = asked(owner, base, "ship salt")
    assert first["title"] == usual[0]["title"] == "Ship 7"
    assert first["score"] == pytest.approx(usual[0]["score"], abs=0.05)
    assert len(others) == 3


def test_a_beginning_finds_rare_words_beside_common_ones(app, owner, monkeypatch):
    base = created(owner, "ai-rag/index", name="Beginnings")["id"]
    for number in range(6):
        created(
            owner, "ai-rag/document", indexId=base, title=f"No. {number}", content=f"The harbour has berth {number}."
        )
    created(owner, "ai-rag/document", indexId=base, title="Omen", content="A harbinger of spring.")
    work(app)
    monkeypatch.setattr(search, "MAX_WORDS", 2)
    assert "Omen" in titles(asked(owner, base, "harb*"))


def test_operators_beyond_the_most_are_left_out(owner, index):
    question = "island " + " ".join(f"-w{number}" for number in range(MAX_OPERATORS)) + " -ferry -harbour"
    assert titles(asked(owner, index, question)) == ["Ferries", "Harbour"]
    assert parsed(question).text == "island"


def test_an_offset_beyond_the_text_breaks_no_search(app, owner):
    base = created(owner, "ai-rag/index", name="Offsets")["id"]
    document = created(owner, "ai-rag/document", indexId=base, title="Own", content="x")["id"]
    work(app)
    most = 2**31 - 1
    created(owner, "ai-rag/chunk", documentId=document, content="A quay.", startOffset=most, endOffset=most)
    (passage,) = asked(owner, base, "quay", window=2000)
    assert (passage["before"], passage["after"]) == ("", "")


def test_a_stored_search_knows_operators_too(app, owner, index):
    query = created(owner, "ai-rag/query", indexId=index, text="island -ferry", mode="keyword")["id"]
    work(app)
    assert owner.get(f"/api/v1/ai-rag/query/{query}").json["resultCount"] == 1


@given(st.text(st.sampled_from('ab "-*\n_'), max_size=80))
def test_any_question_is_read(question):
    wording = parsed(question)
    assert len(wording.phrases) + len(wording.without) + len(wording.prefixes) <= MAX_OPERATORS
    assert Counter("".join(wording.text.split())) <= Counter(question)


def test_operators_leave_what_the_question_is_about():
    assert parsed('boats "at noon" -summer -"in may" harb* x-ray -') == Wording(
        "boats at noon x-ray -", ("at noon",), ("summer", "in may"), ("harb",)
    )


def test_passages_of_one_document_are_bounded_in_number(owner, index):
    assert [passage["title"] for passage in asked(owner, index, "crane")] == ["Cranes", "Cranes"]
    assert len(asked(owner, index, "crane", perDocument=1)) == 1


def test_a_passage_shows_what_stands_around_it(owner, index):
    (passage,) = asked(owner, index, "tonnes", window=20)
    text = TEXTS["Cranes"]
    assert passage["before"] == text[max(0, passage["start"] - 20) : passage["start"]] != ""
    assert passage["after"] == text[passage["end"] : passage["end"] + 20]
    (bare,) = asked(owner, index, "tonnes")
    assert (bare["before"], bare["after"]) == (None, None)


def test_a_passage_tells_where_the_words_stand_in_any_form(owner, index):
    (passage,) = asked(owner, index, '"leaves at noon" ferries isl*', highlights=True)
    assert [passage["content"][start:end] for start, end in passage["highlights"]] == [
        "ferry", "island", "leaves", "noon", "leaves", "island",
    ]  # fmt: skip
    assert [each["highlights"] for each in asked(owner, index, "noon")] == [None]


def test_whoever_reads_no_whole_documents_sees_nothing_around_a_passage(cast, owner, index):
    reads = [
        {"models": ["ai-rag/index", "ai-rag/chunk"], "operations": ["list", "read"]},
        {"models": ["ai-rag/document"], "operations": ["list", "read"], "fields": ["title", "indexId"]},
    ]
    (passage,) = asked(cast.key(owner, "read", access=reads), index, "tonnes", window=20)
    assert (passage["before"], passage["after"]) == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        *({"weights": each} for each in ({"words": 0, "meaning": 0}, {"words": 5e-324, "meaning": 0}, {"words": 1})),
        {"weights": {"words": 2, "meaning": 1}}, {"perDocument": 0}, {"window": -1}, {"window": 2001},
        {"highlights": "x"},
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused(owner, index, body):
    answer = owner.post(f"/api/v1/ai-rag/index/{index}/_search", {"text": "crane", **body})
    assert answer.status_code == 400
    assert next(iter(answer.json["details"]["fields"])).startswith(next(iter(body)))

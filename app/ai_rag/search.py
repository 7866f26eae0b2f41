"""Search: which passages of some documents answer a question best, by its words, by its meaning, or by both.

PostgreSQL finds the passages that hold words of the question, by the text-search vector stored with each. Its own
ranking does not know how rare a word is, so the best of them are ranked by Okapi BM25 (Robertson and Zaragoza, 2009),
with the words of the document's title counted in. Passages that mean the like are those whose vectors are near to that
of the question. Both rankings make one by reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, text

from app.ai_rag import highlights, vector_indexes
from app.ai_rag.models import AiRagChunk
from app.ai_rag.ranking import QUOTED, ranking
from app.ai_rag.wording import Wording
from app.engine.declare.principal import Principal, Reader
from app.engine.read.encoding import dumps
from app.engine.write.unit_of_work import Unit

# Words of a question that are looked for, and of each language where there are many.
MAX_WORDS, MIN_WORDS = 40, 5
# Passages that are looked at for the words of a question, in all, and for one of them at least.
MOST_MET, LEAST_MET = 30_000, 1_000
# Vectors that are looked at first, whatever they are of: when all are compared, and by an index.
NEAREST, NEAREST_INDEXED = 1_000, 400
# Passages that are read apart from all others: an index of words holds those of all bases.
FEW = 2_000
SEARCHED = text("""
SELECT coalesce(sum(chunk_count), 0), coalesce(array_agg(DISTINCT configuration), '{}') FROM ai_rag_document
WHERE id = ANY(CAST(:documents AS uuid[]))
""")
SEARCH_WIDELY = text(f"SET LOCAL hnsw.ef_search = {NEAREST_INDEXED}")

# The words of a question as each configuration has them.
WORDS = text("""
SELECT word, configuration FROM unnest(CAST(:configurations AS text[])) AS configuration
CROSS JOIN LATERAL (
    SELECT word FROM unnest(tsvector_to_array(to_tsvector(CAST(configuration AS regconfig), :question))) AS word
    LIMIT :most
) AS meant
""")
# What passages have to hold, and what not, as one query; nothing where these are words that no text is searched by.
DEMANDED = text("""
SELECT string_agg(sign || '(' || query || ')', ' & ') FROM (
    SELECT sign, string_agg('(' || CAST(query AS text) || ')', ' | ') AS query
    FROM unnest(CAST(:signs AS text[]), CAST(:phrases AS text[])) WITH ORDINALITY AS given (sign, phrase, place)
    CROSS JOIN unnest(CAST(:configurations AS text[])) AS configuration
    CROSS JOIN LATERAL phraseto_tsquery(CAST(configuration AS regconfig), phrase) AS query
    WHERE numnode(query) > 0 GROUP BY sign, place
    HAVING sign = '!' OR count(*) = cardinality(CAST(:configurations AS text[]))
) AS put
""")

# The plan depends on how much is searched; one made for any question may be fifty times slower.
CUSTOM_PLAN = text("SET LOCAL plan_cache_mode = force_custom_plan")


@dataclass(frozen=True)
class Hit:
    """A passage and how well it fits: by its words, by its meaning, with its place among those found so, where it was,
    and in all. A ``score`` of 1 is the best there could be."""

    chunk_id: UUID
    document_id: UUID
    title: str
    content: str
    score: float
    word_score: float | None = None
    word_rank: int | None = None
    vector_score: float | None = None
    vector_rank: int | None = None
    heading: str | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None
    before: str | None = None
    after: str | None = None
    highlights: Sequence[tuple[int, int]] | None = None

    def cited(self, reader: Reader) -> str:
        """The passage under its title and place, for a model to answer from."""
        return f"[{', '.join(filter(None, (self.title, self.place(reader))))}]\n{self.content}"

    def place(self, reader: Reader) -> str:
        """Where it stands in its document, for a reader who may know."""
        if not reader.admits_wholly(AiRagChunk, "list"):
            return ""
        heading = self.heading if self.heading != self.title else None
        return ", ".join(filter(None, (heading, f"p. {self.page}" if self.page else None)))


@dataclass(frozen=True)
class Options:
    """How passages are ranked and shown: the score that they need at least, how much ranks by words and by meaning
    weigh, how many there are of a document at most, how many characters around each are shown, and whether the words of
    the question in it are."""

    mode: str = "hybrid"
    least: float = 0
    weights: tuple[float, float] | None = None
    per_document: int | None = None
    around: int = 0
    highlights: bool = False


USUAL = Options()


class Searched(NamedTuple):
    """How many passages the documents have that are searched, and by which rules their words are found."""

    passages: int
    configurations: Sequence[str]


class QuestionVector(NamedTuple):
    """A question as a model of a provider puts it, for the knowledge bases that are measured so."""

    model: str
    provider_id: UUID | None
    metric: str
    vector: Sequence[float]


def search(
    unit: Unit, principal: Principal, wording: Wording, documents: Sequence[UUID], take: int,
    vectors: Sequence[QuestionVector] = (), options: Options = USUAL, base: UUID | None = None,
) -> list[Hit]:  # fmt: skip
    """The ``take`` best passages of ``documents`` for a question, best first, of those that grants leave ``principal``;
    ``hybrid`` without vectors is ``keyword``. Documents of one ``base`` are found by its index of vectors. A search of
    much text keeps PostgreSQL busy for a second: requests take a place for it (``engine.concurrency``), jobs need none,
    for few are done at once."""
    if not all(principal.reader.shows(model, name, each) for model, each, names in QUOTED for name in names):
        return []
    searched = _searched(unit, documents)
    words = _words(unit, wording, searched) if options.mode != "vector" else ()
    if not (words or vectors or wording.prefixes) or not documents:
        return []
    binds = {
        **_wanted(unit, wording, options, searched, by_meaning=bool(vectors)), "documents": list(documents),
        "words": [word for word, _ in words], "word_configurations": [each for _, each in words], "take": take,
        "per_document": options.per_document or take, "most_met": MOST_MET, "least_met": LEAST_MET,
        "nearest": NEAREST,
        "models": [each.model for each in vectors], "providers": [each.provider_id for each in vectors],
        "metrics": [each.metric for each in vectors], "vectors": [dumps(each.vector).decode() for each in vectors],
    }  # fmt: skip
    apart = searched.passages <= FEW
    indexed = vector_indexes.of_base(unit.session, base) if base and vectors else None
    if indexed is not None and [_kind(each) for each in vectors] == [indexed[1:4]]:
        unit.session.execute(SEARCH_WIDELY)
        binds |= {"base": base, "model": indexed.model, "asked": binds["vectors"][0], "nearest": NEAREST_INDEXED}
        statement, fixed = ranking(principal.reader, apart=apart, dimensions=indexed.dimensions, metric=indexed.metric)
    else:
        statement, fixed = ranking(principal.reader, apart=apart)
    unit.session.execute(CUSTOM_PLAN)
    of_reader = principal.binds | dict(fixed) if principal.narrowing is not None else {}
    hits = [Hit(*row) for row in unit.session.execute(statement, binds | of_reader)]
    if not options.highlights:
        return hits
    passages = [hit.content for hit in hits]
    places = highlights.places(unit.session, passages, binds["words"], wording.prefixes, searched.configurations)
    return [replace(hit, highlights=found) for hit, found in zip(hits, places, strict=True)]


def _searched(unit: Unit, documents: Sequence[UUID]) -> Searched:
    passages, configurations = unit.session.execute(SEARCHED, {"documents": list(documents)}).one()
    return Searched(passages, configurations)


def _words(unit: Unit, wording: Wording, searched: Searched) -> Sequence[Row[str, str]]:
    """The words of a question, each as a configuration has it, and that configuration."""
    # Where there are several, they share twice as many: each word costs a look.
    languages = max(1, len(searched.configurations))
    most = MAX_WORDS if languages == 1 else max(MIN_WORDS, 2 * MAX_WORDS // languages)
    asked = {"question": wording.text, "most": most, "configurations": searched.configurations}
    return unit.session.execute(WORDS, asked).all()


def _wanted(unit: Unit, wording: Wording, options: Options, searched: Searched, *, by_meaning: bool) -> dict[str, Any]:
    """The parameters that say what passages have to hold, and how they are ranked."""
    prefixes = () if options.mode == "vector" else wording.prefixes
    phrased = _demand(unit, searched, wording.phrases)
    demanded = _demand(unit, searched, wording.phrases, wording.without)
    word_weight, meaning_weight = options.weights or (None, None)
    return {
        # Stems end earlier than words.
        "begun": " | ".join(f"'{each[: max(4, len(each) - 4)]}':*" for each in prefixes),
        "beginning": rf"\m((?:{'|'.join(prefixes)})\w*)", "most": MAX_WORDS, "phrased": phrased, "demanded": demanded,
        "word_weight": word_weight, "meaning_weight": meaning_weight, "least": options.least, "around": options.around,
        "mode": options.mode if by_meaning else "keyword",
    }  # fmt: skip


def _demand(unit: Unit, searched: Searched, phrases: Sequence[str], without: Sequence[str] = ()) -> str | None:
    """The query for passages with some phrases and without others, if there are any."""
    if not (phrases or without):
        return None
    signs = [*[""] * len(phrases), *["!"] * len(without)]
    asked = {"signs": signs, "phrases": [*phrases, *without], "configurations": searched.configurations}
    return unit.session.scalar(DEMANDED, asked)


def _kind(vector: QuestionVector) -> tuple[str, int, str]:
    return vector.model, len(vector.vector), vector.metric

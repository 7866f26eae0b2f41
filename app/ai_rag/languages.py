"""Languages: how the words of a document are found in all of their forms, by PostgreSQL's text-search configurations.

The language that a document names decides, else the one whose stop words its text has most of (Grothe, De Luca and
Nuernberger, 2008). Names of languages are tags as in BCP 47, of which the first part counts.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.ai_rag.models import AiRagDocument
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.jobs import queue
from app.runtime.connections import allow_time

APPLY_LANGUAGE = "apply_language"
CONFIGURATIONS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nb": "norwegian",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
OF_OTHERS, USUAL = "simple", "english"
# Languages whose stop words PostgreSQL knows, characters of a text that are looked at, and how many of its words have
# to be stop words: of prose, about four of ten are.
GUESSED = (
    "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian", "portuguese",
    "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
LOOKED_AT, LEAST = 5_000, 0.2
MOST_STOP_WORDS = text(r"""
WITH word AS (SELECT lower(found[1]) AS word FROM regexp_matches(:content, '\m([[:alpha:]]+)\M', 'g') AS found)
SELECT configuration FROM unnest(CAST(:guessed AS text[])) WITH ORDINALITY AS given (configuration, place), word
GROUP BY configuration, place
HAVING avg(CAST(ts_lexize(CAST(configuration || '_stem' AS regdictionary), word) = '{}' AS int)) >= :least
ORDER BY avg(CAST(ts_lexize(CAST(configuration || '_stem' AS regdictionary), word) = '{}' AS int)) DESC, place LIMIT 1
""")
FILL_AGAIN = text("UPDATE ai_rag_chunk SET search = NULL WHERE document_id = :document")


def configuration_named(language: str) -> str:
    """The configuration of a language, or the one that takes words as they are."""
    first = language.lower().replace("_", "-").split("-")[0]
    return first if first in CONFIGURATIONS.values() else CONFIGURATIONS.get(first, OF_OTHERS)


def configuration_of(session: Session, language: str | None, content: str | None) -> str:
    """The configuration of a document, by the language that it names or by its text; that of English where neither
    tells."""
    if language:
        return configuration_named(language)
    asked = {"content": (content or "")[:LOOKED_AT], "guessed": list(GUESSED), "least": LEAST}
    return session.scalar(MOST_STOP_WORDS, asked) or USUAL


def apply_language(document_id: UUID) -> None:
    """Have the passages of a document found by the language that it has by now, as a job."""
    wanted = select(AiRagDocument.language, func.left(AiRagDocument.content, LOOKED_AT))
    with reading() as session:
        found = session.execute(wanted.where(AiRagDocument.id == document_id)).one_or_none()
        configuration = configuration_of(session, *found) if found else USUAL
    if found:
        run_unit(SYSTEM, _apply, document_id, found[0], configuration)


def _apply(unit: Unit, document_id: UUID, language: str | None, configuration: str) -> None:
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True)
    if document is not None:
        use_configuration(unit, document, language, configuration)


def apply_to_all(unit: Unit) -> int:
    """Have the passages of all documents found by their languages, as jobs; returns how many these are."""
    documents = unit.session.execute(select(AiRagDocument.id, AiRagDocument.index_id)).all()
    for document_id, index_id in documents:
        queue.defer(unit, APPLY_LANGUAGE, document_id, one_of=index_id)
    return len(documents)


def use_configuration(unit: Unit, document: AiRagDocument, language: str | None, configuration: str) -> None:
    """Have a document's passages, those that it has and those to come, found by the configuration of a language, unless
    it has another one by now, which has a job of its own; the document is locked."""
    if document.language == language and document.configuration != configuration:
        document.configuration = configuration
        unit.session.flush()
        allow_time(unit.session)
        unit.session.execute(FILL_AGAIN, {"document": document.id})

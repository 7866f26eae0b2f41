"""Languages of documents: words are found in all of their forms, by the rules of the language of each text."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.ai_rag import languages
from app.ai_rag.languages import CONFIGURATIONS, configuration_named, configuration_of
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.testing.database import transaction
from app.testing.waiting import work
from tests.ai_rag.test_asking import asked, titles
from tests.writes import changed, created

GERMAN = "Die Häuser am Hafen sind alt, und das Dach eines Hauses ist aus Schiefer. Sie werden im Sommer gestrichen."
ENGLISH = "The houses at the harbour are old, and the roof of one of them was made of slate. It is painted in summer."
FRENCH = "Les maisons du port sont anciennes, et le toit de la plus grande est en ardoise. On les repeint en été."
RUSSIAN = "Дома у гавани старые, и крыша одного из них была сделана из сланца, но она не очень хорошо видна с моря."  # noqa: RUF001 - these letters are meant


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def base(owner):
    return created(owner, "ai-rag/index", name="Houses", chunkSize=200, chunkOverlap=0)["id"]


def entered(app, owner, base, title, content, **more):
    made = created(owner, "ai-rag/document", indexId=base, title=title, content=content, **more)
    work(app)
    return made


def test_each_text_is_found_by_the_forms_of_its_own_language(app, owner, base):
    entered(app, owner, base, "de", GERMAN)
    entered(app, owner, base, "en", ENGLISH)
    assert titles(asked(owner, base, "streichen gestrichener")) == ["de"]
    assert titles(asked(owner, base, "painting")) == ["en"]
    assert titles(asked(owner, base, "die und das")) == []
    assert titles(asked(owner, base, '"alte Häuser" Sommer')) == []
    assert titles(asked(owner, base, '"Haus am Hafen" Sommer')) == ["de"]
    assert titles(asked(owner, base, "Sommer summer -Haus")) == ["en"]
    assert titles(asked(owner, base, "streich*")) == []
    assert titles(asked(owner, base, "gestri*")) == ["de"]


def test_the_words_of_a_question_are_shown_in_the_forms_of_the_text(app, owner, base):
    entered(app, owner, base, "de", GERMAN)
    (passage,) = asked(owner, base, "Haus", highlights=True)
    assert [passage["content"][start:end] for start, end in passage["highlights"]] == ["Häuser", "Hauses"]


def test_another_language_beside_it_changes_no_score(app, owner, base):
    entered(app, owner, base, "en", ENGLISH)
    (before,) = asked(owner, base, "roofs of slate", mode="keyword")
    entered(app, owner, base, "de", GERMAN, language="de")
    (after,) = asked(owner, base, "roofs of slate", mode="keyword")
    assert after["score"] == pytest.approx(before["score"], abs=0.02)


def test_the_language_that_a_document_names_counts_and_may_change(app, owner, base):
    made = entered(app, owner, base, "A", "Hafenhäuser", language="ja")
    assert titles(asked(owner, base, "Hafenhaus")) == []
    assert changed(owner, "ai-rag/document", made, language="de-AT").status_code == 200
    work(app)
    assert titles(asked(owner, base, "Hafenhaus")) == ["A"]
    again = owner.get(f"/api/v1/ai-rag/document/{made['id']}").json
    assert (again["status"], again["chunkCount"]) == ("indexed", 1)


def test_a_phrase_is_asked_of_no_passage_whose_language_leaves_out_all_of_its_words(app, owner, base):
    entered(app, owner, base, "en", "To be or not to be: that is the question of the harbour.")
    entered(app, owner, base, "ja", "港 harbour", language="ja")
    assert "en" in titles(asked(owner, base, '"to be or not to be" harbour'))


@pytest.mark.full
def test_documents_of_before_are_found_by_their_language_on_demand(app, owner, base, monkeypatch):
    entered(app, owner, base, "de", GERMAN)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE ai_rag_document SET configuration = 'english' WHERE title = 'de'"))
        session.execute(text("UPDATE ai_rag_chunk SET search = NULL"))
    assert titles(asked(owner, base, "alten")) == []
    assert app.test_cli_runner().invoke(args=["rag", "languages"]).exit_code == 0
    work(app)
    assert titles(asked(owner, base, "alten")) == ["de"]


def test_a_language_that_has_changed_meanwhile_is_left_to_its_own_job(app, owner, base):
    made = entered(app, owner, base, "A", "Hafenhäuser", language="de")
    with app.app_context():
        run_unit(SYSTEM, languages._apply, made["id"], "en", "english")
    assert titles(asked(owner, base, "Hafenhaus")) == ["A"]


def test_passages_that_a_client_has_cut_follow_the_language_too(app, owner, base):
    document = entered(app, owner, base, "A", "x", language="de")
    created(owner, "ai-rag/chunk", documentId=document["id"], content="Hafenhäuser")
    assert titles(asked(owner, base, "Hafenhaus")) == ["A"]


@pytest.mark.parametrize(
    ("content", "configuration"),
    [
        (GERMAN, "german"), (ENGLISH, "english"), (FRENCH, "french"), (RUSSIAN, "russian"), ("", "english"),
        (None, "english"), ("Kran 4711, Typ B", "english"), ("12 34 56", "english"), ("港の家は古い。", "english"),
    ],
)  # fmt: skip
def test_a_text_without_a_language_is_taken_for_that_of_most_of_its_small_words(app, content, configuration):
    with app.app_context():
        assert configuration_of(db.session, None, content) == configuration


@pytest.mark.parametrize(
    ("language", "configuration"),
    [("de", "german"), ("DE-at", "german"), ("pt_BR", "portuguese"), ("german", "german"), ("ja", "simple"),
     ("'; DROP", "simple")],
)  # fmt: skip
def test_a_language_is_known_by_the_first_part_of_its_tag(language, configuration):
    assert configuration_named(language) == configuration


def test_postgresql_has_all_of_them(app):
    with app.app_context():
        has = set(db.session.scalars(db.text("SELECT cfgname FROM pg_ts_config")))
    assert {*CONFIGURATIONS.values(), "simple"} <= has

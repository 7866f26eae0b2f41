"""flask rag: files enter a knowledge base, and those without vectors are given a model."""

from __future__ import annotations

import json

import pytest

from app.ai_rag import local_embedder
from app.testing.waiting import work
from tests.writes import created


@pytest.fixture
def run(app):
    def invoke(*words, code=0):
        done = app.test_cli_runner().invoke(args=["rag", *map(str, words)])
        assert done.exit_code == code, done.output
        return json.loads(done.output) if "--json" in words else done.output

    return invoke


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def index(owner):
    return created(owner, "ai-rag/index", name="Port")


def test_the_files_of_a_folder_enter_and_those_without_text_say_why(app, cast, owner, run, index, tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "quay.md").write_text("# Quay\n\nIt has two cranes.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "crane.png").write_bytes(b"\x89PNG")
    email = cast.admin.get(f"/api/v1/auth/user/{owner.user_id}").json["email"]
    told = {each["file"]: each["error"] for each in
            run("enter", tmp_path, "--index", index["id"], "--user", email, "--json")}  # fmt: skip
    assert told.pop("below/quay.md") is None
    assert told == {
        "broken.pdf": "The text of the file cannot be had: It is no PDF that can be read",
        "crane.png": "no text can be read from files of this type",
    }
    work(app)
    (entry,) = owner.get(f"/api/v1/ai-rag/document?indexId={index['id']}").json["data"]
    assert (entry["title"], entry["status"], entry["chunkCount"]) == ("below/quay.md", "indexed", 1)


def test_who_may_not_write_into_a_knowledge_base_enters_nothing(cast, run, index, tmp_path):
    (tmp_path / "quay.md").write_text("Two cranes")
    email = cast.admin.get(f"/api/v1/auth/user/{cast.user().user_id}").json["email"]
    (told,) = run("enter", tmp_path, "--index", index["id"], "--user", email, "--json")
    assert told["id"] is None
    assert told["error"]


@pytest.mark.full
def test_knowledge_bases_without_a_model_are_given_one(app, owner, run, index, monkeypatch):
    assert "Nothing makes vectors here" in run("embed", code=1)
    with monkeypatch.context() as installed:
        installed.setattr(local_embedder, "is_available", lambda settings: True)
        assert index["id"] in {each["id"] for each in run("embed", "--json")}
    assert owner.get(f"/api/v1/ai-rag/index/{index['id']}").json["status"] == "building"
    work(app)  # which finds nothing here that makes them any more, unless there is nothing to make
    assert owner.get(f"/api/v1/ai-rag/index/{index['id']}").json["status"] == "empty"


def test_questions_whose_passages_are_known_measure_a_knowledge_base(app, cast, owner, run, index, tmp_path):
    for title, content in (
        ("Quay", "The tower crane may be forty metres high."),
        ("Pier", "The ferry leaves at noon."),
    ):
        created(owner, "ai-rag/document", indexId=index["id"], title=title, content=content)
    work(app)
    email = cast.admin.get(f"/api/v1/auth/user/{owner.user_id}").json["email"]
    asked = [
        {"question": "When does the ferry leave?", "passage": "The ferry leaves at noon."},
        {"question": "How high may a crane be?", "passage": "There is no such passage."},
    ]
    file = tmp_path / "questions.ndjson"
    file.write_text("\n".join(map(json.dumps, asked)))
    options = ("--index", index["id"], "--user", email)
    told = run("measure", file, *options, "--json")
    assert told == [
        {"mode": mode, "questions": 2, "nDCG@10": 0.5, "recall@5": 0.5} for mode in ("keyword", "hybrid")
    ]  # without vectors there is no search by meaning
    file.write_text('{"question": "Why?"}')
    assert "Each line must be JSON with question and passage" in run("measure", file, *options, code=2)
    file.write_text("")
    assert "It holds no question" in run("measure", file, *options, code=2)

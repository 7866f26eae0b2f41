"""Research: questions, findings, citations and reports."""

from __future__ import annotations

import pytest

from tests.writes import changed, created, messages


@pytest.fixture
def project(owner):
    return created(owner, "ai-research/project", title="P", objective="O")


def test_questions_nest_four_levels_and_never_in_a_circle(owner, project):
    path, base = "ai-research/question", {"projectId": project["id"], "text": "Why?"}
    chain = [created(owner, path, **base)]
    for _ in range(3):
        chain.append(created(owner, path, **base, parentQuestionId=chain[-1]["id"]))
    fifth = owner.post(f"/api/v1/{path}", {**base, "parentQuestionId": chain[-1]["id"]})
    assert messages(fifth, "parentQuestionId")
    assert messages(changed(owner, path, chain[0], parentQuestionId=chain[1]["id"]), "parentQuestionId")
    assert messages(changed(owner, path, chain[0], parentQuestionId=chain[0]["id"]), "parentQuestionId")


def test_an_answered_question_has_an_answer(owner, project):
    question = created(owner, "ai-research/question", projectId=project["id"], text="Why?")
    assert messages(changed(owner, "ai-research/question", question, status="answered"), "answer")
    answered = changed(owner, "ai-research/question", question, status="answered", answer="So.").json
    assert answered["answeredAt"] is not None


def test_a_finding_is_verified_by_a_supporting_citation_and_a_cited_source_stays(owner, project):
    source = created(owner, "ai-research/source", projectId=project["id"], title="S")
    finding = created(owner, "ai-research/finding", projectId=project["id"], statement="F")
    assert messages(changed(owner, "ai-research/finding", finding, status="verified"), "status")
    created(owner, "ai-research/citation", findingId=finding["id"], sourceId=source["id"])
    verified = changed(owner, "ai-research/finding", finding, status="verified").json
    assert verified["verifiedById"] == str(owner.user_id)
    assert owner.delete(f"/api/v1/ai-research/source/{source['id']}").status_code == 400
    assert owner.delete(f"/api/v1/ai-research/project/{project['id']}").status_code == 200
    assert owner.get(f"/api/v1/ai-research/source/{source['id']}").status_code == 404


def test_publishing_a_report_stores_a_copy_and_reopening_raises_the_version(owner, project):
    report = created(owner, "ai-research/report", projectId=project["id"], title="R", content="Text")
    changed(owner, "ai-research/report", report, status="in_review")
    published = changed(owner, "ai-research/report", report, status="published").json
    copy = owner.get(f"/api/v1/storage/document/{published['documentId']}").json
    assert (copy["title"], copy["content"]) == ("R", "Text")
    assert changed(owner, "ai-research/report", report, status="draft").json["version"] == 2

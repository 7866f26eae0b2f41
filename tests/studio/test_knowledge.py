"""Knowledge bases in the studio: files that enter them, and searches in three ways beside each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from app.ai_rag import local_embedder
from app.testing.waiting import await_true, work
from tests.storage.documents.test_office import DOCX, lease, slides
from tests.writes import created

PAGES = (
    "Cranes lift forty tonnes.\n\n\f# Ferries\n\nThe ferry to the island leaves at noon. " + "It is never late. " * 60
)


def work_beside(app):
    """Do the jobs that wait, in a thread of their own, as the browser has the loop of this one."""
    with ThreadPoolExecutor(1) as beside:
        beside.submit(work, app).result()


@pytest.fixture
def index(app, desk, var_dir, monkeypatch):
    """A knowledge base with vectors."""
    at = local_embedder.path(var_dir)
    at.unlink(missing_ok=True)  # which an embedder that has ended leaves there, and nobody would answer
    process, pipe = local_embedder.launch(at)
    monkeypatch.setattr(local_embedder, "is_available", lambda settings: True)
    await_true(at.exists, 30)
    owner = desk.shop.owner
    made = created(owner, "ai-rag/index", name="Port")
    created(owner, "ai-rag/document", indexId=made["id"], title="Timetable", content=PAGES)
    created(owner, "ai-rag/document", indexId=made["id"], title="Refunds", content="Money comes back in two weeks.")
    work_beside(app)
    yield made["id"]
    pipe.close()
    process.wait(10)


@pytest.mark.full
def test_the_three_ways_of_searching_stand_beside_each_other_with_the_place_of_each_passage(desk, index):
    page = desk.open(f"/ai-rag/index/{index}/show")
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.get_by_text("4 of 4 passages have a vector")).to_be_visible()
    page.get_by_role("textbox", name="Question").fill("When does the boat depart?")
    page.get_by_role("button", name="Search", exact=True).click()
    meaning = page.get_by_role("list", name="By meaning").get_by_role("listitem")
    expect(meaning.first).to_contain_text("The ferry to the island leaves at noon.")
    expect(meaning.first).to_contain_text("Ferries · Page 2")
    expect(page.get_by_role("list", name="By words").get_by_role("listitem")).to_have_count(0)
    page.get_by_role("textbox", name="Question").fill("ferry")
    page.get_by_role("button", name="Search", exact=True).click()
    words = page.get_by_role("list", name="By words").get_by_role("listitem")
    expect(words.first).to_contain_text("Words: no. 1")
    expect(words.first.locator("mark")).to_have_text(["Ferries", "ferry"])
    words.first.get_by_role("link", name="Timetable").click()
    expect(page.get_by_role("heading", name="Timetable")).to_be_visible()


@pytest.mark.full
def test_a_search_is_narrowed_to_labels(app, desk):
    owner = desk.shop.owner
    made = created(owner, "ai-rag/index", name="Port")["id"]
    for title in ("Ferries", "Boats"):
        document = created(owner, "ai-rag/document", indexId=made, title=title, content=f"{title} leave at noon.")["id"]
        created(owner, "ai-rag/metadata", documentId=document, key="kind", value=title.lower())
    work_beside(app)
    page = desk.open(f"/ai-rag/index/{made}/search?text=noon")
    found = page.get_by_role("list", name="By words").get_by_role("listitem")
    expect(found).to_have_count(2)
    page.get_by_role("combobox", name="Labels of the documents").click()
    page.get_by_role("option", name="kind: boats").click()
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Boats")


@pytest.mark.full
def test_without_vectors_it_says_so_and_words_are_searched(desk):
    made = created(desk.shop.owner, "ai-rag/index", name="Plain")
    page = desk.open(f"/ai-rag/index/{made['id']}/search?text=ferry")
    expect(page.get_by_text("it is searched by words")).to_be_visible()
    expect(page.get_by_text("No passage here has a vector")).to_be_visible()
    expect(page.get_by_text("Nothing was found.")).to_have_count(2)


@pytest.mark.full
def test_files_enter_a_knowledge_base_and_show_their_passages_beside_their_place(app, desk):
    made = created(desk.shop.owner, "ai-rag/index", name="Leases")
    page = desk.open(f"/ai-rag/index/{made['id']}/sources")
    expect(page.get_by_text("Nothing is in this knowledge base.")).to_be_visible()
    large = b"# Long\n\n" + b"The crane stands. " * 40_000
    files = [
        {"name": "Lease.docx", "mimeType": DOCX, "buffer": lease()},
        {"name": "Plans.pptx", "mimeType": "", "buffer": slides("Harbour", "Railway")},
        {"name": "Long.md", "mimeType": "text/markdown", "buffer": large},
        {"name": "Blank.txt", "mimeType": "text/plain", "buffer": b" "},
        {"name": "Empty.txt", "mimeType": "text/plain", "buffer": b""},
    ]
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add files").click()
    chooser.value.set_files(files)
    expect(page.get_by_role("row")).to_have_count(5)
    expect(page.get_by_role("alert")).to_contain_text("Empty.txt: This file is empty.")
    work_beside(app)
    expect(page.get_by_role("row").filter(has_text="Indexed")).to_have_count(3)
    expect(page.get_by_role("row").filter(has_text="Blank.txt")).to_contain_text("It holds no text")
    page.get_by_role("link", name="Plans.pptx").click()
    passages = page.get_by_role("list", name="Passages").get_by_role("listitem")
    expect(passages).to_have_count(2)
    expect(passages.nth(1)).to_contain_text("2 · Railway · Page 2")
    page.get_by_role("link", name="Long.md").click()
    expect(passages).to_have_count(50)
    page.get_by_role("button", name="More passages").click()
    expect(passages).to_have_count(100)

"""The built-in provider: answers quoted from the caller's own texts, and only from those."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from app.ai.passages import NOTHING
from app.testing.waiting import work
from tests.ai.chains import ask
from tests.storage.uploads.forms import sent

CRANE = "The tower crane may be forty metres high.\n\nIts hook carries two tonnes."
BOAT = "The ferry to the island leaves at noon."

RFCS = Path("/usr/share/doc/RFC")
CORPUS = (
    768, 791, 792, 826, 854, 903, 919, 959, 1034, 1035, 1055, 1112, 1122, 1123, 1191, 1288, 1350, 1661, 1662, 1870,
    1939, 1994, 2045, 2046, 2047, 2131, 2132, 2348, 2863, 2865, 3461, 3463, 3912, 4271, 4291, 4456, 4760, 4861,
    4862, 5036, 5321, 5322, 5531, 5681,
)  # fmt: skip
# Written before the answers were looked at.
QUESTIONS = {
    "How does a host find out which hardware address belongs to an IP address on an Ethernet?": 826,
    "Which command does a mail client use to delete a message from a POP3 mailbox?": 1939,
    "What block length tells the receiver that a TFTP transfer has ended?": 1350,
    "How long is a DHCP lease, and when do the T1 and T2 timers fire?": 2131,
    "What does slow start do while the congestion window is below ssthresh?": 5681,
    "How is the boundary between the parts of a multipart message marked?": 2046,
    "How does CHAP use a challenge and a secret to authenticate the peer?": 1994,
    "What does a BGP speaker do when the hold timer expires?": 4271,
    "How is an IPv6 address written with two colons in place of zeros?": 4291,
    "What reply code tells an SMTP client that the mailbox is unavailable?": 5321,
}
FOREIGN = ("What is the best recipe for apple pie?", "Who won the football world cup in 1998?")


def write(app, owner, title, content):
    identifier = owner.post("/api/documents", {"title": title, "content": content}).json["id"]
    work(app)
    return f"/api/documents/{identifier}"


def answer(owner, question, **body):
    response = ask(owner, question, **body)
    assert response.status_code == 200, response.json
    return response.get_data(as_text=True)


def test_the_best_passage_is_quoted_under_its_title(app, owner):
    write(app, owner, "Crane plan", CRANE)
    write(app, owner, "Timetable", BOAT)
    quoted = "**Crane plan**\n\n> The tower crane may be forty metres high.\n>\n> Its hook carries two tonnes.\n"
    assert answer(owner, "How high may the crane be?").startswith(quoted)


def test_nothing_fitting_is_said_plainly(app, owner):
    assert answer(owner, "How high may the crane be?") == NOTHING
    write(app, owner, "Timetable", BOAT)
    assert answer(owner, "Who painted the ceiling of the chapel?") == NOTHING
    assert answer(owner, "?") == NOTHING


def test_words_are_found_in_their_other_forms(app, owner):
    write(app, owner, "Timetable", "Ferries leave for the islands.")
    assert answer(owner, "Which ferry is leaving for the island?").startswith("**Timetable**")


def test_the_texts_of_others_are_never_quoted(app, owner, cast):
    write(app, owner, "Crane plan", CRANE)
    for stranger in (cast.user(), cast.user(role="admin")):
        assert answer(stranger, "How high may the crane be?") == NOTHING


def test_an_answer_follows_a_change_and_forgets_what_is_removed(app, owner):
    path = write(app, owner, "Crane plan", CRANE)
    owner.patch(path, {"content": "The tower crane may be sixty metres high."})
    work(app)
    assert "sixty" in answer(owner, "How high may the crane be?")
    assert "forty" not in answer(owner, "How high may the crane be?")
    owner.delete(path)
    assert answer(owner, "How high may the crane be?") == NOTHING
    (index,) = owner.get("/api/v1/ai-rag/index").json["data"]
    assert (index["documentCount"], index["chunkCount"]) == (0, 0)


def test_texts_that_are_the_same_are_kept_apart(app, owner):
    first = write(app, owner, "Crane plan", CRANE)
    second = write(app, owner, "Draft", "The password is swordfish.")
    owner.patch(second, {"content": CRANE})
    work(app)
    assert answer(owner, "What is the password?") == NOTHING
    owner.delete(first)
    assert answer(owner, "How high may the crane be?").startswith("**Draft**")


def test_an_entry_that_merely_names_a_document_is_not_quoted(app, owner, cast):
    """Anybody may refer to a public document, and write under its name."""
    document = write(app, owner, "Crane plan", CRANE).rpartition("/")[2]
    owner.put(f"/api/v1/storage/document/{document}", {"visibility": "public"})
    stranger = cast.user()
    index = stranger.post("/api/v1/ai-rag/index", {"name": "Documents"}).json["id"]
    entry = {"indexId": index, "title": "Crane plan", "content": "The account number of the crane is 666.",
             "sourceType": "document", "storageDocumentId": document}  # fmt: skip
    stored = stranger.post("/api/v1/ai-rag/document", entry)
    assert stored.status_code == 201, stored.json
    work(app)
    assert "666" not in answer(owner, "What is the account number of the crane?")
    owner.delete(f"/api/documents/{document}")
    assert stranger.get(f"/api/v1/ai-rag/document/{stored.json['id']}").status_code == 200


def test_a_knowledge_base_of_the_organization_is_quoted_by_its_members(app, owner, cast):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Cranes"}).json["id"]
    owner.post("/api/v1/ai-rag/document", {"indexId": index, "title": "Crane plan", "content": CRANE})
    work(app)
    assert answer(cast.colleague(owner), "How high may the crane be?").startswith("**Crane plan**")


def test_a_chat_may_name_the_knowledge_base_that_is_quoted(app, owner):
    write(app, owner, "Crane plan", CRANE)
    index = owner.post("/api/v1/ai-rag/index", {"name": "Empty"}).json["id"]
    chat = owner.post("/api/v1/ai/chat", {"indexId": index}).json["id"]
    assert answer(owner, "How high may the crane be?", id=chat) == NOTHING


def test_what_grants_keep_from_the_caller_is_not_quoted(app, owner, cast):
    write(app, owner, "Crane plan", CRANE)
    (index,) = owner.get("/api/v1/ai-rag/index").json["data"]
    chats = {"models": ["ai/chat", "ai/message", "ai/stream"], "operations": ["list", "read", "create", "update"]}
    reads = [{"models": ["ai-rag/index", "ai-rag/chunk"]}, {"models": ["ai-rag/document"], "operations": ["read"]}]
    for where, is_quoted in (({}, True), ({"title": "Timetable"}, False)):
        listed = {"models": ["ai-rag/document"], "operations": ["list"], "where": where}
        chat = owner.post("/api/v1/ai/chat", {"indexId": index["id"]}).json["id"]
        key = cast.key(owner, "write", access=[chats, *reads, listed])
        for body in ({}, {"id": chat}):
            assert ("forty" in answer(key, "How high may the crane be?", **body)) is is_quoted


@pytest.fixture(scope="module")
def reader(app, cast):
    """Somebody who has uploaded the RFCs and made documents of them."""
    owner = cast.user()
    for number in CORPUS:
        (path,) = (
            each for each in RFCS.rglob(f"rfc{number}.txt.gz") if "standard" in each.parent.name and each.is_file()
        )
        upload = sent(owner, gzip.decompress(path.read_bytes()), f"rfc{number}.txt", "text/plain").rpartition("/")[2]
        assert owner.post("/api/documents", {"uploadId": upload}).status_code == 201
    work(app)
    return owner


@pytest.mark.full
@pytest.mark.skipif(not RFCS.is_dir(), reason="the package doc-rfc-std is not installed")
def test_questions_about_real_documents_are_answered_from_the_right_one(reader):
    right = {}
    for question, number in QUESTIONS.items():
        first = re.match(r"\*\*rfc(\d+)\.txt\*\*", answer(reader, question))
        right[question] = first is not None and int(first[1]) == number
    assert sum(right.values()) >= 9, right


@pytest.mark.full
@pytest.mark.skipif(not RFCS.is_dir(), reason="the package doc-rfc-std is not installed")
@pytest.mark.parametrize("question", FOREIGN)
def test_questions_about_other_things_are_not_answered(reader, question):
    assert answer(reader, question) == NOTHING

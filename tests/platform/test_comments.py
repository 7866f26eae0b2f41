"""Comments on records: who reads and writes them, whom they name, and how long they stay."""

from __future__ import annotations

import pytest
from sqlalchemy import select, text

from app.ai.models.chats import AiChat
from app.ai_agent.models import AiAgentMessage
from app.crm.models import CrmContact, CrmDeal
from app.engine.declare.catalogue import every_model
from app.platform import comments
from app.storage.models import StorageDocument
from app.testing.database import transaction
from tests.auth.sharing.sharing import PARTLY, address, let_out, shared

MODELS = [model for model in every_model() if comments.takes_comments(model)]
OTHERS = [model for model in every_model() if model not in MODELS]
NOTIFICATIONS = "/api/v1/notification/notification"


def of(model, identifier, comment=None):
    return f"{model.collection_path()}/{identifier}/_comments" + (f"/{comment}" if comment else "")


def wrote(actor, model, identifier, text="They decide on Monday.", **given):
    made = actor.post(of(model, identifier), {"text": text, **given})
    assert made.status_code == 201, made.json
    return made.json


def texts(actor, model, identifier):
    return [each["text"] for each in actor.get(of(model, identifier)).json["data"]]


def kept(app, identifier):
    with app.app_context(), transaction() as session:
        found = select(comments.PlatformComment).where(comments.PlatformComment.record_id == identifier)
        return list(session.scalars(found))


def told(actor):
    return [(each["type"], each["title"], each["body"]) for each in actor.get(NOTIFICATIONS).json["data"]]


@pytest.fixture
def deal(workshop):
    return workshop.make(CrmDeal, name="Crane")["id"]


@pytest.fixture
def colleague(cast, owner):
    return cast.colleague(owner)


def test_a_comment_is_written_changed_and_removed(owner, deal):
    made = wrote(owner, CrmDeal, deal)
    assert (made["text"], made["own"], made["editedAt"]) == ("They decide on Monday.", True, None)
    assert made["author"]["id"] == str(owner.user_id)
    place = of(CrmDeal, deal, made["id"])
    changed = owner.put(place, {"text": "On Tuesday."}).json
    assert (changed["text"], changed["editedAt"] is not None) == ("On Tuesday.", True)
    assert owner.get(of(CrmDeal, deal)).json == {"data": [changed], "meta": {"count": 1, "take": 20, "skip": 0}}
    assert owner.delete(place).json == {"id": made["id"], "deleted": True}
    assert [owner.get(of(CrmDeal, deal)).json["data"], owner.delete(place).status_code] == [[], 404]


def test_the_newest_comment_comes_first_and_in_pages(owner, deal):
    for number in range(3):
        wrote(owner, CrmDeal, deal, f"{number}")
    assert texts(owner, CrmDeal, deal) == ["2", "1", "0"]
    page = owner.get(f"{of(CrmDeal, deal)}?take=1&skip=1").json
    assert ([each["text"] for each in page["data"]], page["meta"]["count"]) == (["1"], 3)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_who_does_not_read_a_record_learns_nothing_of_its_comments(cast, owner, workshop, model):
    made = workshop.make(model)["id"]
    reads = owner.get(f"{model.collection_path()}/{made}").status_code
    statuses = [actor.get(of(model, made)).status_code for actor in (owner, cast.user(), cast.admin, cast.nobody)]
    assert statuses == [reads, 404, 200, 401]


@pytest.mark.parametrize("model", OTHERS, ids=lambda model: model.qualified_name())
def test_what_is_everybodys_has_no_comments(cast, workshop, model):
    made = workshop.make(model)["id"]
    assert cast.admin.get(of(model, made)).status_code == 404


def test_a_public_record_shows_no_comments_to_the_public(cast, owner, workshop):
    document = workshop.make(StorageDocument, visibility="public")["id"]
    wrote(owner, StorageDocument, document)
    stranger = cast.user()
    assert stranger.get(f"{StorageDocument.collection_path()}/{document}").status_code == 200
    assert stranger.get(of(StorageDocument, document)).status_code == 404
    assert stranger.post(of(StorageDocument, document), {"text": "Hello"}).status_code == 404


def test_with_whom_a_record_is_shared_reads_and_writes_comments(owner, colleague, workshop):
    document = workshop.make(StorageDocument)["id"]
    wrote(owner, StorageDocument, document, "For you")
    assert colleague.get(of(StorageDocument, document)).status_code == 404
    shared(owner, StorageDocument, document, ("read", colleague))
    wrote(colleague, StorageDocument, document, "Thanks")
    assert texts(owner, StorageDocument, document) == ["Thanks", "For you"]


def test_an_organizations_comments_are_its_members_also_where_the_record_is_shared(cast, owner, deal):
    guest = cast.user()
    let_out(owner)
    shared(owner, CrmDeal, deal, ("write", {"email": address(guest)}))
    assert guest.get(f"{CrmDeal.collection_path()}/{deal}").status_code == 200
    assert guest.get(of(CrmDeal, deal)).status_code == 404


def test_who_reads_a_part_of_a_record_reads_no_comments(cast, owner, deal):
    narrow = cast.colleague(owner, access=[PARTLY])
    assert narrow.get(f"{CrmDeal.collection_path()}/{deal}").status_code == 200
    assert [narrow.get(of(CrmDeal, deal)).status_code, narrow.post(of(CrmDeal, deal), {"text": "x"}).status_code] == [
        403, 403,
    ]  # fmt: skip
    wrote(owner, CrmDeal, deal, mentions=[str(narrow.user_id)])
    assert told(narrow) == []


def test_managers_remove_comments_on_what_follows_a_record_of_their_organization(cast, owner, workshop):
    message = workshop.make(AiAgentMessage)["id"]
    colleague = cast.colleague(owner)
    theirs = wrote(colleague, AiAgentMessage, message)
    assert owner.get(of(AiAgentMessage, message)).json["data"][0]["removable"] is True
    assert owner.delete(of(AiAgentMessage, message, theirs["id"])).status_code == 200


def test_authors_change_their_comments_and_managers_remove_any(cast, owner, colleague, deal):
    theirs, another = wrote(colleague, CrmDeal, deal), cast.colleague(owner)
    place = of(CrmDeal, deal, theirs["id"])
    refused = [another.put(place, {"text": "x"}), another.delete(place), owner.put(place, {"text": "x"})]
    assert [each.status_code for each in refused] == [403, 403, 403]
    assert owner.get(of(CrmDeal, deal)).json["data"][0]["own"] is False
    assert owner.delete(place).status_code == 200


def test_a_comment_is_found_at_its_own_record_alone(owner, workshop, deal):
    made, other = wrote(owner, CrmDeal, deal), workshop.make(CrmDeal)["id"]
    contact = workshop.make(CrmContact)["id"]
    for place in (of(CrmDeal, other, made["id"]), of(CrmContact, contact, made["id"])):
        assert [owner.put(place, {"text": "x"}).status_code, owner.delete(place).status_code] == [404, 404]


def test_a_colleague_who_is_named_is_notified(owner, colleague, deal):
    wrote(owner, CrmDeal, deal, "@Ada please look", mentions=[str(colleague.user_id), str(owner.user_id)])
    name = owner.get(f"/api/v1/auth/user/{owner.user_id}").json["name"]
    assert told(colleague) == [("MENTION", f"{name} mentioned you", "@Ada please look")]
    (notification,) = colleague.get(NOTIFICATIONS).json["data"]
    assert notification["data"]["link"] == f"/console/crm/deal/{deal}/show"
    assert told(owner) == []


def test_who_does_not_see_the_record_hears_nothing_of_it(owner, colleague, workshop):
    chat = workshop.make(AiChat)["id"]
    wrote(owner, AiChat, chat, mentions=[str(colleague.user_id)])
    assert told(colleague) == []


def test_strangers_are_not_named(cast, owner, deal):
    said = {"mentions": ["Must be members of your organization."]}
    for somebody in (str(cast.user().user_id), "00000000-0000-4000-8000-000000000000"):
        answer = owner.post(of(CrmDeal, deal), {"text": "Hello", "mentions": [somebody]})
        assert (answer.status_code, answer.json["details"]["fields"]) == (400, said)
    assert texts(owner, CrmDeal, deal) == []


@pytest.mark.parametrize("given", [{}, {"text": ""}, {"text": "x" * 4001}, {"text": "x", "mentions": ["a"]}, []])
def test_what_is_no_comment_is_refused(owner, deal, given):
    assert owner.post(of(CrmDeal, deal), given).status_code == 400


def test_a_record_has_a_bounded_number_of_comments(owner, deal, monkeypatch):
    monkeypatch.setattr(comments, "MOST", 1)
    wrote(owner, CrmDeal, deal)
    assert owner.post(of(CrmDeal, deal), {"text": "Another"}).status_code == 409


def test_a_key_reads_and_writes_by_its_scopes_and_one_with_grants_not_at_all(cast, owner, deal):
    reads = cast.key(owner, "read")
    assert [reads.get(of(CrmDeal, deal)).status_code, reads.post(of(CrmDeal, deal), {"text": "x"}).status_code] == [
        200, 403,
    ]  # fmt: skip
    wrote(cast.key(owner, "write"), CrmDeal, deal)
    made = owner.post("/api/v1/auth/api-key", {"name": "partly", "scopes": ["read"], "access": [PARTLY]}).json["key"]
    headers = {"Authorization": f"Bearer {made}"}
    assert cast.nobody.get(f"{CrmDeal.collection_path()}/{deal}", headers=headers).status_code == 200
    assert cast.nobody.get(of(CrmDeal, deal), headers=headers).status_code == 403


def test_what_somebody_wrote_stays_when_they_go(cast, owner, colleague, deal):
    wrote(colleague, CrmDeal, deal)
    assert cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}").status_code == 200
    (left,) = owner.get(of(CrmDeal, deal)).json["data"]
    assert (left["author"], left["own"]) == (None, False)


def test_comments_come_back_with_their_record_and_go_with_what_the_log_has_of_it(app, owner, deal):
    wrote(owner, CrmDeal, deal)
    path = f"{CrmDeal.collection_path()}/{deal}"
    owner.delete(path)
    assert owner.get(of(CrmDeal, deal)).status_code == 404
    with app.app_context():
        comments.sweep()
    assert owner.post(f"{CrmDeal.collection_path()}/_deleted/{deal}/_restore").status_code == 200
    assert len(texts(owner, CrmDeal, deal)) == 1
    assert owner.delete(f"{path}?purge=true").status_code == 200
    assert kept(app, deal) == []


def test_comments_of_what_was_deleted_long_ago_are_swept(app, owner, deal):
    wrote(owner, CrmDeal, deal)
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM crm_deal WHERE id = :id"), {"id": deal})
        session.execute(text("DELETE FROM platform_change WHERE record_id = :id"), {"id": deal})
    with app.app_context():
        comments.sweep()
    assert kept(app, deal) == []

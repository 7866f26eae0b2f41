"""Streams of changes through real workers: what arrives, how it goes on after an interruption, and who may listen."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.crm.models import CrmCompany
from app.testing.database import transaction
from tests.end_to_end.service import free_port, gunicorn, started
from tests.notification.sse import EventStream

COMPANY, CHANGES = "/api/v1/crm/company", "/api/v1/_changes"
TICKET = "/api/integrations/teams/notifications/stream/ticket"


class ChangeEvents(EventStream):
    """The events of a stream, past those that have a place alone, which come with time."""

    def next(self):
        while (event := super().next()).name == "place":
            pass
        return event


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    """Where two workers listen."""
    port, log = free_port(), tmp_path_factory.mktemp("changes") / "log"
    with started(gunicorn(2), port, log, VAR_DIR=var_dir, STREAMS_PER_USER="3"):
        yield port


@pytest.fixture
def listen(port):
    """Opens streams, which end with the test."""
    opened = []

    def open_one(token=None, query="", last=""):
        opened.append(ChangeEvents(port, token, query=query, last=last, path=f"{CHANGES}/stream"))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def change(actor, company, **values):
    answer = actor.put(f"{COMPANY}/{company['id']}", values)
    assert answer.status_code == 200
    return answer.json


def test_a_change_arrives_with_the_record_as_it_is_and_a_page_says_the_same(listen, owner, workshop):
    company = workshop.make(CrmCompany, name="Harbour Works")
    stream = listen(owner.token)
    assert (stream.status, stream.response.headers["Content-Type"]) == (200, "text/event-stream")
    assert stream.response.headers["Cache-Control"] == "no-cache, no-transform"
    assert stream.next().name == "ready"
    since = stream.last_id
    changed = change(owner, company, industry="shipping")
    event = stream.next()
    page = owner.get(CHANGES, query_string={"since": since}).json
    assert (event.name, event.data) == ("update", page["data"][0])
    assert event.data["record"] == changed
    assert owner.get(CHANGES, query_string={"since": event.id}).json["data"] == []


def test_who_comes_back_misses_nothing_and_sees_nothing_twice(listen, owner, workshop):
    company = workshop.make(CrmCompany)
    stream = listen(owner.token)
    stream.next()
    change(owner, company, industry="shipping")
    last = stream.next().id
    stream.close()
    for name in ("One", "Two"):
        change(owner, company, name=name)
    for again in ({"last": last}, {"query": f"?since={last}"}):
        stream = listen(owner.token, **again)
        assert stream.next().name == "ready"
        assert [stream.next().data["version"] for _ in range(2)] == [3, 4]


def test_what_was_missed_long_ago_is_told_by_pages_before_what_is_new(listen, owner, workshop, app):
    company = workshop.make(CrmCompany)
    stream = listen(owner.token)
    stream.next()
    last = stream.last_id
    stream.close()
    made = [{"name": f"Number {number}"} for number in range(1000)]
    for _ in range(2):
        assert owner.post(COMPANY, made).status_code == 201
    stream = listen(owner.token, last=last)
    assert stream.next().name == "ready"
    names = [stream.next().data["record"]["name"] for _ in range(2000)]
    assert names == [each["name"] for each in made] * 2
    change(owner, company, industry="food")
    assert stream.next().data["recordId"] == company["id"]


def test_models_conditions_and_fields_are_chosen(listen, owner):
    query = '?models=crm/company&where={"industry":"food"}&fields=name'
    stream = listen(owner.token, query=query.replace('"', "%22"))
    stream.next()
    for name, industry in (("Cranes", "shipping"), ("Bread", "food")):
        owner.post(COMPANY, {"name": name, "industry": industry})
    event = stream.next()
    assert event.data["record"] == {"id": event.data["recordId"], "name": "Bread"}


def test_nobody_hears_of_what_is_not_theirs(listen, owner, cast, workshop):
    stranger = cast.user()
    mine, stream = workshop.make(CrmCompany), listen(stranger.token)
    stream.next()
    change(owner, mine, industry="shipping")
    own = stranger.post(COMPANY, {"name": "My own"}).json
    assert stream.next().data["recordId"] == own["id"]


def test_a_place_of_another_log_is_a_reset(listen, owner, app):
    stream = listen(owner.token)
    stream.next()
    last = stream.last_id
    stream.close()
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE platform_change_sequencer SET epoch = gen_random_uuid()"))
    stream = listen(owner.token, last=last)
    assert [stream.next().name, stream.next().name] == ["reset", "ready"]


@pytest.mark.parametrize("asked", ["?since=none", "?models=crm/nothing", "?take=5", "?where={}", "?other=1"])
def test_what_cannot_be_asked_is_refused(listen, owner, asked):
    assert listen(owner.token, query=asked).status == 400


def test_a_cursor_of_somebody_else_is_refused(listen, owner, cast):
    stream = listen(owner.token)
    stream.next()
    assert listen(cast.user().token, last=stream.last_id).status == 400


def test_a_ticket_opens_a_stream_once(listen, owner, workshop):
    ticket = owner.post(TICKET).json["token"]
    stream = listen(query=f"?token={ticket}&models=crm/company")
    assert stream.next().name == "ready"
    company = workshop.make(CrmCompany)
    assert stream.next().data["recordId"] == company["id"]
    assert listen(query=f"?token={ticket}").status == 401


def test_keys_hear_of_what_they_may_list_and_anonymous_ones_of_what_is_public(listen, owner, cast, workshop):
    own, anonymous = listen(cast.key(owner, "read").token), listen(cast.anonymous.token)
    own.next(), anonymous.next()
    company = workshop.make(CrmCompany)
    change(owner, company, visibility="public")
    assert [own.next().name, own.next().name] == ["create", "update"]
    assert (event := anonymous.next()).name == "create"
    assert event.data["recordId"] == company["id"]
    assert event.data["actor"]["id"] is None


def test_a_user_may_open_so_many_streams_in_a_worker(listen, owner):
    streams = [listen(owner.token) for _ in range(7)]
    refused = [stream for stream in streams if stream.status == 429]
    assert 3 <= len(streams) - len(refused) <= 6, "two workers with three each"


def test_an_impersonating_session_hears_nothing(listen, cast, owner):
    session = cast.admin.post("/api/auth/impersonate", {"userId": str(owner.user_id)})
    assert listen(session.json["token"]).status == 403


def test_nobody_listens_without_a_credential(listen):
    assert listen().status == 401

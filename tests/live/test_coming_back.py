"""Streams that come back with a place behind the others, one or many at once."""

from __future__ import annotations

import pytest

from app.engine.changes import feed, sequencer
from app.foundation.errors import RateLimited, Unavailable
from app.live import changes
from tests.live.conftest import Listener

COMPANY = "/api/v1/crm/company"


@pytest.fixture
def short(monkeypatch):
    """Looks of ten changes; whoever is more than three behind has looks of their own."""
    monkeypatch.setattr(changes, "BATCH_SIZE", 10)
    monkeypatch.setattr(changes, "NEAR", 3)


@pytest.fixture
def place(app, floor, owner):
    """A place behind which thirty changes are."""
    listener = floor.open(owner)
    listener.stream.close()
    owner.post(COMPANY, [{"name": f"Number {number}"} for number in range(30)])
    with app.app_context():
        sequencer.number_all()
    floor.listeners.clear()
    return listener.last


def looks(floor, monkeypatch):
    """How many looks at the log all listeners together take, until they have heard of everything."""
    seen, plain = [], changes.candidates
    with monkeypatch.context() as patch:
        patch.setattr(changes, "candidates", lambda *asked: seen.append(1) or plain(*asked))
        floor.look(check=False)
    return len(seen)


@pytest.mark.usefixtures("short")
def test_many_who_come_back_are_served_by_the_looks_of_one(floor, owner, place, monkeypatch):
    floor.open(owner, since=place)
    of_one = looks(floor, monkeypatch)
    for each in floor.listeners:
        each.stream.close()
    floor.listeners.clear()
    many = [floor.open(owner, since=place) for _ in range(5)]
    assert looks(floor, monkeypatch) == of_one == 3
    for each in many:
        names = [data["record"]["name"] for _, data in each.heard()]
        assert names == [f"Number {number}" for number in range(30)]


@pytest.mark.usefixtures("short")
def test_what_somebody_has_missed_keeps_nobody_waiting(floor, owner, place):
    late, other = floor.open(owner, since=place), floor.open(owner)
    owner.post(COMPANY, {"name": "New"})
    floor.broadcaster.wake(None)
    floor.broadcaster.poll()
    assert [data["record"]["name"] for _, data in other.heard()] == ["New"]
    assert len(late.heard()) == 10


@pytest.mark.usefixtures("short")
def test_many_who_come_back_take_turns(floor, owner, place, monkeypatch):
    monkeypatch.setattr(changes, "LATE_PAIRS", 15)
    many = [floor.open(owner, since=place) for _ in range(3)]
    floor.broadcaster.wake(None)
    floor.broadcaster.poll()
    assert sorted(len(each.heard()) for each in many) == [0, 0, 10]
    floor.look(check=False)
    assert sum(len(each.heard()) for each in many) == 80


@pytest.mark.usefixtures("short")
def test_who_does_not_read_what_was_missed_gets_no_more_of_it(floor, owner, place, monkeypatch):
    monkeypatch.setattr(changes.ChangeStream, "has_room", property(lambda self: self.queue.qsize() < 5))
    late = floor.open(owner, since=place)
    floor.look(check=False)
    assert len(late.heard()) == 10
    floor.look(check=False)
    assert len(late.heard()) == 10


def test_who_comes_back_has_nothing_numbered(floor, owner, place, monkeypatch):
    def number():
        pytest.fail("ten thousand do so at once")

    with monkeypatch.context() as patch:
        patch.setattr(feed.sequencer, "number_changes", number)
        late = floor.open(owner, since=place)
    floor.look(check=False)
    assert len(late.heard()) == 30


def test_who_waits_for_room_leaves_when_the_process_ends(app, floor, owner, place, monkeypatch):
    monkeypatch.setattr(changes, "JOINS", 5)
    monkeypatch.setattr(changes, "NO_ROOM", 0)
    with app.test_request_context():
        listener = Listener(app, floor.broadcaster, owner, since=place)

    def away(*asked):
        raise Unavailable

    monkeypatch.setattr(changes, "reload_principals", away)
    sent = iter(listener.stream)
    assert [b"event: ready" in next(sent), next(sent)] == [True, b": hb\n\n"]
    listener.stream.end()
    assert list(sent) == [b"event: bye\ndata: {}\n\n"]


def test_who_is_far_behind_waits_for_room(app, floor, owner, place, monkeypatch):
    monkeypatch.setattr(changes, "JOINS", 5)
    monkeypatch.setattr(changes, "NO_ROOM", 0)
    refusals, plain = [RateLimited("Too many queries")], feed.changes_behind

    def behind(*asked):
        if refusals:
            raise refusals.pop()
        return plain(*asked)

    monkeypatch.setattr(feed, "changes_behind", behind)
    with app.test_request_context():
        listener = Listener(app, floor.broadcaster, owner, since=place)
    floor.listeners.append(listener)
    sent = iter(listener.stream)
    assert b"event: ready" in next(sent)
    assert next(sent) == b": hb\n\n"
    assert next(sent).count(b"event: create") == 30

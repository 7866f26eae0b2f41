"""The live stream through real workers: what arrives, what is replayed, who may listen, and how it ends."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import psutil
import pytest
from sqlalchemy import update

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser, AuthVerification
from app.foundation.clock import now
from app.notification.routing import notify
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import await_true
from tests.end_to_end.service import free_port, gunicorn, started
from tests.notification.sse import EventStream

NOTIFICATION = "/api/v1/notification/notification"
TICKET = "/api/integrations/teams/notifications/stream/ticket"
FIELDS = {"id", "userId", "type", "title", "body", "data", "createdAt", "readAt"}


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    """Where two workers listen."""
    port, log = free_port(), tmp_path_factory.mktemp("stream") / "log"
    with started(gunicorn(2), port, log, VAR_DIR=var_dir, STREAMS_PER_USER="3"):
        yield port


@pytest.fixture
def send(app, owner):
    """Notifies the owner, from another process than the one that streams."""

    def send(title, user=owner):
        with app.app_context(), unit_of_work() as unit:
            notify(unit, user.user_id, "MESSAGE", title, "see canvas 7", {"canvasId": "cv_7"})

    return send


def titles(events):
    return [event.data["title"] for event in events]


def test_a_notification_arrives_as_an_unnamed_event_with_its_sequence(port, owner, send):
    with EventStream(port, owner.token) as stream:
        assert (stream.status, stream.response.headers["Content-Type"]) == (200, "text/event-stream")
        assert stream.response.headers["Cache-Control"] == "no-cache, no-transform"
        assert stream.response.headers["X-Accel-Buffering"] == "no"
        assert stream.next().name == "ready"
        send("Ada wrote")
        (event,) = stream.messages(1)
        stored = owner.get(NOTIFICATION).json["data"][0]
        assert set(event.data) == FIELDS
        assert {name: stored[name] for name in FIELDS} == event.data
        assert event.id == str(stored["sequence"])


def test_what_was_delivered_is_marked(port, owner, send):
    with EventStream(port, owner.token) as stream:
        stream.next()
        send("Ada wrote")
        stream.messages(1)
        await_true(lambda: owner.get(NOTIFICATION).json["data"][0]["deliveryStatus"] == "delivered")


def test_every_stream_of_a_user_hears_it_and_nobody_else(port, owner, send, cast):
    stranger = cast.user()
    streams = [EventStream(port, who.token) for who in (owner, owner, stranger)]
    for stream in streams:
        stream.next()
    send("For the owner")
    send("For the stranger", stranger)
    heard = [titles(stream.messages(1)) for stream in streams]
    assert heard == [["For the owner"], ["For the owner"], ["For the stranger"]]
    for stream in streams:
        stream.close()


def test_who_comes_back_misses_nothing_and_sees_nothing_twice(port, owner, send):
    with EventStream(port, owner.token) as stream:
        stream.next()
        send("One")
        last = stream.messages(1)[0].id
    for title in ("Two", "Three"):
        send(title)
    with EventStream(port, owner.token, last=last) as stream:
        assert titles(stream.messages(2)) == ["Two", "Three"]
        send("Four")
        assert titles(stream.messages(1)) == ["Four"]


def test_the_place_is_known_before_the_first_event(port, owner, send):
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"
        last = stream.last_id
    send("Meanwhile")
    with EventStream(port, owner.token, query=f"?lastEventId={last}") as stream:
        assert titles(stream.messages(1)) == ["Meanwhile"]


def test_a_new_stream_begins_now(port, owner, send):
    send("Long ago")
    with EventStream(port, owner.token) as stream:
        stream.next()
        send("Now")
        assert titles(stream.messages(1)) == ["Now"]


@pytest.mark.parametrize(("number", "data"), [(1001, {}), (70, {"text": "x" * 16_000})])
def test_too_much_missed_is_a_reset(port, app, owner, send, number, data):
    with EventStream(port, owner.token) as stream:
        stream.next()
        last = stream.last_id
    with app.app_context(), unit_of_work() as unit:
        for _ in range(number):
            notify(unit, owner.user_id, "MESSAGE", "One of many", "", data)
    with EventStream(port, owner.token, last=last) as stream:
        assert [stream.next().name, stream.next().name] == ["reset", "ready"]
        send("After")
        assert titles(stream.messages(1)) == ["After"]


def test_a_place_that_is_not_of_this_database_is_a_reset(port, owner):
    with EventStream(port, owner.token, last="9007199254740000") as stream:
        assert stream.next().name == "reset"


@pytest.mark.parametrize("last", ["abc", "-1", "1.5", "1" * 17])
def test_a_place_that_is_none_is_refused(port, owner, last):
    with EventStream(port, owner.token, last=last) as stream:
        assert stream.status == 400


def test_what_is_committed_late_is_not_passed_over(port, app, owner, send):
    """The number of a notification is taken before the commit: a later one must not overtake it."""

    def overtake():
        with ThreadPoolExecutor(1) as pool:
            second = pool.submit(send, "Second")
            with suppress(TimeoutError):
                second.result(0.5)  # it waits for the first; should it not, it is given time to be sent
                time.sleep(0.3)
            yield second

    with EventStream(port, owner.token) as stream:
        stream.next()
        with app.app_context(), unit_of_work() as unit:
            notify(unit, owner.user_id, "MESSAGE", "First")
            racing = overtake()
            next(racing)
        list(racing)
        heard = stream.messages(2)
    assert titles(heard) == ["First", "Second"]
    assert int(heard[0].id) < int(heard[1].id)


def test_a_browser_may_listen_with_its_cookie(port, app, owner):
    with app.app_context(), unit_of_work() as unit:
        cookie = sessions.open_session(unit, unit.session.get_one(AuthUser, owner.user_id)).cookie
    today = now().strftime("%Y%m%d")
    with EventStream(port, cookie=f"session={cookie}.{today}") as stream:
        assert stream.next().name == "ready"


def test_a_ticket_opens_a_stream_once(port, owner, send):
    ticket = owner.post(TICKET)
    assert (ticket.status_code, set(ticket.json)) == (201, {"token", "expiresAt"})
    query = f"?token={ticket.json['token']}"
    with EventStream(port, query=query) as stream:
        assert stream.next().name == "ready"
        send("Hello")
        assert titles(stream.messages(1)) == ["Hello"]
    with EventStream(port, query=query) as again:
        assert again.status == 401


def test_a_ticket_dies_with_its_minute_and_its_session(port, app, owner):
    old, orphan = (owner.post(TICKET).json["token"] for _ in range(2))
    digest = app.extensions["vault"].digest(old)
    with app.app_context(), transaction() as session:
        old_one = update(AuthVerification).where(AuthVerification.identifier == digest)
        assert session.execute(old_one.values(expires_at=now())).rowcount == 1
    owner.post("/api/auth/signout")
    for token in (old, orphan, "made-up"):
        with EventStream(port, query=f"?token={token}") as stream:
            assert stream.status == 401


def test_keys_may_listen_but_get_no_tickets(port, owner, send, cast):
    key = cast.key(owner, "read")
    assert key.post(TICKET).status_code == 403
    with EventStream(port, key.token) as stream:
        stream.next()
        send("For the key")
        assert titles(stream.messages(1)) == ["For the key"]
    for token, status in ((cast.anonymous.token, 403), (None, 401)):
        with EventStream(port, token) as stream:
            assert stream.status == status


def test_a_user_may_open_so_many_streams_in_a_worker(port, owner):
    streams = [EventStream(port, owner.token) for _ in range(7)]
    try:
        refused = [stream for stream in streams if stream.status == 429]
        assert 3 <= len(streams) - len(refused) <= 6, "two workers with three each"
        assert refused[0].response.headers["Retry-After"]
    finally:
        for stream in streams:
            stream.close()


WAYS = ("signed out", "banned", "key revoked", "owner of the key banned", "key kept to other addresses", "key narrowed")


@pytest.fixture(scope="module")
def ended(port, cast):
    """Streams of credentials that ended, each in its way; all at once, as they are looked at every five seconds."""
    streams = {}
    with ExitStack() as stack:
        for how in WAYS:
            owner = cast.user()
            key = cast.key(owner, "read")
            streams[how] = stack.enter_context(EventStream(port, key.token if "key" in how else owner.token))
            assert streams[how].next().name == "ready"
            if how == "signed out":
                owner.post("/api/auth/signout")
            elif "banned" in how:
                cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"banned": True})
            else:
                own = f"/api/v1/auth/api-key/{owner.get('/api/v1/auth/api-key').json['data'][0]['id']}"
                kept = {"access": []} if how == "key narrowed" else {"ipAllowList": ["10.0.0.0/255.0.0.0"]}
                ends = owner.delete(own) if how == "key revoked" else owner.patch(own, kept)
                assert ends.status_code == 200
        yield streams


@pytest.mark.parametrize("how", WAYS)
def test_a_stream_ends_when_its_credential_does(ended, how):
    assert ended[how].next().name == "bye"
    with pytest.raises(EOFError):
        ended[how].next()


@pytest.mark.full
def test_a_stop_ends_streams_in_good_order(app, var_dir, cast, tmp_path):
    owner, port = cast.user(), free_port()
    with started(gunicorn(1), port, tmp_path / "log", VAR_DIR=var_dir) as process:
        stream = EventStream(port, owner.token)
        stream.next()
        process.send_signal(signal.SIGTERM)
        assert stream.next().name == "bye"
        with pytest.raises(EOFError):
            stream.next()
        stream.close()
        assert process.wait(20) == 0


@pytest.mark.full
def test_a_stream_goes_on_over_a_killed_worker(app, var_dir, cast, tmp_path):
    owner, port = cast.user(), free_port()
    with started(gunicorn(1), port, tmp_path / "log", VAR_DIR=var_dir) as process:
        with EventStream(port, owner.token) as stream:
            stream.next()
            last = stream.last_id
            for child in psutil.Process(process.pid).children():
                child.kill()
            with pytest.raises(EOFError):
                stream.next()
        with app.app_context(), unit_of_work() as unit:
            notify(unit, owner.user_id, "MESSAGE", "While nobody listened")
        with EventStream(port, owner.token, last=last) as stream:
            assert titles(stream.messages(1)) == ["While nobody listened"]

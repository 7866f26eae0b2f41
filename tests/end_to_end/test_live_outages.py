"""Live notifications while parts go away under them, and behind a real nginx."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from uuid import UUID

import pytest

from app.auth.models.identity import AuthAccount
from app.factory import create_app
from app.jobs import registry
from app.live.stream import HEARTBEAT
from app.notification.routing import notify
from app.runtime import connections
from app.runtime.embedded import Postgres, Redis
from app.schema.histories import upgrade
from app.testing.cast import Cast
from app.testing.database import transaction, unit_of_work
from app.testing.parts import UNSAFE_BUT_FAST
from app.testing.waiting import await_true
from config import ROOT, Settings
from tests.end_to_end.proxies import nginx
from tests.end_to_end.service import free_port, gunicorn, started
from tests.notification.sse import EventStream
from tests.teams.microsoft import TENANT

pytestmark = pytest.mark.full

USERS, EACH = 20, 10
NOTIFICATION = "/api/v1/notification/notification"


class Parts:
    """A PostgreSQL, a Redis and a service that a test may stop."""

    def __init__(self, folder):
        self.folder = folder
        self.postgres, self.redis = Postgres(folder, UNSAFE_BUT_FAST), Redis(folder)
        self.postgres.start()
        self.redis.start()
        self.app = create_app(Settings(var_dir=folder, default_limit="1000000 per minute"))
        with self.app.app_context():
            upgrade()
        self.cast = Cast(self.app)

    def tell(self, actor, title):
        with self.app.app_context(), unit_of_work() as unit:
            notify(unit, actor.user_id, "MESSAGE", title)

    def forget(self):
        with self.app.app_context():
            connections.close_all()


@pytest.fixture(scope="module")
def parts():
    folder = tempfile.mkdtemp(prefix="rgl-")
    made = Parts(folder)
    yield made
    made.forget()
    made.postgres.stop()
    made.redis.stop()
    shutil.rmtree(folder)


@pytest.fixture
def port(parts, tmp_path):
    port = free_port()
    settings = {"DEFAULT_LIMIT": "1000000 per minute", "STREAMS_PER_USER": str(EACH)}
    with started(gunicorn(2), port, tmp_path / "log", VAR_DIR=parts.folder, **settings):
        yield port


def titles(stream, number):
    return [event.data["title"] for event in stream.messages(number)]


def test_two_hundred_streams_miss_nothing_while_redis_is_killed_and_comes_back(parts, port):
    people = [parts.cast.user() for _ in range(USERS)]
    with ExitStack() as stack:
        streams = [(who, stack.enter_context(EventStream(port, who.token))) for who in people for _ in range(EACH)]
        for _, stream in streams:
            assert stream.next().name == "ready"
        parts.redis.stop()
        for who in people:
            parts.tell(who, "While Redis was away")
        parts.redis.start()
        for who in people:
            parts.tell(who, "After it came back")
        for _, stream in streams:
            assert titles(stream, 2) == ["While Redis was away", "After it came back"]


def test_streams_go_on_over_a_restart_of_the_database(parts, port):
    owner = parts.cast.user()
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"
        parts.forget()
        parts.postgres.stop()
        time.sleep(1)  # the broadcaster meets the absence
        parts.postgres.start()
        parts.tell(owner, "After the restart")
        assert titles(stream, 1) == ["After the restart"]


KILLED = """
import os, signal
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.factory import create_app
from app.teams import activities, inbox, processing
from config import ROOT, Settings
handle = processing.handle
def handle_and_die(unit, event):
    handle(unit, event)
    unit.session.flush()
    os.kill(os.getpid(), signal.SIGKILL)
with create_app(Settings(var_dir={folder!r})).app_context():
    (stored,) = run_unit(SYSTEM, inbox.receive, [activities.arrival({activity!r})])
    print(stored, flush=True)
    if {processing}:
        processing.handle = handle_and_die
        processing.process(stored)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("in_the_middle", [False, True])
def test_a_process_that_is_killed_leaves_the_effects_there_once(parts, in_the_middle):
    ada = parts.cast.user()
    object_id = f"ada-{ada.user_id}"
    with parts.app.app_context(), transaction() as session:
        issuer = f"https://login.microsoftonline.com/{TENANT}/v2.0"
        account = AuthAccount(user_id=ada.user_id, provider_id="microsoft", issuer=issuer, account_id=object_id)
        session.add(account)
    activity = {
        "type": "message", "id": "1", "channelId": "msteams", "serviceUrl": "https://smba.trafficmanager.net/emea/",
        "from": {"id": "29:u1", "name": "Ada", "aadObjectId": object_id}, "recipient": {"id": "28:bot"},
        "conversation": {"id": f"19:{object_id}", "conversationType": "channel", "tenantId": TENANT}, "text": "Hi",
    }  # fmt: skip
    script = KILLED.format(folder=parts.folder, activity=activity, processing=in_the_middle)
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert UUID(run.stdout.strip())
    spoken = "/api/v1/analytics/activity?activityType=BOT_MESSAGE"
    assert ada.get(spoken).json["meta"]["count"] == 0
    for _ in range(2):
        registry.work(parts.app, concurrency=1, until_empty=True)
    assert ada.get(spoken).json["meta"]["count"] == 1


@pytest.fixture
def proxied(port, tmp_path):
    """nginx in front of the service, with the shipped configuration."""
    with nginx([port], tmp_path) as front:
        yield front


def test_a_stream_passes_nginx_unbuffered(parts, proxied):
    owner = parts.cast.user()
    with EventStream(proxied, owner.token) as stream:
        assert stream.next().name == "ready"
        begun = time.monotonic()
        parts.tell(owner, "Through the proxy")
        assert titles(stream, 1) == ["Through the proxy"]
        assert time.monotonic() - begun < HEARTBEAT


def test_the_service_learns_behind_nginx_that_listeners_have_left(parts, proxied):
    owner = parts.cast.user()
    streams = [EventStream(proxied, owner.token) for _ in range(2 * EACH + 1)]
    assert [stream for stream in streams if stream.status == 429], "two workers with so many each"
    for stream in streams:
        stream.close()

    def admitted():
        parts.tell(owner, "Is anybody there?")  # whoever has left is noticed when something is written
        with EventStream(proxied, owner.token) as stream:
            return stream.status == 200

    await_true(lambda: all(admitted() for _ in range(3)), 30)

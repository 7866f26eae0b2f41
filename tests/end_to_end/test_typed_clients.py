"""The generated clients: they build, and their examples pass strict type checkers and take the tour of a service."""

from __future__ import annotations

import re
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.notification.routing import notify
from app.testing.database import unit_of_work
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.packages import BIN, TSC, run
from tests.end_to_end.scripted import REFUSED, Answer, scripted
from tests.end_to_end.service import free_port, gunicorn, started

pytestmark = pytest.mark.full

TESTS = ROOT / "tests"
TYPOS = TESTS / "end_to_end" / "typos"
READY = "retry: 1\nevent: ready\nid: 7\ndata: {}\n\n"


@pytest.fixture(scope="module")
def typescript(compiled):
    """The TypeScript tour."""
    return [BIN / "node", compiled / "tour.js"]


@pytest.fixture(scope="module")
def python(interpreter, checked):
    """The Python tour."""
    return [interpreter, checked / "tour.py"]


@pytest.fixture(params=["typescript", "python"])
def follow(request):
    """Follow the notifications of a scripted service till it refuses; gives the lines that the follower prints."""
    if request.param == "typescript":
        request.getfixturevalue("made")
        command = [BIN / "node", TESTS / "node" / "follow.mjs"]
    else:
        command = [request.getfixturevalue("interpreter"), TESTS / "end_to_end" / "follower.py"]
    return lambda address, *options: run(*command, address, *options).splitlines()


@contextmanager
def touring(command, port, email, log):
    with log.open("w") as output:
        address = f"http://127.0.0.1:{port}"
        process = subprocess.Popen([*map(str, command), address, email, "2"], stdout=output, stderr=output)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def open_streams(port):
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return float(re.findall(r"(?m)^rowgate_open_streams (.*)$", answer.read().decode())[0])


@dataclass(frozen=True)
class Tour:
    """A tour under way, whose it is, and what it says."""

    process: subprocess.Popen[bytes]
    email: str
    log: Path

    def has_said(self, text):
        assert self.process.poll() in (None, 0), self.log.read_text()
        return text in self.log.read_text()


@pytest.fixture
def tours(typescript, python, tmp_path):
    """Begins the tours of both languages at a port."""
    with ExitStack() as stack:

        def begin(port):
            begun = []
            for language, command in (("typescript", typescript), ("python", python)):
                email, log = f"{language}-{uuid4().hex[:8]}@example.com", tmp_path / f"{language}.log"
                begun.append(Tour(stack.enter_context(touring(command, port, email, log)), email, log))
            return begun

        yield begin


def test_the_tours_go_on_through_a_restart(app, var_dir, tmp_path, tours):
    port, settings = free_port(), {"VAR_DIR": var_dir, "DEFAULT_LIMIT": "1000000 per minute"}

    def tell(tour, title):
        with app.app_context(), unit_of_work() as unit:
            who = select(AuthUser.id).where(AuthUser.email == tour.email)
            notify(unit, unit.session.scalar(who), "MESSAGE", title)

    # A stop waits for connections that may still send a request; these may not for long.
    hasty = [*gunicorn(), "--keep-alive", "1"]
    with started(hasty, port, tmp_path / "one.log", **settings):
        both = tours(port)
        await_true(lambda: all(tour.has_said("chat ") for tour in both), 60)
        assert all(tour.has_said("uploaded: content") for tour in both)
        await_true(lambda: open_streams(port) == len(both), 30)
        for tour in both:
            tell(tour, "Before the restart")
        await_true(lambda: all(tour.has_said("notification: Before the restart") for tour in both))
    for tour in both:
        tell(tour, "During the restart")
    with started(gunicorn(), port, tmp_path / "two.log", **settings):
        for tour in both:
            assert tour.process.wait(60) == 0, tour.log.read_text()
    for tour in both:
        said = [line for line in tour.log.read_text().splitlines() if not line.startswith(("place: ", "uploaded: "))]
        assert said[0] == "deals: New cranes"
        assert said[1].startswith("chat ")
        assert tour.has_said("Nothing in your documents")
        assert said[-2:] == ["notification: Before the restart", "notification: During the restart"]


def notification(number, title):
    return f'id: {number}\ndata: {{"title": "{title}"}}\n\n'


def test_a_follower_goes_on_after_a_heartbeat(follow):
    with scripted(Answer(READY + ": hb\n\n" + notification(8, "After it")), REFUSED) as service:
        assert follow(service.url) == ["notification: After it", "refused: 401"]


def test_a_follower_goes_on_where_it_was(follow):
    with scripted(Answer(READY), Answer(notification(8, "One")), Answer(""), REFUSED) as service:
        follow(service.url + "/")
    assert [request.headers["Last-Event-ID"] for request in service.requests] == [None, "7", "8", "8"]
    assert {request.path for request in service.requests} == {"/api/integrations/teams/notifications/stream"}


def test_a_follower_waits_as_long_as_the_service_asks(follow):
    busy = Answer('{"error": "Too many open streams"}', 429, {"Retry-After": "1"})
    with scripted(Answer(READY), busy, REFUSED) as service:
        follow(service.url)
    _, asked, again = service.requests
    assert again.moment - asked.moment >= 1


def test_a_follower_tells_of_a_reset_before_what_follows(follow):
    reset = "event: reset\ndata: {}\n\n" + READY + notification(8, "After it")
    with scripted(Answer(reset), REFUSED) as service:
        assert follow(service.url) == ["reset", "notification: After it", "refused: 401"]


def test_what_the_caller_did_wrong_is_not_tried_again(follow):
    with scripted(Answer("event: reset\ndata: {}\n\n"), REFUSED) as service:
        assert follow(service.url, "--break-on-reset") == ["reset", "broken: on reset"]
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["http://127.0.0.1:9", "--break-token"], "broken: token"), (["nowhere"], "broken: Invalid URL")],
)
def test_what_can_never_succeed_in_typescript_is_told_at_once(made, arguments, said):
    assert run(BIN / "node", TESTS / "node" / "follow.mjs", *arguments).splitlines() == [said]


def test_what_is_no_notification_is_not_tried_again(follow):
    with scripted(Answer(READY + "data: {\n\n"), REFUSED) as service:
        assert follow(service.url) == ["broken: JSON"]


WITHOUT_CREDENTIAL = {
    "typescript": """
import { createRowgate } from "./dist/index.js";
console.log((await createRowgate({ baseUrl: process.argv[1] }).crm.deal.list()).data.length);
""",
    "python": """
import sys
from rowgate_client import AuthenticatedClient
from rowgate_client.models import Rowgate
print(len(Rowgate(AuthenticatedClient(sys.argv[1], token="")).crm.deal.list()["data"]))
""",
}


@pytest.mark.parametrize("language", WITHOUT_CREDENTIAL)
def test_a_client_without_a_credential_sends_none(made, interpreter, language):
    script = WITHOUT_CREDENTIAL[language]
    with scripted(
        Answer('{"data": [], "meta": {"count": 0}}', headers={"Content-Type": "application/json"})
    ) as service:
        if language == "typescript":
            command = [BIN / "node", "--input-type=module", "-e", script, service.url]
        else:
            command = [interpreter, "-c", script, service.url]
        assert run(*command, cwd=ROOT / "clients" / "typescript").strip() == "0"
    assert [request.headers["Authorization"] for request in service.requests] == [None]


def marked(path):
    """The lines that say of themselves that they are refused."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {number for number, line in lines if line.endswith(("// refused", "# refused"))}


def complained_of(path, *command, pattern):
    """The lines of ``path`` that a type checker complains of; it complains of no other file."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=300, cwd=TYPOS)
    found = re.findall(pattern, done.stdout, re.MULTILINE)
    assert {Path(name).name for name, _ in found} == {path.name}, done.stdout + done.stderr
    return {int(number) for _, number in found}


def test_typos_do_not_compile_in_typescript(made):
    path = TYPOS / "typos.mts"
    command = [BIN / "node", TSC, "--project", TYPOS, "--strict", "--pretty", "false"]
    assert complained_of(path, *command, pattern=r"^(\S+)\((\d+),\d+\): error") == marked(path)


def test_typos_do_not_pass_mypy_in_python(mypy):
    path = TYPOS / "typos.py"
    assert complained_of(path, *mypy, path.name, pattern=r"^(\S+):(\d+): error") == marked(path)

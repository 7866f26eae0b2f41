"""Starts that are broken off: they end at once with one sentence, leave no process, and the next start works."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from app.testing.waiting import await_true
from tests.end_to_end.service import FLASK, ROOT, await_answer, environment, free_port
from tests.end_to_end.test_stop import processes_of

pytestmark = pytest.mark.full

# What ends take is bounded; none of them waits for the step that it breaks off.
BOUND = 20
STEPS = ["migrating", "made the first admin", "starting the worker", "starting 2 workers"]


@pytest.fixture
def folder():
    made = tempfile.mkdtemp(prefix="rgs-")
    yield Path(made)
    shutil.rmtree(made)


class Start:
    """A ``flask serve`` on a folder."""

    def __init__(self, folder):
        self.folder, self.port, self.log = folder, free_port(), folder / f"{time.monotonic_ns()}.log"
        env = environment(VAR_DIR=str(folder / "var"), PORT=str(self.port), STOP_GRACE="2", WORKERS="2")
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*FLASK, "serve"], cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True
            )

    def said(self):
        return self.log.read_text()

    def check_end(self, number):
        """Ask it to end, and see that it does, with one sentence."""
        begun = time.monotonic()
        self.process.send_signal(number)
        assert self.process.wait(60) == 0, self.said()
        assert time.monotonic() - begun < BOUND
        assert self.said().endswith("rowgate: stopped\n"), self.said()
        self.check_trace()

    def check_trace(self):
        assert "Traceback" not in self.said(), self.said()
        assert "Exception ignored" not in self.said(), self.said()
        assert processes_of(self.folder) == []

    def check_work(self):
        """See that it works, and stop it."""
        await_answer(f"http://127.0.0.1:{self.port}/healthz", self.process, self.log)
        with urlopen(f"http://127.0.0.1:{self.port}/readyz") as answer:
            assert answer.status == 200
        self.check_end(signal.SIGTERM)


def test_a_first_start_that_is_broken_off_while_the_data_folder_is_made_leaves_none(folder):
    start = Start(folder)
    await_true(lambda: list((folder / "var").glob("postgres.new-*/PG_VERSION")))
    start.check_end(signal.SIGINT)
    assert not (folder / "var" / "postgres").exists()
    assert list((folder / "var").glob("postgres.new-*")) == []
    Start(folder).check_work()


def test_a_start_that_is_broken_off_again_and_again_works_at_last(folder):
    for place, step in enumerate(STEPS):
        start = Start(folder)
        await_true(lambda start=start, step=step: step in start.said())
        start.check_end((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[place % 3])
    Start(folder).check_work()


def test_what_a_start_that_was_killed_in_the_making_has_left_is_removed(folder):
    start = Start(folder)
    await_true(lambda: list((folder / "var").glob("postgres.new-*/PG_VERSION")))
    start.process.kill()
    start.process.wait()
    Start(folder).check_work()
    assert list((folder / "var").glob("postgres.new-*")) == []


def test_a_start_at_once_after_one_that_was_killed_waits_for_what_that_has_left(folder):
    killed = Start(folder)
    await_true(lambda: "UI at" in killed.said())
    parts = psutil.Process(killed.process.pid).children()
    (keeper,) = (each for each in parts if "app.runtime.keeper" in each.cmdline())
    keeper.suspend()
    killed.process.kill()
    killed.process.wait()
    second = Start(folder)
    await_true(lambda: "An earlier start was killed: waiting until its parts have ended" in second.said())
    keeper.resume()
    second.check_work()


def test_a_signal_in_any_moment_of_a_start_ends_it(folder, request):
    """With --fuzz-starts: a signal in every so many milliseconds of a first start, and of a later one."""
    step = request.config.getoption("--fuzz-starts")
    if not step:
        pytest.skip("make fuzz walks through every moment")
    for first in (True, False):
        moment = 0.0
        while True:
            if first:
                shutil.rmtree(folder / "var", ignore_errors=True)
            start = Start(folder)
            time.sleep(moment)
            is_up = "UI at" in start.said()
            number = (signal.SIGINT, signal.SIGTERM)[int(moment * 1000 / step) % 2]
            if start.said():
                start.check_end(number)
            else:  # it may be before any line of ours is loaded: Python ends as it does then
                start.process.send_signal(number)
                start.process.wait(60)
                assert processes_of(folder) == []
            if first:
                Start(folder).check_work()
            if is_up:
                break
            moment += step / 1000

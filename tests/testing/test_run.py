"""Nothing is left of a run of tests, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from app.testing.waiting import await_true
from config import ROOT

pytestmark = pytest.mark.full

# Starts a process in a session of its own, makes a folder, tells of both, and ends as it is asked to.
LEAVING = """
import subprocess, sys, tempfile, time
left = subprocess.Popen(["sleep", "600"], start_new_session=True)
print(left.pid, tempfile.mkdtemp(), flush=True)
if sys.argv[1] == "never":
    time.sleep(600)
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def run(tmp_path):
    """Begins a run of something that leaves a process and a folder behind; gives both with it."""
    started = []

    def begin(end):
        command = [sys.executable, "-m", "tests.run", sys.executable, "-c", LEAVING, end]
        env = {**os.environ, "TMPDIR": str(tmp_path)}
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, cwd=ROOT, env=env, stdout=pipe, stderr=pipe, text=True))
        number, folder = started[-1].stdout.readline().split()
        assert Path(folder).is_relative_to(tmp_path)
        return started[-1], psutil.Process(int(number)), Path(folder)

    yield begin
    for each in started:
        each.kill()
        each.communicate()


@pytest.mark.parametrize(("end", "status"), [("0", 1), ("3", 3)])
def test_what_a_run_leaves_is_named_and_ended_and_a_green_one_fails(run, tmp_path, end, status):
    process, left, _ = run(end)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (status, "tests: left behind: sleep 600\n")
    assert not left.is_running()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_run_that_is_broken_off(run, tmp_path):
    process, left, folder = run("never")
    process.send_signal(signal.SIGTERM)
    await_true(lambda: process.poll() is not None, 60)
    assert process.returncode == 128 + signal.SIGINT
    assert not left.is_running()
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []

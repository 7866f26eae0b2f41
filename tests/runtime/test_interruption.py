"""What HUP means to the service: a reload, unless it says that the terminal is gone."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

from config import ROOT
from tests.end_to_end.service import environment

LISTENER = """
import os, signal, sys
from app.runtime.interruption import Interruption, StopRequested

if len(sys.argv) > 1:
    os.open(sys.argv[1], os.O_RDWR)  # which becomes the terminal of this session
if sys.argv[2:] == ["nohup"]:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
asked = Interruption()
asked.begin_reloads()
print("ready", flush=True)
try:
    while not asked.pop_reload_request():
        asked.pause(0.01)
    print("reload")
except StopRequested:
    print("end")
"""


@pytest.fixture
def terminal():
    """Both ends of a terminal: the one that it is closed by, and its name."""
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    os.close(theirs)
    return ours, name


def heard(act, *arguments):
    """What a process hears after ``act``, which gets it."""
    with subprocess.Popen(
        [sys.executable, "-c", LISTENER, *arguments], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as listener:  # fmt: skip
        assert listener.stdout.readline() == "ready\n"
        act(listener)
        said, _ = listener.communicate(timeout=60)
    return said.strip()


def hang_up(listener):
    listener.send_signal(signal.SIGHUP)


def test_hup_is_a_reload_without_a_terminal():
    assert heard(hang_up) == "reload"


def test_hup_is_a_reload_while_the_terminal_is_there(terminal):
    assert heard(hang_up, terminal[1]) == "reload"
    os.close(terminal[0])


def test_a_terminal_that_is_closed_ends_the_service(terminal):
    assert heard(lambda _: os.close(terminal[0]), terminal[1]) == "end"


def test_a_terminal_that_is_closed_does_not_end_what_was_started_to_outlive_it(terminal):
    assert heard(lambda _: os.close(terminal[0]), terminal[1], "nohup") == "reload"

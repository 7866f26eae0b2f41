"""The local embedder: a process that makes vectors of texts without a network, and what keeps it running.

A worker of jobs runs it, for all processes on its machine, which ask it over a socket under VAR_DIR by the
OpenAI-compatible protocol. Its model comes with the extra ``local-embeddings``; loaded once, it takes 130 MB.
"""

from __future__ import annotations

import fcntl
import logging
import socket
import sys
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from flask import Flask

from app.runtime.embedded import socket_path
from app.runtime.processes import OwnProcess, end
from config import Settings

log = logging.getLogger(__name__)

MODEL, DIMENSIONS = "wordllama-256", 256
# Seconds between two looks whether it runs, and until another try where it does not; seconds for its end.
LOOK_EVERY, RETRY_AFTER, GRACE = 1.0, 5.0, 2.0
# No secrets. Its library looks for a home at once, which not every account has.
ENVIRONMENT = {"HOME": "/", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}


def is_available(settings: Settings) -> bool:
    """Tell whether vectors are made here: the extra is installed, and nobody has switched it off."""
    return settings.embeddings == "local" and _is_installed()


@cache
def _is_installed() -> bool:
    return find_spec("wordllama") is not None


def path(var_dir: str) -> Path:
    """Where it listens."""
    return socket_path(Path(var_dir), "embedder")


def keep_running(app: Flask, stopping: threading.Event) -> None:
    """Run the embedder, and start it again when it has died, until ``stopping`` is set."""
    settings = app.config["SETTINGS"]
    if not is_available(settings):
        return
    at = path(settings.var_dir)
    with at.with_suffix(".lock").open("a") as lock:
        while not _is_held(lock):  # by another worker of this machine, until it ends
            if stopping.wait(LOOK_EVERY):
                return
        while not stopping.is_set():
            process, pipe = launch(at)
            while not stopping.wait(LOOK_EVERY) and not process.has_ended():
                pass
            pipe.close()
            if not stopping.is_set():
                log.warning("The embedder has ended with status %s and is started again", process.status)
                stopping.wait(RETRY_AFTER)
            end([process], GRACE)


def _is_held(lock: IO[str]) -> bool:
    """Take the lock, and tell whether it could be had."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def launch(at: Path) -> tuple[OwnProcess, socket.socket]:
    """Start an embedder that listens ``at`` a path, and ends when the other end of the returned socket is closed, as by
    the death of this process."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "app.ai_rag.embedder_process", str(at), str(DIMENSIONS)]
    with theirs:
        return OwnProcess.launch(command, cwd=Path(__file__).parents[2], stdin=theirs, env=ENVIRONMENT), ours

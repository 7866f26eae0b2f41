"""The local embedder: a process that makes vectors of texts without a network, and what keeps it running.

A worker of jobs runs it, for all processes on its machine, which ask it over a socket under VAR_DIR by the
OpenAI-compatible protocol. Its model comes with the extra ``local-embeddings``; loaded once, it takes 130 MB.
"""

from __future__ import annotations

import logging
import socket
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

from flask import Flask

from app.runtime.embedded import socket_path
from app.runtime.processes import OwnProcess, end
from config import Settings

log = logging.getLogger(__name__)

MODEL, DIMENSIONS = "wordllama-256", 256
# Seconds between two looks whether it runs, and until another try where it does not; seconds for its end.
LOOK_EVERY, RETRY_AFTER, GRACE = 1.0, 5.0, 2.0


def is_available(settings: Settings) -> bool:
    """Tell whether vectors are made here: the extra is installed, and nobody has switched it off."""
    return settings.embeddings == "local" and find_spec("wordllama") is not None


def path(var_dir: str) -> Path:
    """Where it listens."""
    return socket_path(Path(var_dir), "embedder")


def keep_running(app: Flask, stopping: threading.Event) -> None:
    """Run the embedder, and start it again when it has died, until ``stopping`` is set."""
    settings = app.config["SETTINGS"]
    if not is_available(settings):
        return
    while not stopping.is_set():
        process, pipe = launch(path(settings.var_dir))
        while not stopping.wait(LOOK_EVERY) and not process.has_ended():
            pass
        pipe.close()
        if not stopping.is_set():
            log.warning("The embedder has ended with status %s and is started again", process.status)
            stopping.wait(RETRY_AFTER)
        end([process], GRACE)


def launch(at: Path) -> tuple[OwnProcess, socket.socket]:
    """Start an embedder that listens ``at`` a path, and ends when the other end of the returned socket is closed, as by
    the death of this process."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "app.ai_rag.embedder_process", str(at)]
    with theirs:
        return OwnProcess.launch(command, cwd=Path(__file__).parents[2], stdin=theirs), ours

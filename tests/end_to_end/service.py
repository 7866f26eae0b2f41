"""The service as its users run it: real processes, started and stopped by the tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from config import ROOT

START_TIMEOUT = 90


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(**settings: str) -> dict[str, str]:
    """The environment of a child, without the settings of whoever runs the tests, and without an embedder."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"EMBEDDINGS": "off"} | settings


@contextmanager
def started(
    command: list[str], port: int, log: Path, *, folder: Path = ROOT, **settings: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``command`` in ``folder`` until it answers at ``port``; stop it with TERM at the end."""
    env = environment(PORT=str(port), **settings)
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=output, stderr=output, start_new_session=True)
        try:
            await_answer(f"http://127.0.0.1:{port}/healthz", process, log)
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(60)


def await_answer(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        try:
            with urlopen(url, timeout=2):
                return
        except (URLError, OSError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)


def gunicorn(workers: int = 1) -> list[str]:
    return [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", "--workers", str(workers), "wsgi:app"]


FLASK = [sys.executable, "-m", "flask"]

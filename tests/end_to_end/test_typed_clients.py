"""The generated clients: they build, and their examples pass strict type checkers and take the tour of a service."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.database import transaction
from app.models.auth.identity import AuthUser
from app.notifications import notify
from config import ROOT
from tests.end_to_end.service import await_true, free_port, gunicorn, started

CLIENTS = ROOT / "clients"
BIN = Path(sys.executable).parent


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def made():
    """Both clients, generated and built."""
    report = run("make", "--no-print-directory", "clients", cwd=ROOT)
    assert "warning" not in report.lower(), report


@pytest.fixture(scope="module")
def typescript(made):
    """The TypeScript tour, compiled with ``tsc --strict``."""
    folder = CLIENTS / "typescript"
    run(BIN / "node", folder / "node_modules/typescript/bin/tsc", "--project", folder / "examples", "--strict")
    return [BIN / "node", folder / "build" / "tour.js"]


@pytest.fixture(scope="module")
def python(made, tmp_path_factory):
    """The Python tour, beside the installed package."""
    folder = tmp_path_factory.mktemp("python")
    (wheel,) = (CLIENTS / "python" / "dist").glob("*.whl")
    run(BIN / "uv", "venv", "--quiet", folder)
    run(BIN / "uv", "pip", "install", "--quiet", "--python", folder / "bin" / "python", wheel, "mypy")
    tour = CLIENTS / "python" / "examples" / "tour.py"
    run(folder / "bin" / "mypy", "--strict", "--cache-dir", folder / "cache", tour, cwd=folder)
    return [folder / "bin" / "python", tour]


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


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_the_tour_goes_on_through_a_restart(app, var_dir, tmp_path, request, language):
    command = request.getfixturevalue(language)
    port, email, log = free_port(), f"tour-{uuid4().hex[:8]}@example.com", tmp_path / "tour.log"
    settings = {"VAR_DIR": var_dir, "DEFAULT_LIMIT": "1000000 per minute"}

    def tell(title):
        with app.app_context(), transaction() as session:
            notify(session, session.scalar(select(AuthUser.id).where(AuthUser.email == email)), "MESSAGE", title)

    with ExitStack() as stack:
        with started(gunicorn(), port, tmp_path / "one.log", **settings):
            tour = stack.enter_context(touring(command, port, email, log))
            await_true(lambda: "chat " in log.read_text() or tour.poll() is not None, 60)
            await_true(lambda: open_streams(port) == 1, 30)
            tell("Before the restart")
            await_true(lambda: "notification: Before the restart" in log.read_text())
        tell("During the restart")
        with started(gunicorn(), port, tmp_path / "two.log", **settings):
            assert tour.wait(60) == 0, log.read_text()
    said = [line for line in log.read_text().splitlines() if not line.startswith("place: ")]
    assert said[0] == "deals: New cranes"
    assert said[1].startswith("chat ")
    assert "Nothing in your documents" in log.read_text()
    assert said[-2:] == ["notification: Before the restart", "notification: During the restart"]

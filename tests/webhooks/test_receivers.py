"""The receivers of the documentation, with the libraries that Standard Webhooks publishes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.packages import BIN
from tests.end_to_end.service import free_port
from tests.webhooks.conftest import HOOKS

pytestmark = pytest.mark.full
SHOWN = re.search(r"^```ts\n(.*?)^```$", (ROOT / "docs/webhooks.md").read_text(), re.DOTALL | re.MULTILINE)
COMPANY = "/api/v1/crm/company"


@pytest.fixture
def typescript(tmp_path):
    """The receiver in TypeScript, started with a secret; gives its address and what it has printed."""
    program, started = tmp_path / "receiver.ts", []
    program.write_text(SHOWN[1])
    (tmp_path / "node_modules").symlink_to(ROOT / ".venv/node/node_modules")

    def start(secret, port):
        log = tmp_path / "received"
        env = {**os.environ, "SECRET": secret, "PORT": str(port)}
        with log.open("wb") as out:
            command = [BIN / "node", "--preserve-symlinks", "--preserve-symlinks-main", program]
            options = {"cwd": tmp_path, "stdout": out, "stderr": out, "start_new_session": True}
            started.append(subprocess.Popen(command, env=env, **options))
        await_true(lambda: answers(port))
        return log

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)  # it is a script that runs node
        process.wait()


def answers(port):
    try:
        return httpx2.post(f"http://127.0.0.1:{port}/", content=b"{}").status_code == 401
    except httpx2.HTTPError:
        return False


def test_the_receiver_in_typescript_takes_what_is_signed_and_nothing_else(owner, deliver, typescript):
    port = free_port()
    asked = {"url": f"http://127.0.0.1:{port}/", "eventTypes": ["crm.company.*"]}
    made = owner.post(HOOKS, asked).json
    log: Path = typescript(made["secret"], port)
    owner.post(COMPANY, {"name": "Harbour Works"})
    deliver()
    assert log.read_text().strip() == "crm.company.create"
    (delivery,) = owner.get(f"{HOOKS}/{made['id']}/_deliveries").json["data"]
    assert (delivery["status"], delivery["responseStatus"]) == ("delivered", 204)

"""The certified OpenID provider of the npm package oidc-provider, as a process."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import requests

from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.service import environment, free_port

NODE = ROOT / ".venv" / "bin" / "node"
MODULES = ROOT / ".venv" / "node" / "node_modules"


class Certified:
    """The provider in the shape of Google or Microsoft, for one client, the service at ``public_url``."""

    def __init__(self, shape: str, log: Path, public_url: str) -> None:
        self.shape, port = shape, free_port()
        self.url = f"http://127.0.0.1:{port}"
        back = f"{public_url}/api/auth/oauth/{shape}/callback"
        command = [NODE, ROOT / "tests" / "node" / "openid.mjs", str(port), shape, back]
        self._output = log.open("wb")
        env = environment(NODE_MODULES=str(MODULES))
        # The command starts another process, which is stopped with it.
        self._process = subprocess.Popen(
            command, env=env, stdout=self._output, stderr=self._output, start_new_session=True
        )
        await_true(self._answers)

    def sign_in_as(self, **account: object) -> None:
        """Set who signs in next."""
        requests.post(f"{self.url}/account", json=account, timeout=10).raise_for_status()

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(10)
        self._output.close()

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=1).ok
        except (requests.ConnectionError, requests.Timeout):
            assert self._process.poll() is None, Path(self._output.name).read_text()
            return False

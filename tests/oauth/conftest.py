"""Providers to sign in with, and applications that know them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from config import ROOT
from tests.end_to_end.service import await_true, environment, free_port
from tests.oauth.journey import PUBLIC
from tests.oauth.loopback import GitHub, OpenId

NODE = ROOT / ".venv" / "bin" / "node"
MODULES = ROOT / ".venv" / "node" / "node_modules"
CLIENT = {"client_id": "rowgate", "client_secret": "client-secret"}


class Certified:
    """The OpenID provider of the npm package oidc-provider, in the shape of one of the two."""

    def __init__(self, shape: str, log: Path) -> None:
        self.shape, port = shape, free_port()
        self.url = f"http://127.0.0.1:{port}"
        back = f"{PUBLIC}/api/auth/oauth/{shape}/callback"
        command = [NODE, ROOT / "tests" / "node" / "openid.mjs", str(port), shape, back]
        self._output = log.open("wb")
        env = environment(NODE_MODULES=str(MODULES))
        self._process = subprocess.Popen(command, env=env, stdout=self._output, stderr=self._output)
        await_true(self._answers)

    def sign_in_as(self, **account: object) -> None:
        """Set who signs in next."""
        requests.post(f"{self.url}/account", json=account, timeout=10).raise_for_status()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        self._output.close()

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=1).ok
        except requests.ConnectionError:
            assert self._process.poll() is None, Path(self._output.name).read_text()
            return False


@pytest.fixture(scope="module", params=["google", "microsoft"])
def certified(request, tmp_path_factory) -> Iterator[Certified]:
    provider = Certified(request.param, tmp_path_factory.mktemp("openid") / "log")
    yield provider
    provider.stop()


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    yield server
    server.stop()


@pytest.fixture
def openid() -> Iterator[OpenId]:
    server = OpenId()
    yield server
    server.stop()


@pytest.fixture
def configured(app, build):
    """An application that knows the given providers, by name and address."""

    def make(github: str = "", google: str = "", microsoft: str = "", **settings: object):
        places = {}
        if github:
            places |= {"github_url": github, "github_api_url": github}
        if google:
            places |= {"google_issuer": google}
        if microsoft:
            places |= {"microsoft_authority": microsoft}
        for name, place in (("github", github), ("google", google), ("microsoft", microsoft)):
            if place:
                places |= {f"{name}_{each}": value for each, value in CLIENT.items()}
        return build(base_url=PUBLIC, **places, **settings)

    return make

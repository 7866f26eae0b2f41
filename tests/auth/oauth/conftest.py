"""Providers to sign in with, and applications that know them."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.auth.oauth.certified import Certified
from tests.auth.oauth.journey import PUBLIC
from tests.auth.oauth.loopback import GitHub, OpenId, Server

CLIENT = {"client_id": "rowgate", "client_secret": "client-secret"}


@pytest.fixture(scope="module", params=["google", "microsoft"])
def certified(request, tmp_path_factory) -> Iterator[Certified]:
    provider = Certified(request.param, tmp_path_factory.mktemp("openid") / "log", PUBLIC)
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[type[Server], Server]]:
    running: dict[type[Server], Server] = {GitHub: GitHub(), OpenId: OpenId()}
    yield running
    for each in running.values():
        each.stop()


@pytest.fixture
def github(servers) -> GitHub:
    servers[GitHub].reset()
    return servers[GitHub]


@pytest.fixture
def openid(servers) -> OpenId:
    servers[OpenId].reset()
    return servers[OpenId]


@pytest.fixture
def configured(build_once):
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
        application = build_once(base_url=PUBLIC, **places, **settings)
        application.extensions["oauth"]._clients.clear()  # which hold what they have read of their providers
        return application

    return make


@pytest.fixture
def google(configured, openid):
    """An application that takes the misbehaving provider for Google, and somebody new there."""
    openid.claims = {"sub": uuid4().hex, "email": f"{uuid4().hex}@openid.example"}
    return configured(google=openid.url)

"""Providers to sign in with, and applications that know them."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.auth.oauth.certified import Certified
from tests.auth.oauth.journey import PUBLIC
from tests.auth.oauth.loopback import GitHub, OpenId

CLIENT = {"client_id": "rowgate", "client_secret": "client-secret"}


@pytest.fixture(scope="module", params=["google", "microsoft"])
def certified(request, tmp_path_factory) -> Iterator[Certified]:
    provider = Certified(request.param, tmp_path_factory.mktemp("openid") / "log", PUBLIC)
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


@pytest.fixture
def google(configured, openid):
    """An application that takes the misbehaving provider for Google, and somebody new there."""
    openid.claims = {"sub": uuid4().hex, "email": f"{uuid4().hex}@openid.example"}
    return configured(google=openid.url)

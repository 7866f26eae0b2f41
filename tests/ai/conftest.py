"""A loopback provider, and the application that may call it."""

from __future__ import annotations

import pytest

from app.testing.cast import Cast
from tests.ai.chains import Chains
from tests.ai.upstream import upstream


@pytest.fixture
def provider():
    """A loopback provider."""
    with upstream() as running:
        yield running


@pytest.fixture
def chat_app(build_once):
    """The application, allowed to call loopback addresses."""
    return build_once(private_provider_urls=True)


@pytest.fixture
def chat_cast(chat_app):
    return Cast(chat_app)


@pytest.fixture
def owner(chat_cast):
    return chat_cast.user()


@pytest.fixture
def chains(chat_cast, owner, provider):
    return Chains(chat_cast, owner, provider)

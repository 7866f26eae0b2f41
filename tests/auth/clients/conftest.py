"""Somebody who has signed up, and a client that is registered."""

from __future__ import annotations

import pytest

from tests.account.visitors import Visitor
from tests.auth.clients.connecting import Client, register


@pytest.fixture
def visitor(app):
    return Visitor(app).sign_up()


@pytest.fixture
def client(app):
    return Client(app, register(app))

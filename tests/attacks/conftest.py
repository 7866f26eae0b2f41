"""One service that all attacks are made on."""

from __future__ import annotations

import pytest

from tests.attacks.service import running


@pytest.fixture(scope="session")
def service():
    with running() as started:
        yield started

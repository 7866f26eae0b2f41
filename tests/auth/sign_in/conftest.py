"""The browser of a test."""

from __future__ import annotations

import pytest

from tests.auth.sign_in.visitors import visit


@pytest.fixture
def browser(app):
    return visit(app)

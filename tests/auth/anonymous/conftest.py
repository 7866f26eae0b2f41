"""An application whose companies and indexes anybody reads, where they are public."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor

COMPANIES = "/api/v1/crm/company"


@pytest.fixture
def open_app(build_once):
    return build_once(anonymous_models="crm/company, ai-rag/index")


@pytest.fixture
def nobody(open_app):
    """A caller without a credential."""
    return Actor(open_app)


@pytest.fixture
def companies(owner):
    """A public and a private company."""
    made = [
        owner.post(COMPANIES, {"name": name, "industry": "ships", "visibility": visibility}).json
        for name, visibility in (("Open", "public"), ("Closed", "private"))
    ]
    yield made
    for each in made:
        owner.delete(f"{COMPANIES}/{each['id']}")

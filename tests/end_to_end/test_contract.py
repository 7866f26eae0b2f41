"""The running service against its own description: made-up requests, no 5xx, every answer fits its schema."""

from __future__ import annotations

import httpx2
import pytest

from app.engine.declare.catalogue import DOMAINS
from app.ops.seed import seed
from app.schema import histories
from app.testing import parts
from app.testing.cast import Cast
from app.testing.database import unit_of_work
from tests.conftest import PATIENT, USUAL_EXAMPLES
from tests.end_to_end import contract
from tests.end_to_end.service import free_port, gunicorn, started

# Made-up requests of an admin may take away what the others need, such as the chain that chats are answered by.
TAGS = ["sign-in", "oauth", "upload", "documents", "chat", "company", "api-key", "crm", "auth"]
OTHERS = [pytest.param(domain.name, marks=pytest.mark.full) for domain in DOMAINS if domain.name not in TAGS]


@pytest.fixture(scope="module")
def own(app):
    """The application on a database of its own, which nobody needs afterwards."""
    with parts.on_own_database(app) as other:
        with other.app_context():
            histories.upgrade()
            with unit_of_work() as unit:
                seed(unit)
        yield other


@pytest.fixture(scope="module")
def address(own, var_dir, tmp_path_factory):
    port, log = free_port(), tmp_path_factory.mktemp("contract") / "log"
    settings = {"DATABASE_URL": own.config["SETTINGS"].database_url, "DEFAULT_LIMIT": "1000000 per minute"}
    with started(gunicorn(), port, log, VAR_DIR=var_dir, **settings):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def description(address):
    """The description with conditions on a model's own fields. Along relations the schemas of conditions lead from
    every model to every other and back, too much to make requests up from; the reference model of queries does."""
    document = httpx2.get(f"{address}/api/v1/openapi.json").json()
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("Where"):
            schema["properties"] = {
                field: each for field, each in schema["properties"].items() if str(each).find("Condition") > 0
            }
    return document


@pytest.fixture
def tokens(own):
    """Somebody plain, and an admin, who gets further."""
    cast = Cast(own)
    return [cast.user().token, cast.user(role="admin").token]


@pytest.mark.full
@pytest.mark.parametrize("tag", [*TAGS, *OTHERS])
def test_no_request_breaks_the_service_or_its_description(pytestconfig, description, address, tokens, tag):
    examples = pytestconfig.getoption("--fuzz-examples")
    settings = {"max_examples": examples, "derandomize": examples == USUAL_EXAMPLES, **PATIENT}
    found = contract.attack(description, tag, address, tokens, settings)
    assert not found, found

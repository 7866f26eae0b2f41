"""The running service against its own description: made-up requests, no 5xx, every answer fits its schema."""

from __future__ import annotations

import httpx2
import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.engine.declare.catalogue import DOMAINS
from app.ops.seed import seed
from app.schema import histories
from app.testing import parts
from app.testing.cast import Cast
from app.testing.database import unit_of_work
from tests.end_to_end.service import free_port, gunicorn, started

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# Made-up requests of an admin may take away what the others need, such as the chain that chats are answered by.
TAGS = ["sign-in", "oauth", "upload", "documents", "chat", "company", "api-key", "crm", "auth"]
OTHERS = [pytest.param(domain.name, marks=pytest.mark.full) for domain in DOMAINS if domain.name not in TAGS]


@pytest.fixture(scope="module")
def own(app):
    """The application on a database of its own, which nobody needs afterwards."""
    with parts.on_empty_database(app) as other:
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


def operations_of(tag, document, address):
    """What the description says of the operations with ``tag``, without all the others that take memory."""
    paths = {
        path: {name: each for name, each in item.items() if not isinstance(each, dict) or each["tags"] == [tag]}
        for path, item in document["paths"].items()
    }
    found = schemathesis.openapi.from_dict({**document, "paths": paths})
    found.config.update(base_url=address)
    return [each.ok() for each in found.get_all_operations()]


@pytest.fixture
def tokens(own):
    """Somebody plain, and an admin, who gets further."""
    cast = Cast(own)
    return [cast.user().token, cast.user(role="admin").token]


@pytest.mark.full
@pytest.mark.parametrize("tag", [*TAGS, *OTHERS])
def test_no_request_breaks_the_service_or_its_description(description, address, tokens, tag):
    mine = operations_of(tag, description, address)
    assert mine
    for operation in mine:
        attack(operation, tokens)


def attack(operation, tokens):
    """Send the operation what its description allows, and what it does not."""
    for mode in schemathesis.GenerationMode:

        @settings(settings.get_profile("contract"))
        @given(case=operation.as_strategy(generation_mode=mode))
        def send(case):
            for token in tokens:
                response = case.call(headers={"Authorization": f"Bearer {token}"})
                # gunicorn turns away request lines that are too long before the service sees them.
                if response.status_code != 414:
                    case.validate_response(response, checks=CHECKS)

        try:
            send()
        except Unsatisfiable:
            # What takes neither parameters nor a body cannot be asked wrongly.
            assert mode is schemathesis.GenerationMode.NEGATIVE
            assert not operation.body

"""The schemas of tools: valid for every model, and met by what tools answer."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from app.auth.models.identity import AuthAccount
from app.engine.declare.catalogue import every_model
from app.testing.database import transaction
from tests.blueprints.mcp.agents import result, told

MODELS = [model for model in every_model() if not model.has_custom_routes]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())


def check(schema, value):
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(value)


def test_what_tools_take_and_give_is_said_in_valid_schemas(owner, cast):
    for actor in (owner, cast.admin, cast.key(owner, "read"), cast.anonymous):
        for tool in result(actor, "tools/list")["tools"]:
            for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
                Draft202012Validator.check_schema(schema)
            assert tool["inputSchema"]["type"] == "object"


def test_a_tool_names_the_models_that_its_caller_may_use_so(owner, cast):
    def named(actor, tool):
        tools = {each["name"]: each for each in result(actor, "tools/list")["tools"]}
        return set(tools[tool]["inputSchema"]["properties"]["model"]["enum"])

    assert named(cast.admin, "query_records") >= named(owner, "query_records")
    assert "platform/feature-flag" in named(cast.admin, "create_record")
    assert "platform/feature-flag" not in named(owner, "create_record")
    assert "crm/contact" in named(owner, "create_record")
    assert "auth/api-key-analytics" not in named(owner, "create_record")
    narrow = cast.key(owner, "write", access=[{"models": ["crm/deal"], "operations": ["list", "update"]}])
    assert named(narrow, "query_records") == {"crm/deal"}
    assert named(narrow, "update_record") == {"crm/deal"}
    assert named(narrow, "create_record") == set()


@pytest.mark.every_model
@every
def test_a_model_is_described_in_valid_schemas_that_its_records_meet(cast, workshop, model):
    described = told(cast.admin, "describe_model", model=model.qualified_name())
    for schema in described["schemas"].values():
        Draft202012Validator.check_schema(schema)
    found = told(cast.admin, "query_records", model=model.qualified_name(), take=5)
    for record in found["data"]:
        check(described["schemas"]["record"], record)
        assert set(record) <= set(described["schemas"]["record"]["properties"])


def test_a_record_meets_its_schema_once_the_plugin_that_brought_a_name_is_gone(app, cast, owner):
    with app.app_context(), transaction() as session:
        row = AuthAccount(user_id=owner.user_id, provider_id="gone", issuer="gone", account_id="1")
        session.add(row)
        session.flush()
        row_id = str(row.id)
    schema = told(owner, "describe_model", model="auth/account")["schemas"]["record"]
    record = told(owner, "get_record", model="auth/account", id=row_id)["record"]
    assert record["providerId"] == "gone"
    check(schema, record)


@pytest.mark.every_model
@every
def test_what_is_sent_meets_the_schema_of_what_may_be_sent(workshop, model):
    described = told(workshop.cast.admin, "describe_model", model=model.qualified_name())
    if "create" in described["schemas"]:
        check(described["schemas"]["create"], workshop.body(model))

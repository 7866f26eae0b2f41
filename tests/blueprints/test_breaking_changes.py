"""What breaks clients between two releases is named: `make breaking`."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from config import ROOT
from tests.end_to_end.service import environment

pytestmark = pytest.mark.full

NODE = Path(sys.executable).parent / "node"
RELEASED = json.loads((ROOT / "docs" / "openapi.json").read_text())
DEAL = "/api/v1/crm/deal"


def schema(description, name):
    return description["components"]["schemas"][name]


def without_a_route(now):
    del now["paths"][f"{DEAL}/{{id}}"]["delete"]


def without_a_field_in_answers(now):
    del schema(now, "CrmDeal")["properties"]["amount"]


def another_type_in_answers(now):
    schema(now, "CrmDeal")["properties"]["name"]["type"] = "integer"


def without_a_field_in_bodies(now):
    del schema(now, "CrmDealCreate")["properties"]["nextStep"]


def a_field_that_bodies_need(now):
    schema(now, "CrmDealCreate")["required"].append("amount")


def without_a_choice(now):
    schema(now, "CrmDealCreate")["properties"]["stage"]["enum"].remove("lead")


def a_parameter_that_is_needed(now):
    parameter = {"name": "must", "in": "query", "required": True, "schema": {"type": "string"}}
    now["paths"][DEAL]["get"]["parameters"].append(parameter)


def another_answer(now):
    answer = now["paths"]["/api/v1/crm/contact/{id}"]["get"]["responses"]["200"]["content"]["application/json"]
    answer["schema"] = {"oneOf": [answer["schema"], {"type": "string"}]}


def an_answer_that_is_asked_for(now):
    answer = now["paths"][DEAL]["post"]["responses"]["201"]["content"]["application/json"]
    answer["schema"]["oneOf"].append({"type": "string"})


def records_instead_of_bytes(now):
    content = now["paths"][f"{DEAL}/_export"]["get"]["responses"]["200"]["content"]
    content["text/csv"]["schema"] = {"type": "array", "items": {"type": "string"}}


def more_of_everything(now):
    now["paths"][f"{DEAL}/{{id}}/more"] = deepcopy(now["paths"][f"{DEAL}/{{id}}"])
    schema(now, "CrmDeal")["properties"]["more"] = {"type": "string"}
    schema(now, "CrmDealCreate")["properties"]["more"] = {"type": "string"}
    schema(now, "CrmDealCreate")["properties"]["name"]["description"] = "In other words."


def more_operators_of_a_reference(now):
    schemas = now["components"]["schemas"]
    schemas["OwnerCondition"] = deepcopy(schemas["UserCondition"])
    schemas["OwnerCondition"]["anyOf"][1]["properties"]["like"] = {"type": "string"}
    for condition in ("CrmDealWhere", "StorageDocumentWhere"):
        properties = schemas[condition]["properties"]
        field = "ownerId" if "ownerId" in properties else "userId"
        properties[field] = {"$ref": "#/components/schemas/OwnerCondition"}


@pytest.fixture
def named(tmp_path):
    """Names what breaks between the description that is kept and a changed one."""

    def named(*changes):
        current = deepcopy(RELEASED)
        for change in changes:
            change(current)
        paths = tmp_path / "released.json", tmp_path / "current.json"
        for path, description in zip(paths, (RELEASED, current), strict=True):
            path.write_text(json.dumps(description))
        env = environment(NODE_MODULES=str(ROOT / ".venv" / "node" / "node_modules"))
        command = [NODE, ROOT / "tests" / "node" / "breaking.mjs", *paths]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.splitlines()

    return named


def test_every_kind_of_breaking_change_is_named(named):
    lines = named(
        without_a_route, without_a_field_in_answers, another_type_in_answers, without_a_field_in_bodies,
        a_field_that_bodies_need, without_a_choice, a_parameter_that_is_needed, another_answer,
    )  # fmt: skip
    for wanted in (
        f"DELETE {DEAL}/{{id}}: remove", f"GET {DEAL}/{{id}}: remove responses 200 amount",
        f"GET {DEAL}/{{id}}: replace responses 200 name type (string → integer)",
        f"POST {DEAL}: remove requestBody oneOf 0 nextStep", f"POST {DEAL}: add requestBody oneOf 0 required",
        f"POST {DEAL}: remove requestBody oneOf 0 stage enum", f"GET {DEAL}: add parameters",
        "GET /api/v1/crm/contact/{id}: add responses 200 oneOf",
    ):  # fmt: skip
        assert any(line.startswith(wanted) for line in lines), (wanted, lines)


def test_a_change_is_named_where_a_record_is_and_not_along_every_relation_to_it(named):
    assert not [line for line in named(without_a_field_in_answers) if "/crm/deal" not in line]


def test_what_only_adds_is_not_named(named):
    assert named(more_of_everything, more_operators_of_a_reference) == []


def test_what_comes_only_where_it_is_asked_for_is_not_named(named):
    assert named(an_answer_that_is_asked_for) == []


def test_what_was_called_bytes_and_is_described_now_is_not_named(named):
    assert named(records_instead_of_bytes) == []

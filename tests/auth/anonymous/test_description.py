"""What the description says of operations that take no credential."""

from __future__ import annotations

from tests.auth.anonymous.conftest import COMPANIES


def test_open_operations_take_a_credential_or_none(nobody):
    described = nobody.get("/api/v1/openapi.json").json["paths"]
    without = {
        (path, method)
        for path, operations in described.items()
        for method, each in operations.items()
        if isinstance(each, dict) and {} in each.get("security", []) and path.startswith("/api/v1/crm")
    }
    assert without == {
        (COMPANIES, "get"), (f"{COMPANIES}/{{id}}", "get"), (f"{COMPANIES}/_query", "post"),
        (f"{COMPANIES}/_aggregate", "get"), (f"{COMPANIES}/_aggregate", "post"),
    }  # fmt: skip

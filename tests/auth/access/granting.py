"""Keys with grants, and what is told of answers."""

from __future__ import annotations

DEALS, COMPANIES, CONTACTS, KEYS = (
    "/api/v1/crm/deal", "/api/v1/crm/company", "/api/v1/crm/contact", "/api/v1/auth/api-key",
)  # fmt: skip
READS = ["list", "read"]
ALL = ["list", "read", "create", "update", "delete", "export", "import"]
FORBIDDEN = (403, None)


def narrow(cast, owner, *grants):
    return cast.key(owner, "read", "write", access=list(grants))


def grant(model, operations=READS, **rest):
    return {"models": [model], "operations": operations, **rest}


def told(answer):
    """The status, and its code where it says more than that; errors about companies have none."""
    code = answer.json.get("code")
    return answer.status_code, None if code == "FORBIDDEN" else code


def ids(answer):
    assert answer.status_code == 200, answer.json
    return {each["id"] for each in answer.json["data"]}

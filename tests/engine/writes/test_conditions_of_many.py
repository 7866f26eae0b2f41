"""If-Match on requests about many records: it would guard none of them, so it is refused."""

from __future__ import annotations

import pytest

CONTACTS = "/api/v1/crm/contact"
ASKED = {
    "PUT": (CONTACTS, []),
    "PATCH": (CONTACTS, []),
    "DELETE": (f"{CONTACTS}?ids=0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11", None),
    "matching": (f"{CONTACTS}/_matching/_delete", {"where": {}, "max": 1}),
    "batch": ("/api/v1/_batch", {"requests": [{"method": "GET", "path": CONTACTS}]}),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_condition_that_would_guard_no_record_is_refused(owner, name):
    path, body = ASKED[name]
    method = name if name.isupper() else "POST"
    answer = owner.send(method, path, headers={"If-Match": '"1"'}, **({"json": body} if body is not None else {}))
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, ["If-Match"])

"""If-Match where it would guard no record: it is refused, in the header and in the query alike."""

from __future__ import annotations

import pytest

from tests.engine.writes.twins import growth

CONTACTS, CHAIN = "/api/v1/crm/contact", "/api/v1/ai/chain"
CONTACT = {"firstName": "Ada", "lastName": "King"}
ASKED = {
    "PUT": ("PUT", CONTACTS, []),
    "PATCH": ("PATCH", CONTACTS, []),
    "DELETE": ("DELETE", f"{CONTACTS}?ids=0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11", None),
    "matching": ("POST", f"{CONTACTS}/_matching/_delete", {"where": {}, "max": 1}),
    "batch": ("POST", "/api/v1/_batch", {"requests": [{"method": "GET", "path": CONTACTS}]}),
    "create": ("POST", CONTACTS, CONTACT),
    "create many": ("POST", CONTACTS, [CONTACT]),
    "upsert": ("POST", f"{CHAIN}?onConflict=name", {"name": "one"}),
    "upsert of a company": ("POST", "/api/v1/crm/company?onConflict=name", {"name": "one"}),
    "upsert of many": ("POST", f"{CHAIN}?onConflict=name", [{"name": "one"}]),
    "upsert that ignores": ("POST", f"{CHAIN}?onConflict=name&resolution=ignore", [{"name": "one"}]),
    "import": ("POST", f"{CHAIN}/_import?as=json", [{"name": "one"}]),
    "import that merges": ("POST", f"{CHAIN}/_import?as=json&onConflict=name", [{"name": "one"}]),
    "preferences": ("PUT", "/api/integrations/teams/notifications/preferences", {"enabled": False}),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("place", ["header", "query"])
def test_a_condition_that_would_guard_no_record_is_refused(app, owner, name, place):
    method, path, body = ASKED[name]
    given = {"json": body} if body is not None else {}
    headers = {"If-Match": '"1"'} if place == "header" else {}
    if place == "query":
        path += "&ifMatch=1" if "?" in path else "?ifMatch=1"
    with growth(app) as grown:
        answer = owner.send(method, path, headers=headers, **given)
    told = answer.json["details"]
    named = "If-Match" if place == "header" else "ifMatch"
    message = "Is for one record; with many, each takes ifMatch."
    is_legacy = path.startswith("/api/v1/crm/company")
    assert told == ([{"field": named, "message": message}] if is_legacy else {"fields": {named: [message]}})
    assert (answer.status_code, grown) == (400, {})

"""Cursors of the feed: whose they are, and what they outlive."""

from __future__ import annotations

from app.crm.models import CrmCompany

COMPANY, CHANGES = "/api/v1/crm/company", "/api/v1/_changes"


def test_a_cursor_of_somebody_else_is_refused(cast, owner):
    cursor = cast.user().get(CHANGES).json["meta"]["next"]
    assert owner.get(CHANGES, query_string={"since": cursor}).status_code == 400


def test_a_cursor_outlives_a_change_of_rights_and_has_everything_read_anew(owner, cast):
    key = cast.key(owner, "read")
    since = key.get(CHANGES).json["meta"]["next"]
    (row,) = owner.get("/api/v1/auth/api-key").json["data"]
    narrow = [{"models": ["crm/company"], "operations": ["list", "read"]}]
    assert owner.patch(f"/api/v1/auth/api-key/{row['id']}", {"access": narrow}).status_code == 200
    page = key.get(CHANGES, query_string={"since": since, "models": "crm/company"}).json
    assert page["meta"]["resync"] == ["crm/company"]


def test_a_cursor_that_is_changed_is_refused(owner):
    cursor = owner.get(CHANGES).json["meta"]["next"]
    for index in (0, len(cursor) // 2):
        forged = cursor[:index] + ("A" if cursor[index] != "A" else "B") + cursor[index + 1 :]
        assert owner.get(CHANGES, query_string={"since": forged}).status_code == 400


def test_a_cursor_of_a_log_that_is_gone_begins_anew(owner, workshop, sql):
    cursor = owner.get(CHANGES).json["meta"]["next"]
    sql("UPDATE platform_change_sequencer SET epoch = gen_random_uuid()")
    workshop.make(CrmCompany)
    page = owner.get(CHANGES, query_string={"since": cursor}).json
    assert (page["data"], page["meta"]["reset"]) == ([], True)
    after = owner.get(CHANGES, query_string={"since": page["meta"]["next"]}).json
    assert "reset" not in after["meta"]

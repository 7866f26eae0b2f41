"""One's own data on the pages: archives, and the end of the account."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from sqlalchemy import update

from app.storage import exports
from app.storage.models import StorageExport
from app.testing.database import transaction
from blueprints.pages import formats
from tests.account.test_security import id_of, make_stale
from tests.account.visitors import Visitor, alerts_of, said_by
from tests.auth.sign_in.visitors import session_of

EXPORT, DELETE = "/account/export", "/account/delete"
CONTENT = re.compile(r'href="(/api/auth/account/export/([0-9a-f-]{36})/content)"')


def ids_of(app, visitor):
    """The archives of a visitor."""
    listed = visitor.client.get("/api/auth/account/export", headers=visitor.headers).json["data"]
    return [UUID(each["id"]) for each in listed]


def test_an_archive_is_asked_for_made_and_fetched(app, member):
    assert member.send(EXPORT).headers["Location"] == EXPORT
    page = member.get(EXPORT)
    assert said_by(page) == ["The archive is being made. A mail says when it is ready."]
    assert "Being made" in page.text
    assert "Make an archive" not in page.text
    assert not CONTENT.search(page.text)
    (made,) = ids_of(app, member)
    with app.app_context():
        exports.make(made)
    page = member.get(EXPORT).text
    assert ("Ready" in page, "Make an archive" in page) == (True, True)
    content = member.client.get(CONTENT.search(page)[1], headers=member.headers, buffered=True)
    assert (content.status_code, content.mimetype) == (200, "application/zip")
    other = Visitor(app).sign_up()
    assert other.client.get(CONTENT.search(page)[1], headers=other.headers).status_code == 404
    assert not CONTENT.search(other.get(EXPORT).text)


def test_what_could_not_be_made_and_five_archives_are_told(app, member):
    for _ in range(5):
        member.send(EXPORT)
        made = StorageExport.id.in_(ids_of(app, member))
        with app.app_context(), transaction() as session:
            session.execute(update(StorageExport).where(made).values(status="failed"))
    page = member.get(EXPORT).text
    assert page.count("Could not be made") == 5
    assert "There are five archives already" in page
    assert member.send(EXPORT, page="/account").status_code == 429


def test_an_account_is_to_be_deleted_and_kept(app, member):
    assert "You have 7 days to change your mind." in member.get(DELETE).text
    assert member.send(DELETE).headers["Location"] == DELETE
    page = member.get(DELETE)
    assert said_by(page) == ["Your account will be deleted."]
    assert re.search(r"Your account will be deleted on \w+ \d+, \d{4}, .* UTC\.", page.text)
    assert "It will be deleted on" in member.get(EXPORT).text
    assert "Your account will be deleted on" in member.get("/account").text
    assert session_of(member.client)["deletionAt"]
    assert member.send(f"{DELETE}/cancel", page=DELETE).status_code == 303
    assert said_by(member.get(DELETE)) == ["Your account stays."]
    assert "deletionAt" not in session_of(member.client)


def test_organizations_that_nobody_else_owns_are_named_first(member):
    member.send("/account/organizations", name="Harbour & Sons")
    refused = member.send(DELETE)
    assert (refused.status_code, alerts_of(refused)) == (409, ["Hand over or delete your organizations first"])
    place = re.search(r'href="(/account/organizations/[0-9a-f-]{36})">Harbour &amp; Sons<', refused.text)[1]
    assert member.get(place).status_code == 200
    assert "deletionAt" not in session_of(member.client)


def test_deleting_wants_a_recent_proof_and_keeping_does_not(app, member):
    make_stale(app, member)
    refused = member.send(DELETE)
    assert refused.status_code == 403
    assert f"next={DELETE}" in refused.text
    assert member.send(f"{DELETE}/cancel", page=DELETE).status_code == 303


def test_an_admin_who_impersonates_sees_no_archives(app, cast, member):
    admin = cast.user(role="admin")  # who has just signed in, as the one of all tests may not have
    bearer = admin.post("/api/auth/impersonate", {"userId": id_of(member)}).json["token"]
    headers = {"Authorization": f"Bearer {bearer}"}
    assert app.test_client().get("/account/security", headers=headers).status_code == 200
    assert app.test_client().get(EXPORT, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("count", "english", "german"),
    [
        (0, "0 byte", "0 Byte"),
        (999, "999 byte", "999 Byte"),
        (48213, "48.2 kB", "48,2 kB"),
        (5 * 10**12, "5,000 GB", "5.000 GB"),
    ],
)
def test_sizes_are_told_in_the_unit_that_one_would_say(app, count, english, german):
    for language, words in (("en", english), ("de", german)):
        with app.test_request_context(f"/?lang={language}"):
            assert formats.size(count).replace("\N{NO-BREAK SPACE}", " ") == words

"""Exports: what is in the archive of a user, who gets it, and how long it is there."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select, update

from app.auth.credentials import impersonation, sessions
from app.auth.models.identity import AuthUser
from app.crm.models import CrmCompany
from app.foundation.clock import now
from app.jobs import registry
from app.mail.models import PlatformMail
from app.storage import exports, kept_files, uploads
from app.storage.models import StorageExport
from app.storage.object_store import object_store
from app.testing.database import transaction, unit_of_work
from tests import gone
from tests.auth.sharing.sharing import address, let_out, shared
from tests.writes import created

EXPORTS = "/api/auth/account/export"


@pytest.fixture
def made(app):
    """Ask for an archive, and do its job."""

    def make(owner):
        answer = owner.post(EXPORTS)
        assert answer.status_code == 202, answer.json
        with app.app_context():
            exports.make(UUID(answer.json["id"]))
        return answer.json["id"]

    return make


def archive(owner, identifier):
    answer = owner.get(f"{EXPORTS}/{identifier}/content", buffered=True)
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    return zipfile.ZipFile(io.BytesIO(answer.data))


def lines(opened, name):
    return [json.loads(line) for line in opened.read(name).splitlines()]


def test_the_archive_holds_the_records_and_files_of_its_owner(owner, made):
    company = created(owner, "crm/company", name="Harbour Works")
    document = created(owner, "storage/document", title="Plan", content="First this, then that.")
    upload = created(owner, "storage/upload", filename="a.txt", contentType="text/plain", contentBase64="SGVsbG8=")
    opened = archive(owner, made(owner))
    assert [each["id"] for each in lines(opened, "crm/company.ndjson")] == [company["id"]]
    assert lines(opened, "storage/document.ndjson")[0]["content"] == document["content"]
    assert opened.read(f"files/{upload['id']}/a.txt") == b"Hello"
    assert [each["id"] for each in lines(opened, "auth/user.ndjson")] == [str(owner.user_id)]


def test_the_archive_leaves_shared_organizations_and_secrets_out(cast, owner, made):
    colleague = cast.colleague(owner)
    created(owner, "crm/company", name="Harbour Works")
    opened = archive(colleague, made(colleague))
    assert lines(opened, "crm/company.ndjson") == []
    assert {each["organizationId"] for each in lines(opened, "auth/member.ndjson")} == {
        str(owner.organization_id), str(colleague.organization_id),
    }  # fmt: skip
    assert [each["id"] for each in lines(opened, "auth/user.ndjson")] == [str(colleague.user_id)]
    everything = b"".join(opened.read(name) for name in opened.namelist())
    assert b"tokenHash" not in everything
    assert (colleague.token or "").encode() not in everything


def test_the_archive_leaves_out_what_others_share(cast, owner, made):
    let_out(owner)
    guest, company = cast.user(), created(owner, "crm/company", name="Harbour Works")
    shared(owner, CrmCompany, company["id"], ("read", {"email": address(guest)}))
    assert guest.get(f"/api/v1/crm/company/{company['id']}").status_code == 200
    assert lines(archive(guest, made(guest)), "crm/company.ndjson") == []


def test_every_page_of_many_records_is_in_the_archive(owner, made, monkeypatch):
    monkeypatch.setattr(exports, "BATCH_SIZE", 2)
    companies = {created(owner, "crm/company", name=f"Company {number}")["id"] for number in range(5)}
    assert {each["id"] for each in lines(archive(owner, made(owner)), "crm/company.ndjson")} == companies


def test_an_archive_is_for_the_session_of_its_person_alone(cast, owner, made):
    identifier = made(owner)
    for path in (f"{EXPORTS}/{identifier}", f"{EXPORTS}/{identifier}/content"):
        assert cast.user().get(path).status_code == 404
        assert cast.key(owner, "read", "write").get(path).status_code == 403
        assert cast.nobody.get(path).status_code == 401


def test_an_admin_who_impersonates_gets_no_archive(app, cast, owner, made):
    identifier = made(owner)
    with app.app_context(), app.test_request_context():
        token = impersonation.impersonate(cast.user(role="admin").principal, owner.user_id).token
    support = type(owner)(app, token)
    assert support.get("/api/v1/auth/user").status_code == 200
    assert support.get(EXPORTS).status_code == 403
    assert support.get(f"{EXPORTS}/{identifier}/content").status_code == 403


def test_asking_again_answers_the_archive_that_is_being_made(owner):
    first = owner.post(EXPORTS).json
    assert owner.post(EXPORTS).json == first
    assert [each["id"] for each in owner.get(EXPORTS).json["data"]] == [first["id"]]


@pytest.mark.full
def test_a_user_has_five_archives_at_most(owner, made):
    for _ in range(exports.MAX_EXPORTS):
        made(owner)
    answer = owner.post(EXPORTS)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "86400")


def test_the_owner_is_told_by_mail(app, owner, made):
    identifier = made(owner)
    with app.app_context(), transaction() as session:
        told = select(PlatformMail.to).where(PlatformMail.kind == "export-ready", PlatformMail.cause == identifier)
        assert session.scalars(told).all()


def test_an_archive_is_kept_by_the_sweep_and_goes_after_its_week(app, owner, made):
    identifier = made(owner)
    with app.app_context():
        uploads.sweep()
        with transaction() as session:
            key = session.get_one(StorageExport, UUID(identifier)).storage_key
            over = update(StorageExport).where(StorageExport.id == UUID(identifier))
            session.execute(over.values(expires_at=now() - timedelta(seconds=1)))
    assert owner.get(f"{EXPORTS}/{identifier}/content").status_code == 404
    with app.app_context():
        kept_files.expire(StorageExport)
        assert key not in {each for each, _ in object_store().keys()}


@pytest.mark.parametrize("way", [gone.banned, gone.deleted])
@pytest.mark.parametrize("moment", ["before", "among the records", "among the files", "at the end"])
def test_an_archive_of_somebody_who_goes_fails_and_leaves_no_file(app, cast, owner, monkeypatch, way, moment):
    created(owner, "storage/upload", filename="a.txt", contentType="text/plain", contentBase64="SGVsbG8=")
    identifier = UUID(owner.post(EXPORTS).json["id"])
    steps = {"among the records": (exports.pages, "list_page"), "among the files": (exports, "_uploads"),
             "at the end": (kept_files, "keep")}  # fmt: skip
    with app.app_context():
        before = {key for key, _ in object_store().keys()}
        if moment in steps:
            go_at(monkeypatch, *steps[moment], lambda: way(cast, owner, owner))
        else:
            way(cast, owner, owner)
        exports.make(identifier)
        assert {key for key, _ in object_store().keys()} <= before
        with transaction() as session:
            left = session.get(StorageExport, identifier)
            found = (left.status, left.error_message) if left else None
    assert found == (None if way is gone.deleted else ("failed", "Your account may no longer act"))


def test_who_is_let_in_again_asks_for_another_archive(app, cast, made):
    owner = cast.user()
    identifier = UUID(owner.post(EXPORTS).json["id"])
    gone.banned(cast, owner, owner)
    with app.app_context():
        exports.make(identifier)
    assert cast.admin.patch(f"{gone.USER}/{owner.user_id}", {"banned": False}).status_code == 200
    with app.app_context(), unit_of_work() as unit:
        again = sessions.open_session(unit, unit.session.get_one(AuthUser, owner.user_id)).token
    back = type(owner)(app, again, owner.user_id, owner.organization_id)
    assert archive(back, made(back)).namelist()


def go_at(monkeypatch, module, name, go):
    """Have somebody go the first time that a step is begun."""
    step, gone_already = getattr(module, name), []

    def begin(*arguments, **more):
        if not gone_already:
            gone_already.append(True)
            go()
        return step(*arguments, **more)

    monkeypatch.setattr(module, name, begin)


def test_an_archive_does_not_wait_for_the_queries_of_its_owner(app, owner):
    identifier = owner.post(EXPORTS).json["id"]
    app.extensions["query_slots"]._give_back(str(owner.user_id), "of queries", 100_000)
    assert owner.get("/api/v1/crm/company?sort=name").status_code == 429
    registry.work(app, concurrency=1, until_empty=True)
    archive(owner, identifier)

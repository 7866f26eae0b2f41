"""Imports by jobs: asked for in one request, watched and cancelled in others, done with the rights of the day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, update

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.engine.transfer import importing
from app.foundation.clock import now
from app.storage import import_jobs, imports, kept_files, uploads
from app.storage.import_models import StorageImport
from app.storage.object_store import object_store
from app.testing.database import transaction
from app.testing.waiting import perform
from tests.storage.imports.files import COMPANIES, QUESTIONS, all_of, project, send, table, values
from tests.writes import created

NOTICES = "/api/v1/notification/notification"


@pytest.fixture
def work(app):
    return lambda: perform(app, imports.IMPORT)


def elsewhere(ask, *arguments):
    """Ask for something in a request of its own while a job runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ask, *arguments).result()


def state(actor, url):
    """How far an import is, without the counts that are zero."""
    answer = actor.get(url)
    assert answer.status_code == 200, answer.json
    counts = ("rows", "created", "updated", "ignored", "failed")
    return {name: value for name, value in answer.json.items() if name in ("status", "total", *counts) and value}


def test_a_long_file_is_imported_by_a_job(owner, asked, work, long, stored):
    before = stored()
    url = asked()
    assert state(owner, url) == {"status": "pending"}
    assert (stored(), all_of(owner, COMPANIES)) == (before + 1, [])
    work()
    assert state(owner, url) == {"status": "completed", "total": 10, "rows": 10, "created": 10}
    assert values(owner, COMPANIES, "name") == sorted(row["name"] for row in long)
    assert stored() == before


@pytest.mark.parametrize("partial", [False, True])
def test_all_batches_of_a_job_are_undone_by_its_id(owner, asked, work, partial):
    url = asked(partial=partial)
    work()
    undone = owner.post("/api/v1/_undo", {"transaction": url.rpartition("/")[2]})
    assert (undone.status_code, undone.json["deleted"]) == (200, 10)
    assert all_of(owner, COMPANIES) == []
    assert len(owner.get(NOTICES).json["data"]) == 1


def test_an_import_that_runs_is_not_undone(owner, asked, work):
    url = asked()
    refused = owner.post("/api/v1/_undo", {"transaction": url.rpartition("/")[2]})
    assert (refused.status_code, refused.json["error"]) == (409, "The import is still running.")


def test_its_user_is_told(owner, asked, work):
    url = asked()
    work()
    (told,) = owner.get(NOTICES).json["data"]
    assert (told["type"], told["data"]) == ("IMPORT_FINISHED", {"importId": url.rpartition("/")[2], "url": url})
    assert "10 created" in str(told)


def test_progress_is_seen_while_it_runs(owner, asked, work, monkeypatch):
    url, seen = asked(), []
    plain = importing.Import.write

    def write(self, unit, batch):
        seen.append(elsewhere(state, owner, url))
        return plain(self, unit, batch)

    monkeypatch.setattr(importing.Import, "write", write)
    work()
    assert [each.get("rows", 0) for each in seen] == [0, 3, 6, 9]
    assert {(each["status"], each["total"]) for each in seen} == {("running", 10)}


@pytest.mark.parametrize(("partial", "created_"), [(False, {}), (True, {"created": 9})])
def test_bad_lines_are_told_and_keep_all_others_out_unless_partial(owner, asked, work, long, partial, created_):
    long[5]["revenue"] = "none"
    url = asked(partial=partial)
    work()
    assert state(owner, url) == {"status": "completed", "total": 10, "rows": 10, "failed": 1, **created_}
    assert [(each["line"], list(each["fields"])) for each in owner.get(url).json["data"]] == [(7, ["revenue"])]
    assert len(all_of(owner, COMPANIES)) == created_.get("created", 0)


def test_a_dry_run_writes_nothing(owner, asked, work):
    url = asked(dryRun=True)
    work()
    assert state(owner, url) == {"status": "completed", "total": 10, "rows": 10, "created": 10}
    assert all_of(owner, COMPANIES) == []


@pytest.mark.parametrize("partial", [False, True])
def test_a_dry_run_by_a_job_counts_what_the_import_makes(owner, asked, work, long, partial):
    long[5]["name"] = long[4]["name"] = ""
    told = []
    for dry in (True, False):
        url = asked(dryRun=dry, partial=partial)
        work()
        told.append(state(owner, url))
    assert told[0] == told[1]
    assert len(all_of(owner, COMPANIES)) == told[0].get("created", 0) == (8 if partial else 0)


@pytest.mark.parametrize("partial", [False, True])
def test_a_file_that_breaks_off_late_fails_as_a_whole(owner, long, work, partial):
    answer = send(owner, COMPANIES, table(*long) + b'"open\r\n', partial=partial)
    assert answer.status_code == 202
    work()
    found = owner.get(answer.json["url"]).json
    assert (found["status"], found["error"][:8]) == ("failed", "Line 12:")
    assert all_of(owner, COMPANIES) == []
    assert owner.get(NOTICES).json["data"][0]["title"] == "An import has failed"


@pytest.mark.parametrize("partial", [False, True])
def test_records_of_several_batches_refer_to_each_other(owner, long, work, asked, partial):
    of, ids = project(owner), [str(UUID(int=number)) for number in range(8)]
    rows = [{"id": each, "parentQuestionId": above, "text": each, "projectId": of} for each, above in zip(
        ids, [ids[-1]] * 7 + [""], strict=True
    )]  # fmt: skip
    url = asked(rows, model=QUESTIONS, partial=partial)
    work()
    assert state(owner, url) == {"status": "completed", "total": 8, "rows": 8, "created": 8}
    made = {each["text"]: each for each in all_of(owner, QUESTIONS)}
    assert {made[each]["parentQuestionId"] for each in ids[:-1]} == {made[ids[-1]]["id"]}


def test_one_that_waits_is_cancelled(owner, asked, work, stored):
    before, url = stored(), asked()
    assert owner.delete(url).json["status"] == "cancelled"
    work()
    assert state(owner, url) == {"status": "cancelled"}
    assert (all_of(owner, COMPANIES), stored()) == ([], before)
    assert owner.delete(url).status_code == 409


@pytest.mark.parametrize(("partial", "kept"), [(False, 0), (True, 6)])
def test_one_that_runs_is_cancelled_and_keeps_what_a_partial_one_has_written(
    owner, asked, work, monkeypatch, partial, kept, stored
):
    before, url, batches = stored(), asked(partial=partial), []
    plain = importing.Import.write

    def write(self, unit, batch):
        batches.append(batch)
        if len(batches) == 3:
            assert elsewhere(owner.delete, url).status_code == 200
        return plain(self, unit, batch)

    monkeypatch.setattr(importing.Import, "write", write)
    work()
    assert owner.get(url).json["status"] == "cancelled"
    assert (len(all_of(owner, COMPANIES)), len(batches), stored()) == (kept, 3, before)
    assert owner.get(url).json["created"] == kept


def change(app, statement):
    with app.app_context(), transaction() as session:
        session.execute(statement)


def banned(app, cast, owner):
    cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"banned": True})


def without_membership(app, cast, owner):
    change(app, delete(AuthMember).where(AuthMember.user_id == owner.user_id))


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("end", [banned, without_membership], ids=lambda end: end.__name__)
def test_rights_are_those_of_the_time_of_the_job(app, cast, owner, asked, work, end, partial, stored):
    before, colleague = stored(), cast.colleague(owner)
    url = asked(partial=partial)
    end(app, cast, owner)
    work()
    with app.app_context(), transaction() as session:
        found = session.get_one(StorageImport, UUID(url.rpartition("/")[2]))
        assert found.created == 0
        assert found.status == "failed" or found.failed == 10
    assert (all_of(colleague, COMPANIES), stored()) == ([], before)


def test_an_organization_that_the_credential_did_not_have_stays_out(cast, owner, asked, work, long, app):
    elsewhere = cast.user()
    rows = [row | {"organizationId": str(elsewhere.organization_id)} for row in long]
    url = asked(rows, partial=True)
    joined = AuthMember(organization_id=elsewhere.organization_id, user_id=owner.user_id, role="member")
    with app.app_context(), transaction() as session:
        session.add(joined)
    work()
    assert state(owner, url) == {"status": "completed", "total": 10, "rows": 10, "failed": 10}
    assert all_of(elsewhere, COMPANIES) == []


def test_an_admin_who_is_none_any_more_imports_as_a_user(app, cast, long, asked, work):
    admin, other = cast.user(role="admin"), cast.user()
    url = asked([row | {"organizationId": str(other.organization_id)} for row in long], actor=admin, partial=True)
    change(app, update(AuthUser).where(AuthUser.id == admin.user_id).values(role="user"))
    work()
    assert state(admin, url) == {"status": "completed", "total": 10, "rows": 10, "failed": 10}
    assert all_of(other, COMPANIES) == []


def test_a_user_sees_own_imports_alone(cast, owner, asked):
    first, second = asked(), asked(dryRun=True)
    assert [f"/api/v1/_imports/{each['id']}" for each in owner.get("/api/v1/_imports").json["data"]] == [second, first]
    stranger = cast.user()
    assert stranger.get("/api/v1/_imports").json["data"] == []
    for actor in (stranger, cast.colleague(owner), cast.admin):
        assert actor.get(first).status_code == actor.delete(first).status_code == 404
    assert owner.get(f"{first}0").status_code == owner.get("/api/v1/_imports/nope").status_code == 404
    for path in ("/api/v1/_imports", first):
        assert cast.nobody.get(path).status_code == 401


@pytest.mark.full
def test_twenty_imports_of_a_user_may_wait(owner, asked, long, work, stored):
    before = stored()
    for _ in range(imports.MAX_IMPORTS):
        asked()
    answer = send(owner, COMPANIES, table(*long))
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert stored() == before + imports.MAX_IMPORTS
    work()
    asked()


def test_a_file_is_kept_by_the_sweep_and_goes_with_its_import_after_a_week(app, owner, asked, stored, monkeypatch):
    monkeypatch.setattr(uploads, "SETTLED", timedelta(seconds=-60))
    with app.app_context():
        uploads.sweep()  # what other tests have left
    before, url = stored(), asked()
    with app.app_context():
        uploads.sweep()
        assert stored() == before + 1
        kept_files.expire(StorageImport)
        assert owner.get(url).status_code == 200
    over = update(StorageImport).where(StorageImport.id == UUID(url.rpartition("/")[2]))
    change(app, over.values(expires_at=now() - timedelta(seconds=1)))
    with app.app_context():
        kept_files.expire(StorageImport)
    assert (owner.get(url).status_code, stored()) == (404, before)


def test_the_file_of_a_user_who_is_gone_is_swept(app, owner, asked, monkeypatch, work):
    with app.app_context():
        before = {key for key, _ in object_store().keys()}
        asked()
        ((left,),) = [{key for key, _ in object_store().keys()} - before]
    change(app, delete(StorageImport).where(StorageImport.user_id == owner.user_id))
    work()
    monkeypatch.setattr(uploads, "SETTLED", timedelta(seconds=-60))
    with app.app_context():
        uploads.sweep()
        assert left not in {key for key, _ in object_store().keys()}


def test_a_job_that_fails_for_good_says_so_and_leaves_no_file(app, owner, asked, stored):
    before, url = stored(), asked()
    with app.app_context():
        import_jobs.give_up(UUID(url.rpartition("/")[2]))
    found = owner.get(url).json
    assert (found["status"], found["error"], stored()) == ("failed", "The service failed", before)


def test_a_record_that_is_there_already_is_merged_by_a_job_too(owner, asked, work, cast):
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    rows = [
        {"firstName": "Grace", "lastName": "Hopper", "email": f"grace{number}@example.com", "companyId": company}
        for number in range(8)
    ]
    created(owner, "crm/contact", **rows[3])
    url = asked(rows, model="crm/contact", onConflict="email", resolution="ignore")
    work()
    assert state(owner, url) == {"status": "completed", "total": 8, "rows": 8, "created": 7, "ignored": 1}

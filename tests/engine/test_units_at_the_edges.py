"""Units of work at the edges: failures at the commit, siblings that find no room, races lost after partial success."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select, text

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider
from app.ai_research.models import AiResearchProject, AiResearchQuestion
from app.engine.read.database import LostRace, reading
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Forbidden, ForeignKeyViolation, PayloadTooLarge, UniqueViolation
from app.platform.models import PlatformAuditLog, PlatformFeatureFlag
from app.storage.models import StorageUpload
from app.storage.object_store import object_store


@pytest.fixture
def principal(owner):
    return owner.principal


def upload(content="SGVsbG8="):
    return {"filename": "hello.txt", "content_base64": content}


def stored_keys(app):
    with app.app_context():
        return {key for key, _ in object_store().keys()}


def test_a_rule_that_is_broken_at_the_commit_undoes_the_unit_and_names_the_field(app, owner, principal):
    done, undone = [], []
    provider = AiProvider(slug=f"s-{owner.user_id}", name="S", kind="builtin", default_model="m")

    def break_at_the_end(unit):
        unit.store(provider)
        unit.session.execute(text("SET CONSTRAINTS ALL DEFERRED"))
        chain = unit.create(AiChain, {"name": "C"})
        for _ in range(2):
            place = {"chain_id": chain["id"], "provider_id": provider.id, "position": 0}
            unit.store(AiChainProvider(**place))
        unit.after_commit(lambda: done.append(1))
        unit.on_rollback(lambda: undone.append(1))

    with app.app_context(), pytest.raises(UniqueViolation) as refused:
        run_unit(principal, break_at_the_end)
    assert "position" in refused.value.details["fields"]
    assert (done, undone) == ([], [1])
    assert [each["name"] for each in owner.get("/api/v1/ai/chain").json["data"]] == ["Default"]


def test_the_bytes_of_a_file_go_when_a_sibling_in_its_unit_finds_no_room(app, owner, principal):
    (bucket,) = owner.get("/api/v1/storage/bucket").json["data"]
    changed = owner.patch(f"/api/v1/storage/bucket/{bucket['id']}", {"quotaBytes": 8})
    assert changed.status_code == 200
    before = stored_keys(app)

    def fill(unit):
        unit.create(StorageUpload, upload())
        unit.create(StorageUpload, upload())

    with app.app_context(), pytest.raises(PayloadTooLarge):
        run_unit(principal, fill)
    assert stored_keys(app) == before
    assert owner.get("/api/v1/storage/upload").json["data"] == []
    assert owner.get(f"/api/v1/storage/bucket/{bucket['id']}").json["usedBytes"] == 0


def test_a_run_that_is_lost_after_partial_success_leaves_the_bytes_of_the_run_that_counts(app, owner, principal):
    before, runs = stored_keys(app), []

    def race(unit):
        runs.append(unit.create(StorageUpload, upload()))
        if len(runs) == 1:
            raise LostRace()

    with app.app_context():
        run_unit(principal, race)
    assert len(runs) == 2
    (kept,) = owner.get("/api/v1/storage/upload").json["data"]
    assert kept["id"] == str(runs[1]["id"])
    assert len(stored_keys(app) - before) == 1


def test_what_follows_a_unit_may_begin_another(app, owner, principal):
    done = []

    def count():
        with reading() as session:
            done.append(session.scalar(text("SELECT 1")))
        run_unit(principal, lambda unit: done.append(unit.session.scalar(text("SELECT 2"))))

    def work(unit, *, fails):
        unit.after_commit(count)
        unit.on_rollback(count)
        if fails:
            raise Forbidden()

    with app.app_context():
        run_unit(principal, work, fails=False)
        with pytest.raises(Forbidden):
            run_unit(principal, work, fails=True)
    assert done == [1, 2, 1, 2]


def test_a_hook_that_refuses_takes_all_of_its_unit_with_it(app, owner, principal):
    def work(unit):
        project = unit.create(AiResearchProject, {"title": "Tides", "objective": "Know them"})
        unit.create(AiResearchProject, {"title": "Currents", "objective": "Know them"})
        unit.create(
            AiResearchQuestion, {"project_id": project["id"], "text": "Why?", "parent_question_id": UUID(int=1)}
        )

    with app.app_context(), pytest.raises(ForeignKeyViolation):
        run_unit(principal, work)
    assert owner.get("/api/v1/ai-research/project").json["data"] == []


def test_every_write_of_a_unit_is_in_the_audit_log_and_none_of_one_that_failed(app, cast):
    admin = cast.admin.principal
    keys = [f"audited-{number}-{cast.user().user_id}"[:60] for number in range(2)]

    def switch(unit, *, fails):
        flags = [unit.create(PlatformFeatureFlag, {"key": key, "name": "Audited"}) for key in keys]
        unit.update(PlatformFeatureFlag, flags[0]["id"], {"enabled": True})
        if fails:
            raise Forbidden()
        return [str(flag["id"]) for flag in flags]

    with app.app_context():
        with pytest.raises(Forbidden):
            run_unit(admin, switch, fails=True)
        written = run_unit(admin, switch, fails=False)
        with reading() as session:
            log = PlatformAuditLog
            wanted = select(log.action, log.target_id, log.actor_id).where(log.target_id.in_(written))
            found = sorted(
                (row.action.rpartition(".")[2], written.index(row.target_id)) for row in session.execute(wanted)
            )
    assert found == [("create", 0), ("create", 1), ("update", 0)]

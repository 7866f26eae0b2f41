"""A unit of work: what is written in it is there together or not at all, and how often it is run."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest
from sqlalchemy import func, select, text, update

from app.crm.models import CrmCompany, CrmContact
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import LostRace, reading
from app.engine.write.unit_of_work import TRIES, Unit, run_unit
from app.foundation.errors import Forbidden, ForeignKeyViolation, NotFound, UniqueViolation
from app.jobs import queue
from app.platform.models import PlatformAuditLog, PlatformFeatureFlag

COMPANIES = "/api/v1/crm/company"
ADA = {"first_name": "Ada", "last_name": "L", "email": "ada@example.com"}


@pytest.fixture
def principal(owner):
    return owner.principal


def names(actor):
    return sorted(each["name"] for each in actor.get(COMPANIES).json["data"])


def test_writes_of_one_unit_are_there_together(app, owner, principal):
    def found(unit):
        company = unit.create(CrmCompany, {"name": "Acme"})
        return unit.create(CrmContact, {"company_id": company["id"], **ADA})

    with app.app_context():
        contact = run_unit(principal, found)
    assert owner.get(f"/api/v1/crm/contact/{contact['id']}").json["companyId"] == str(contact["companyId"])


def test_a_write_that_fails_takes_the_earlier_ones_of_its_unit_with_it(app, owner, principal):
    def fail(unit):
        unit.create(CrmCompany, {"name": "Acme"})
        unit.create(CrmContact, {"company_id": UUID(int=1), **ADA})

    with app.app_context(), pytest.raises(ForeignKeyViolation):
        run_unit(principal, fail)
    assert names(owner) == []


def test_a_unit_writes_what_its_principal_may(app, owner, cast):
    stranger = cast.user().principal
    company = owner.post(COMPANIES, {"name": "Acme"}).json
    with app.app_context():
        with pytest.raises(NotFound):
            run_unit(stranger, Unit.update, CrmCompany, UUID(company["id"]), {"name": "Mine now"})
        with pytest.raises(NotFound):
            run_unit(stranger, Unit.delete, CrmCompany, UUID(company["id"]))
        with pytest.raises(Forbidden):
            run_unit(stranger, Unit.create, PlatformFeatureFlag, {"key": "mine", "name": "Mine"})
    assert names(owner) == ["Acme"]


def test_an_update_returns_the_record_and_a_deletion_nothing_unless_asked(app, owner, principal):
    company = owner.post(COMPANIES, {"name": "Acme"}).json
    with app.app_context():
        changed = run_unit(principal, Unit.update, CrmCompany, UUID(company["id"]), {"name": "Apex"})
        assert changed["name"] == "Apex"
        gone = run_unit(principal, Unit.delete, CrmCompany, UUID(company["id"]), returning=True)
    assert gone["name"] == "Apex"
    assert names(owner) == []


def test_a_unit_inside_of_another_is_refused_and_leaves_the_outer_one_as_it_was(app, owner, principal):
    def outer(unit):
        unit.create(CrmCompany, {"name": "Outer"})
        with pytest.raises(RuntimeError, match="do not nest"):
            run_unit(principal, Unit.create, CrmCompany, {"name": "Inner"})
        raise Forbidden()

    with app.app_context(), pytest.raises(Forbidden):
        run_unit(principal, outer)
    assert names(owner) == []


def test_reading_inside_of_a_unit_is_refused(app):
    def work(unit):
        with reading():
            raise AssertionError("not reached")

    with app.app_context(), pytest.raises(RuntimeError, match="reads with its own session"):
        run_unit(SYSTEM, work)


def test_a_unit_follows_one_that_failed(app, owner, principal):
    with app.app_context():
        with pytest.raises(Forbidden):
            run_unit(principal, Unit.create, PlatformFeatureFlag, {"key": "mine", "name": "Mine"})
        run_unit(principal, Unit.create, CrmCompany, {"name": "Acme"})
    assert names(owner) == ["Acme"]


@pytest.mark.parametrize(("losses", "runs"), [(0, 1), (1, 2), (TRIES - 1, TRIES)])
def test_a_unit_that_loses_a_race_is_run_again_from_its_arguments(app, owner, principal, losses, runs):
    begun = []

    def race(unit, name):
        begun.append(name)
        unit.create(CrmCompany, {"name": name})
        if len(begun) <= losses:
            raise LostRace()

    with app.app_context():
        run_unit(principal, race, "Acme")
    assert begun == ["Acme"] * runs
    assert names(owner) == ["Acme"]


def test_a_unit_that_loses_every_race_is_given_up_after_three_runs(app, owner, principal):
    undone = []

    def lose(unit):
        unit.create(CrmCompany, {"name": "Acme"})
        unit.on_rollback(lambda: undone.append(1))
        raise LostRace()

    with app.app_context(), pytest.raises(LostRace):
        run_unit(principal, lose)
    assert undone == [1] * TRIES
    assert names(owner) == []


def test_two_units_that_wait_for_each_other_both_come_to_their_end(app, owner, principal):
    first, second = (UUID(owner.post(COMPANIES, {"name": name}).json["id"]) for name in ("First", "Second"))
    met, runs = threading.Barrier(2, timeout=10), []

    def cross(unit, ids, name):
        runs.append(name)
        for number, identifier in enumerate(ids):
            unit.update(CrmCompany, identifier, {"industry": name})
            if number == 0 and runs.count(name) == 1:
                met.wait()

    def work(ids, name):
        with app.app_context():
            run_unit(principal, cross, ids, name)

    threads = [
        threading.Thread(target=work, args=((first, second), "there")),
        threading.Thread(target=work, args=((second, first), "back")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(runs) > 2  # PostgreSQL ended one of them
    stored = {each["industry"] for each in owner.get(COMPANIES).json["data"]}
    assert len(stored) == 1


def test_what_follows_the_commit_waits_for_it_and_stays_undone_without_one(app, owner, principal):
    done = []

    def work(unit, *, fails):
        unit.create(CrmCompany, {"name": "Acme"})
        unit.after_commit(lambda: done.append(names(owner)))
        if fails:
            raise Forbidden()

    with app.app_context():
        with pytest.raises(Forbidden):
            run_unit(principal, work, fails=True)
        assert done == []
        run_unit(principal, work, fails=False)
    assert done == [["Acme"]]


def test_what_a_unit_gathers_is_handed_over_once(app):
    handed = []

    def work(unit):
        for number in (1, 2, 2):
            unit.gather(handed.append).add(number)
        assert handed == []

    with app.app_context():
        run_unit(SYSTEM, work)
    assert handed == [{1, 2}]


def test_a_job_of_a_unit_that_fails_is_not_there(app, owner):
    def work(unit):
        queue.defer(unit, "nobody_knows_this", owner.user_id)
        raise Forbidden()

    waiting = text("SELECT count(*) FROM procrastinate_jobs WHERE args->>'row_id' = :row")
    with app.app_context():
        with pytest.raises(Forbidden):
            run_unit(SYSTEM, work)
        with reading() as session:
            assert session.scalar(waiting, {"row": str(owner.user_id)}) == 0


def test_the_failure_of_a_statement_by_hand_is_one_of_the_service(app, owner, principal):
    both = [UUID(owner.post(COMPANIES, {"name": name}).json["id"]) for name in ("First", "Second")]
    same = update(CrmCompany).where(CrmCompany.id == both[0]).values(id=both[1])
    with app.app_context(), pytest.raises(UniqueViolation):
        run_unit(SYSTEM, Unit.bookkeep, same)


@pytest.mark.parametrize("writes_before", [False, True])
def test_a_removal_that_leaves_a_broken_reference_names_who_still_refers(app, owner, principal, writes_before):
    company = UUID(owner.post(COMPANIES, {"name": "Acme"}).json["id"])

    def fail(unit):
        unit.create(CrmContact, {"company_id": company, **ADA})
        if writes_before:
            unit.create(CrmCompany, {"name": "Apex"})
        unit.delete(CrmCompany, company)

    with app.app_context(), pytest.raises(ForeignKeyViolation, match="Still referred to by crm/contact"):
        run_unit(principal, fail)


def test_a_write_behind_a_removal_names_its_own_field(app, owner, principal):
    company = UUID(owner.post(COMPANIES, {"name": "Acme"}).json["id"])

    def fail(unit):
        unit.delete(CrmCompany, company)
        unit.create(CrmContact, {"company_id": company, **ADA})

    with app.app_context(), pytest.raises(ForeignKeyViolation) as refused:
        run_unit(principal, fail)
    assert list(refused.value.details["fields"]) == ["companyId"]
    assert names(owner) == ["Acme"]


def test_the_service_itself_is_the_actor_of_its_own_units(app, owner, principal):
    key = f"unit-{owner.user_id}"[:60]

    def actors():
        with reading() as session:
            wanted = select(PlatformAuditLog.actor_type, PlatformAuditLog.actor_name)
            return session.execute(wanted.where(PlatformAuditLog.target_id == str(flag["id"]))).all()

    with app.app_context():
        flag = run_unit(SYSTEM, Unit.create, PlatformFeatureFlag, {"key": key, "name": "Unit"})
        assert actors() == [("system", None)]


def test_what_a_reading_session_has_loaded_can_be_used_after_it(app, owner):
    owner.post(COMPANIES, {"name": "Acme"})
    with app.app_context():
        with reading() as session:
            company = session.scalars(select(CrmCompany).where(CrmCompany.created_by_id == owner.user_id)).one()
            assert session.scalar(select(func.count()).select_from(CrmCompany)) >= 1
        assert company.name == "Acme"

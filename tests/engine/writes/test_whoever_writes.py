"""Hooks and the event of changes hear of records whoever writes them: callers, the service itself, its jobs."""

from __future__ import annotations

import ast
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthOrganization
from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare.principal import SYSTEM
from app.engine.write import hooks
from app.engine.write.changes import record_changed
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Invalid
from app.notification import routing
from app.notification.models import NotificationNotification
from app.storage.models import StorageUpload
from app.testing.database import transaction
from tests.engine.writes.conftest import forget

ROOT = Path(__file__).parents[3]
PASSWORD = "correct horse battery"


@pytest.fixture
def heard(registry):
    """What hooks of new records, and the event, have heard of the models of this file."""
    found = []
    for model in (AuthUser, AuthApiKey, StorageUpload, NotificationNotification):
        hooks.on_create(model)(lambda record, write: found.append(("hook", type(record), record.id)))

        @record_changed.subscribe(model)
        def tell(unit, model, verb, before, after):
            found.append((verb, model, after["id"]))

    return found


def sign_up(app):
    address = f"{uuid4().hex}@sign-up.example"
    body = {"email": address, "password": PASSWORD, "name": "Ada"}
    return address, app.test_client().post("/api/auth/signup", json=body)


def of(heard, model):
    return [(by, identifier) for by, each, identifier in heard if each is model]


def test_a_sign_up_is_heard_of_once(app, heard):
    address, answer = sign_up(app)
    assert answer.status_code in (200, 201), answer.json
    with app.app_context(), transaction() as session:
        user_id = session.scalar(select(AuthUser.id).where(AuthUser.email == address))
    assert of(heard, AuthUser) == [("hook", user_id), ("create", user_id)]


def test_the_data_api_is_heard_of_once_where_a_hook_of_ours_stores_the_record(cast, registry):
    heard, person = [], cast.user()
    hooks.on_create(AuthOrganization)(lambda record, write: heard.append(record.id))
    made = person.post("/api/v1/auth/organization", {"name": "Acme"})
    assert [str(each) for each in heard] == [made.json["id"]]


def test_an_upload_a_key_and_a_notification_are_heard_of(app, owner, heard):
    sent = owner.send("POST", "/api/upload", data={"file": (BytesIO(b"plan"), "plan.txt")})
    assert sent.status_code == 200, sent.json
    assert owner.post("/api/v1/auth/api-key", {"name": "Mine"}).status_code == 201
    with app.app_context():
        run_unit(SYSTEM, routing.notify, owner.user_id, "TASK_ASSIGNED", "Look")
    for model in (StorageUpload, AuthApiKey, NotificationNotification):
        assert [by for by, _ in of(heard, model)] == ["hook", "create"], model


def test_a_hook_that_refuses_takes_the_sign_up_back(app, registry):
    @hooks.on_create(AuthUser)
    def refuse(user, write):
        raise Invalid({"email": ["Not from there."]})

    address, answer = sign_up(app)
    assert (answer.status_code, answer.json["details"]["fields"]) == (400, {"email": ["Not from there."]})
    with app.app_context(), transaction() as session:
        assert session.scalar(select(AuthUser.id).where(AuthUser.email == address)) is None


def test_what_a_hook_sets_is_stored_with_what_the_service_writes(app, registry):
    @hooks.on_create(AuthUser)
    def rename(user, write):
        user.name = "Renamed"

    address, _ = sign_up(app)
    with app.app_context(), transaction() as session:
        assert session.scalar(select(AuthUser.name).where(AuthUser.email == address)) == "Renamed"


def test_a_hook_for_callers_alone_is_not_asked_when_the_service_writes(app, cast, registry):
    heard = []
    hooks.on_create(AuthUser, callers_only=True)(lambda user, write: heard.append(user.email))
    sign_up(app)
    assert heard == []
    body = {"email": f"{uuid4().hex}@by-admin.example", "name": "Ada"}
    assert cast.admin.post("/api/v1/auth/user", body).status_code == 201
    assert heard == [body["email"]]


def test_changes_and_removals_of_the_service_are_told_with_what_was_there(app, cast, registry):
    company = cast.user().post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    told = []

    @record_changed.subscribe(CrmCompany)
    def tell(unit, model, verb, before, after):
        told.append((verb, before.get("name"), after.get("name"), verb == "delete" or set(before) == {"name"}))

    def rename(unit, name):
        unit.session.get_one(CrmCompany, company).name = name
        unit.session.flush()
        unit.session.get_one(CrmCompany, company).name = f"{name} Ltd"

    def remove(unit):
        unit.session.delete(unit.session.get_one(CrmCompany, company))

    with app.app_context():
        run_unit(SYSTEM, rename, "Crane")
        run_unit(SYSTEM, remove)
    assert told == [("update", "Acme", "Crane Ltd", True), ("delete", "Crane Ltd", None, True)]


def test_each_record_of_the_data_api_is_told_once_by_whatever_path(owner, registry):
    told = []

    @record_changed.subscribe(CrmCompany, CrmDeal)
    def tell(unit, model, verb, before, after):
        told.append((verb, before.get("name"), after.get("name")))

    path = "/api/v1/crm/company"
    one = owner.post(path, {"name": "One"}).json["id"]
    many = [each["id"] for each in owner.post(path, [{"name": "Two"}, {"name": "Three"}]).json["data"]]
    owner.patch(f"{path}/{one}", {"name": "First"})
    owner.patch(f"{path}/{one}", {"name": "First"})  # which changes nothing
    owner.patch(path, [{"id": each, "name": "Other"} for each in many])
    owner.post(f"{path}/_matching/_delete", {"where": {"name": "Other"}, "max": 10})
    assert owner.delete(f"{path}/{one}").status_code == 200
    assert told == [
        ("create", None, "One"), ("create", None, "Two"), ("create", None, "Three"), ("update", "One", "First"),
        ("update", "Two", "Other"), ("update", "Three", "Other"), ("delete", "Other", None), ("delete", "Other", None),
        ("delete", "First", None),
    ]  # fmt: skip


def test_what_a_unit_writes_of_one_record_by_two_ways_is_told_in_order(app, owner, registry):
    company, told = owner.post("/api/v1/crm/company", {"name": "Acme", "industry": "a"}).json["id"], []

    @record_changed.subscribe(CrmCompany)
    def tell(unit, model, verb, before, after):
        told.append((verb, dict(before), {name: after[name] for name in before}))

    def work(unit):
        unit.session.get_one(CrmCompany, company).industry = "b"
        unit.session.flush()
        unit.update(CrmCompany, UUID(company), {"industry": "c"})
        unit.session.get_one(CrmCompany, company).industry = "d"

    with app.app_context():
        run_unit(SYSTEM, work)
    assert [(before["industry"], after["industry"]) for _, before, after in told] == [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
    ]


def test_what_a_hook_sets_is_told_with_what_was_sent(owner, registry):
    told = []

    @hooks.on_update(CrmCompany)
    def mark(company, write):
        company.industry = "shipping"

    @record_changed.subscribe(CrmCompany)
    def tell(unit, model, verb, before, after):
        told.append((dict(before), dict(after)))

    forget()
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    told.clear()
    owner.patch(f"/api/v1/crm/company/{company}", {"name": "Crane"})
    assert told == [({"name": "Acme", "industry": None}, {"name": "Crane", "industry": "shipping"})]


def test_what_a_savepoint_took_back_is_not_told(app, registry):
    told = []

    @record_changed.subscribe(AuthOrganization)
    def tell(unit, model, verb, before, after):
        told.append(after["name"])

    def work(unit):
        with unit.session.begin_nested() as point:
            unit.store(AuthOrganization(name="Gone", slug=f"a-{uuid4().hex[:20]}"))
            point.rollback()
        unit.store(AuthOrganization(name="Kept", slug=f"b-{uuid4().hex[:20]}"))

    with app.app_context():
        run_unit(SYSTEM, work)
    assert told == ["Kept"]


def test_bookkeeping_tells_nobody(app, owner, registry):
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    told = []
    record_changed.subscribe(CrmCompany)(lambda *each: told.append(each))
    with app.app_context():
        assert run_unit(SYSTEM, Unit.bookkeep, update(CrmCompany).where(CrmCompany.id == company).values(name="B")) == 1
    assert told == []


def bare_statements(tree):
    """The lines where a session is given an INSERT, UPDATE or DELETE."""
    writes = ("insert", "update", "delete")
    for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
        assigned = [each for each in ast.walk(function) if isinstance(each, ast.Assign)]
        names = {each.targets[0].id for each in assigned if root(each.value) in writes and named(each.targets[0])}
        for call in (each for each in ast.walk(function) if isinstance(each, ast.Call) and each.args):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr in ("execute", "scalar", "scalars")):
                continue
            if ast.unparse(call.func.value).endswith("session") and root(call.args[0]) in {*writes, *names}:
                yield call.lineno


def named(target):
    return isinstance(target, ast.Name)


def root(expression):
    """The name that a chain of calls begins with."""
    while isinstance(expression, ast.Call | ast.Attribute):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def test_statements_that_write_go_through_the_door_for_bookkeeping():
    files = [*ROOT.joinpath("app").rglob("*.py"), *ROOT.joinpath("blueprints").rglob("*.py")]
    served = (each for each in files if "testing" not in each.parts)
    found = [f"{each}:{line}" for each in served for line in bare_statements(ast.parse(each.read_text()))]
    assert found == []


def test_a_statement_beside_the_door_is_found():
    code = "def work(unit):\n    left = update(Task).where(a)\n    unit.session.execute(left.values(b=1))\n"
    assert list(bare_statements(ast.parse(code))) == [3]

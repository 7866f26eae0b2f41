"""Hooks see what is written by every way of writing that there is: each verb of records, and the paths beside them."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import count

import pytest

from app.crm.models import CrmCompany, CrmContact
from app.engine.changes import returning
from app.engine.changes.returning import on_restore
from app.engine.declare.principal import SYSTEM
from app.engine.operations import verbs
from app.engine.write import hooks
from app.engine.write.unit_of_work import run_unit
from tests.engine.writes.conftest import forget

PATH, UNDO = CrmContact.collection_path(), "/api/v1/_undo"
numbers = count(1)


class Contacts:
    """Somebody's contacts, and how they are written."""

    def __init__(self, app, owner, workshop):
        self.app, self.owner = app, owner
        self.company = workshop.make(CrmCompany)["id"]

    def given(self):
        number = next(numbers)
        return {"firstName": "Ada", "lastName": "B", "email": f"{number}@writers.example", "companyId": self.company}

    def send(self, method, path="", body=None, **options):
        answer = self.owner.send(method, f"{PATH}{path}", **({"json": body} if body is not None else {}), **options)
        assert answer.status_code in (200, 201), answer.json
        return answer

    def make(self):
        return self.send("POST", body=self.given()).json

    def undo(self, answer):
        undone = self.owner.post(UNDO, {"transaction": answer.headers["Transaction-Id"]})
        assert undone.status_code == 200, undone.json


def create(contacts):
    yield
    contacts.make()


def create_many(contacts):
    yield
    contacts.send("POST", body=[contacts.given(), contacts.given()])


def import_(contacts):
    yield
    line = json.dumps(contacts.given()) + "\n"
    contacts.send("POST", "/_import", data=line.encode(), content_type="application/x-ndjson")


def restore(contacts):
    one = contacts.make()["id"]
    contacts.send("DELETE", f"/{one}")
    yield
    contacts.send("POST", f"/_deleted/{one}/_restore")


def undo_a_deletion(contacts):
    gone = contacts.send("DELETE", f"/{contacts.make()['id']}")
    yield
    contacts.undo(gone)


def batch(contacts):
    yield
    asked = {"requests": [{"method": "POST", "path": PATH, "body": contacts.given()}]}
    assert contacts.owner.post("/api/v1/_batch", asked).status_code == 200


def code(contacts):
    yield
    given = {name_of(name): value for name, value in contacts.given().items()}
    with contacts.app.app_context():
        run_unit(contacts.owner.principal, lambda unit: unit.create(CrmContact, given))


def session(contacts):
    yield
    given = {name_of(name): value for name, value in contacts.given().items()}
    whose = {"organization_id": contacts.owner.organization_id}
    with contacts.app.app_context():
        run_unit(SYSTEM, lambda unit: unit.store(CrmContact(**given, **whose)))


def update(contacts):
    one = contacts.make()["id"]
    yield
    contacts.send("PATCH", f"/{one}", {"firstName": "Grace"})


def replace(contacts):
    one = contacts.make()["id"]
    yield
    contacts.send("PUT", f"/{one}", {"firstName": "Grace"})


def update_many(contacts):
    both = contacts.make()["id"], contacts.make()["id"]
    yield
    contacts.send("PATCH", body=[{"id": each, "firstName": "Grace"} for each in both])


def update_matching(contacts):
    one = contacts.make()["id"]
    yield
    contacts.send("POST", "/_matching/_update", {"where": {"id": one}, "set": {"firstName": "Grace"}, "max": 1})


def revert(contacts):
    one = contacts.make()["id"]
    contacts.send("PATCH", f"/{one}", {"firstName": "Grace"})
    yield
    contacts.send("POST", f"/{one}/_revert", {"version": 1})


def undo_a_change(contacts):
    changed = contacts.send("PATCH", f"/{contacts.make()['id']}", {"firstName": "Grace"})
    yield
    contacts.undo(changed)


def upsert(contacts):
    one = contacts.make()
    yield
    given = contacts.given() | {"email": one["email"], "firstName": "Grace"}
    contacts.send("POST", "?onConflict=email", [given])


def delete(contacts):
    one = contacts.make()["id"]
    yield
    contacts.send("DELETE", f"/{one}")


def delete_many(contacts):
    both = contacts.make()["id"], contacts.make()["id"]
    yield
    contacts.send("DELETE", body={"ids": list(both)})


def delete_matching(contacts):
    one = contacts.make()["id"]
    yield
    contacts.send("POST", "/_matching/_delete", {"where": {"id": one}, "max": 1})


def undo_a_creation(contacts):
    made = contacts.send("POST", body=contacts.given())
    yield
    contacts.undo(made)


# The event that hooks hear, by the way of writing, which begins with what has to be there; and the verb that it is.
WAYS = {
    create: ("create", verbs.CREATE),
    create_many: ("create", verbs.CREATE),
    import_: ("create", verbs.IMPORT),
    restore: ("restore", verbs.RESTORE),
    undo_a_deletion: ("restore", None),
    batch: ("create", None),
    code: ("create", None),
    session: ("create", None),
    update: ("update", verbs.UPDATE),
    replace: ("update", verbs.UPDATE),
    update_many: ("update", verbs.UPDATE_MANY),
    update_matching: ("update", verbs.UPDATE_MATCHING),
    revert: ("update", verbs.REVERT),
    undo_a_change: ("update", None),
    upsert: ("update", None),
    delete: ("delete", verbs.DELETE),
    delete_many: ("delete", verbs.DELETE_MANY),
    delete_matching: ("delete", verbs.DELETE_MATCHING),
    undo_a_creation: ("delete", None),
}
HOOKS = {"create": hooks.on_create, "update": hooks.on_update, "delete": hooks.on_delete, "restore": on_restore}


def test_every_verb_that_writes_is_tried():
    assert {verb for _, verb in WAYS.values()} - {None} == {each for each in verbs.VERBS if not each.reads}


@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_hook_sees_what_is_written(app, owner, workshop, registry, monkeypatch, way, many):
    monkeypatch.setattr(returning, "_hooks", defaultdict(list, returning._hooks))
    heard, (event, _) = [], WAYS[way]
    writing = way(Contacts(app, owner, workshop))
    next(writing)
    # What comes back is told of one by one.
    options = {} if event == "restore" else {"many": many}
    HOOKS[event](CrmContact, **options)(lambda *told: heard.append(told))
    forget()
    next(writing, None)
    assert heard


def name_of(wire_name):
    return next(name for name, field in CrmContact.fields().items() if field.name == wire_name)

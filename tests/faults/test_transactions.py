"""The end of a transaction: what is undone, what is done, and what is left alone when the answer is lost."""

from __future__ import annotations

import pytest

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import LostRace, OutcomeUnknown
from app.engine.write import unit_of_work
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Unavailable
from app.notification.routing import notify
from app.runtime.pubsub import Signals
from app.storage.models import StorageUpload
from app.storage.object_store.local import LocalStore
from app.testing.cast import Actor
from tests.storage.uploads.forms import bytes_of, content_of, send

UPLOADS = "/api/v1/storage/upload"
CONTENT = b"Worth keeping"


def rows(owner):
    return owner.get(UPLOADS).json["data"]


def inline(actor):
    body = {"filename": "notes.txt", "contentBase64": "V29ydGgga2VlcGluZw==", "contentType": "text/plain"}
    return actor.post(UPLOADS, body)


def by_form(actor):
    return send(actor, CONTENT)


@pytest.mark.parametrize("way", [by_form, inline])
def test_the_bytes_of_an_upload_stay_when_the_answer_of_its_commit_is_lost(owner, unlucky, proxy, way):
    assert way(unlucky).status_code in (200, 201)
    proxy.swallow_commits()
    assert way(unlucky).status_code == 503
    assert proxy.swallowed == 1
    uploads = rows(owner)
    assert len(uploads) == 2
    for each in uploads:
        assert bytes_of(content_of(owner, f"/api/upload/{each['id']}")) == CONTENT


@pytest.mark.parametrize("way", [by_form, inline])
def test_the_bytes_of_an_upload_go_when_it_certainly_has_no_row(owner, unlucky, monkeypatch, proxied, way):
    removed = []
    monkeypatch.setattr(LocalStore, "remove", lambda self, key: removed.append(key))
    monkeypatch.setattr("app.storage.hooks._admit", _refuse)
    monkeypatch.setattr(unit_of_work, "TRIES", 1)
    assert way(unlucky).status_code == 503
    assert len(removed) >= 1
    assert rows(owner) == []


def _refuse(upload, bucket):
    raise LostRace()


def test_a_committed_removal_is_one_whatever_fails_behind_it(owner, build, monkeypatch, caplog):
    keeps_none = Actor(build(changes_days=0), owner.token, owner.user_id, owner.organization_id)
    assert by_form(owner).status_code == 200
    (upload,) = rows(owner)

    def fail(self, key):
        raise Unavailable("The store is away")

    monkeypatch.setattr(LocalStore, "remove", fail)
    answer = keeps_none.delete(f"{UPLOADS}/{upload['id']}")
    assert (answer.status_code, answer.json) == (200, {"id": upload["id"], "deleted": True})
    assert rows(owner) == []
    assert "What follows a transaction has failed" in caplog.text


def test_actions_behind_a_commit_do_not_stop_each_other(app):
    done = []

    def fail():
        raise ValueError("odd")

    def work(unit):
        for action in (fail, lambda: done.append("second")):
            unit.after_commit(action)

    with app.app_context():
        run_unit(SYSTEM, work)
    assert done == ["second"]


def test_what_was_to_follow_a_unit_does_not_follow_the_next_one(proxied, proxy, unlucky):
    done = []

    def lose(unit):
        unit.after_commit(lambda: done.append("of the first"))
        unit.on_rollback(lambda: done.append("undone"))
        unit.session.get(StorageUpload, unlucky.user_id)
        proxy.reset()
        unit.session.get(StorageUpload, unlucky.organization_id)

    with proxied.app_context():
        with pytest.raises(Unavailable):
            run_unit(SYSTEM, lose)
        run_unit(SYSTEM, lambda unit: unit.session.get(StorageUpload, unlucky.user_id))
    assert done == ["undone"]


def test_a_commit_that_may_have_happened_undoes_nothing_and_is_not_done_again(proxied, proxy, unlucky):
    undone, tries = [], []

    def write(unit):
        tries.append(1)
        unit.on_rollback(lambda: undone.append(1))
        unit.session.get(StorageUpload, unlucky.user_id)
        proxy.drop_commits()

    with proxied.app_context(), pytest.raises(OutcomeUnknown):
        run_unit(SYSTEM, write)
    assert (undone, tries) == ([], [1])


def test_who_is_notified_is_told_to_look_when_the_answer_of_the_commit_is_lost(proxied, proxy, unlucky, monkeypatch):
    told = []
    monkeypatch.setattr(Signals, "send", lambda _, users: told.append(set(users)))

    def write(unit):
        notify(unit, unlucky.user_id, "MESSAGE", "Heard")

    with proxied.app_context():
        proxy.swallow_commits()
        with pytest.raises(OutcomeUnknown):
            run_unit(SYSTEM, write)
    assert told == [{unlucky.user_id}]


def test_nobody_is_told_to_look_when_a_transaction_certainly_came_to_nothing(proxied, unlucky, monkeypatch):
    told = []
    monkeypatch.setattr(Signals, "send", lambda _, users: told.append(set(users)))

    def write(unit):
        notify(unit, unlucky.user_id, "MESSAGE", "Never")
        raise LostRace

    with proxied.app_context(), pytest.raises(LostRace):
        run_unit(SYSTEM, write)
    assert told == []

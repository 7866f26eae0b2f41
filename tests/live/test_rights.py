"""Whoever loses rights while they listen hears no more of what these opened, with the next change."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, update

from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember
from app.engine.changes import sequencer
from app.live import changes
from app.live import stream as streams
from app.testing.database import transaction
from tests.live.conftest import Listener

COMPANY = "/api/v1/crm/company"
NARROW = [{"models": ["crm/company"], "operations": ["list", "read"], "where": {"industry": "food"}}]


def execute(app, statement):
    with app.app_context(), transaction() as session:
        session.execute(statement)


ENDS = {
    "signed out": lambda who: delete(AuthSession).where(AuthSession.user_id == who.user_id),
    "banned": lambda who: update(AuthUser).where(AuthUser.id == who.user_id).values(banned=True),
}


@pytest.mark.parametrize("how", ENDS)
def test_the_stream_of_a_credential_that_has_ended_ends_with_the_next_change(app, owner, cast, floor, how):
    listener, colleague = floor.open(owner), cast.colleague(owner)
    execute(app, ENDS[how](owner))
    colleague.post(COMPANY, {"name": "Among us"})
    floor.look(check=False)
    assert listener.heard() == [("bye", {})]


def test_a_key_that_is_revoked_hears_nothing_more(app, owner, cast, floor):
    listener = floor.open(cast.key(owner, "read"))
    execute(app, update(AuthApiKey).where(AuthApiKey.user_id == owner.user_id).values(enabled=False))
    owner.post(COMPANY, {"name": "After"})
    floor.look(check=False)
    assert listener.heard() == [("bye", {})]


def test_a_key_that_is_narrowed_hears_of_what_its_grants_open_alone(app, owner, cast, floor):
    key = cast.key(owner, "read")
    listener = floor.open(key)
    (row,) = owner.get("/api/v1/auth/api-key").json["data"]
    assert owner.patch(f"/api/v1/auth/api-key/{row['id']}", {"access": NARROW}).status_code == 200
    floor.look(check=False)
    listener.heard()
    for industry in ("shipping", "food"):
        owner.post(COMPANY, {"name": industry, "industry": industry})
    floor.look(check=False)
    told = [data["record"]["name"] for name, data in listener.heard() if name == "create"]
    assert told == ["food"]


def test_who_has_left_hears_nothing_more_of_an_organization(app, owner, cast, floor):
    colleague = cast.colleague(owner)
    listener = floor.open(colleague)
    execute(app, delete(AuthMember).where(AuthMember.user_id == colleague.user_id))
    owner.post(COMPANY, {"name": "Among us"})
    floor.look(check=False)
    assert all(name == "resync" for name, _ in listener.heard())


def test_who_joins_is_told_to_read_anew_and_hears_from_then_on(app, owner, cast, floor):
    newcomer = cast.user()
    listener = floor.open(newcomer, models=["crm/company"])
    execute(app, update(AuthMember).where(AuthMember.user_id == newcomer.user_id).values(
        organization_id=owner.organization_id))  # fmt: skip
    floor.look()
    assert listener.heard() == [("resync", {"models": ["crm/company"]})]
    owner.post(COMPANY, {"name": "Welcome"})
    floor.look(check=False)
    assert [data["record"]["name"] for _, data in listener.heard()] == ["Welcome"]


@pytest.mark.parametrize("bound", ["MAX_WAITING", "MAX_WAITING_BYTES"])
def test_a_client_that_does_not_read_is_cut_off_and_others_hear_on(owner, floor, monkeypatch, bound):
    slow, quick = floor.open(owner), floor.open(owner)
    monkeypatch.setattr(streams, bound, {"MAX_WAITING": 3, "MAX_WAITING_BYTES": 4096}[bound])
    heard = []
    for number in range(8):
        owner.post(COMPANY, {"name": f"Number {number}"})
        floor.look()
        heard += quick.heard()
    assert len(heard) == 8
    *before, bye = slow.heard()
    assert (bye, len(before) < 8) == (("bye", {}), True)
    monkeypatch.undo()
    again = floor.open(owner, since=slow.last)
    floor.look()
    assert [data["record"]["name"] for _, data in before + again.heard()] == [f"Number {number}" for number in range(8)]


def test_an_event_that_is_larger_than_all_that_may_wait_arrives(owner, floor, monkeypatch):
    listener = floor.open(owner)
    monkeypatch.setattr(streams, "MAX_WAITING_BYTES", 10)
    owner.post(COMPANY, {"name": "Larger than ten bytes"})
    floor.look(check=False)
    assert [name for name, _ in listener.heard()] == ["create"]


def test_a_sign_of_life_moves_a_client_on_that_hears_nothing(owner, cast, floor):
    listener = floor.open(owner)
    cast.user().post(COMPANY, {"name": "Of others"})
    before = listener.last
    floor.look(check=False)
    floor.look()
    assert listener.heard() == []
    assert listener.last != before


def test_rights_that_change_while_much_is_caught_up_on_are_told_before_what_follows(
    app, owner, cast, floor, monkeypatch
):
    monkeypatch.setattr(changes, "JOINS", 250)
    newcomer = cast.user()
    listener = floor.open(newcomer, models=["crm/company"])
    last = listener.last
    listener.stream.close()
    cast.user().post(COMPANY, [{"name": f"Number {number}"} for number in range(600)])
    with app.app_context():
        sequencer.number_all()
    with app.test_request_context():
        listener = Listener(app, floor.broadcaster, newcomer, models=["crm/company"], since=last)
    floor.listeners.append(listener)
    sent = iter(listener.stream)
    assert b"event: ready" in next(sent)
    execute(app, update(AuthMember).where(AuthMember.user_id == newcomer.user_id).values(
        organization_id=owner.organization_id))  # fmt: skip
    assert next(sent).startswith(b"event: resync")


def test_what_is_new_does_not_wait_until_all_streams_are_checked(owner, floor, monkeypatch):
    first, second = floor.open(owner), floor.open(owner)
    monkeypatch.setattr(floor.source, "per_check", 1)
    check, heard = floor.source.check, []

    def check_and_write(streams):
        heard.append([name for each in (first, second) for name, _ in each.heard()])
        if len(heard) == 1:
            owner.post(COMPANY, {"name": "Between the two"})
            floor.broadcaster.wake(None)
        check(streams)

    monkeypatch.setattr(floor.source, "check", check_and_write)
    floor.broadcaster._check()
    assert heard == [[], ["create", "create"]]

"""Work of an agent whose asker goes, or that is cancelled, while its provider answers."""

from __future__ import annotations

import threading

import pytest

from app.ai import breaker
from app.testing.waiting import await_true
from tests import gone
from tests.ai.chains import made
from tests.ai_agent.test_deliverables import WORK, Agents

NOBODY = "Whoever asked for it is not there any more"
WAYS = [gone.banned, gone.deleted, gone.removed]


@pytest.fixture
def agents(chat_app, chains):
    return Agents(chat_app, chains)


@pytest.fixture
def member(chat_cast, owner):
    return chat_cast.colleague(owner)


@pytest.fixture
def under_way(agents, provider):
    """Do the jobs that wait until a provider is asked, and in the end wait for them."""
    threads = []

    def begin():
        threads.append(threading.Thread(target=agents.work))
        threads[-1].start()
        await_true(lambda: provider.calls)

    def finish():
        for each in threads:
            each.join(60)
            assert not each.is_alive()

    yield begin, finish
    finish()


def asked_of(agents, member, model):
    agent = agents.agent(chainId=agents.chains.of(*model), requiresApproval=False)
    return made(member.post(WORK, {"configId": agent, "title": "Note", "brief": "Cranes"}))


def outcome(agents, work):
    shown = agents.owner.get(f"{WORK}/{work}").json
    return shown["status"], shown["errorMessage"], shown["content"]


@pytest.mark.variants
@pytest.mark.parametrize("way", WAYS)
def test_work_ends_while_its_provider_answers(agents, chat_cast, member, provider, under_way, way):
    work = asked_of(agents, member, ["endless"])
    begin, finish = under_way
    begin()
    way(chat_cast, agents.owner, member)
    finish()
    assert provider.left.wait(10)
    assert outcome(agents, work) == ("failed", NOBODY, None)


@pytest.mark.variants
@pytest.mark.parametrize("way", WAYS)
def test_an_answer_that_comes_too_late_is_not_kept(agents, chat_cast, member, provider, under_way, way):
    work = asked_of(agents, member, ["waiting"])
    begin, finish = under_way
    begin()
    way(chat_cast, agents.owner, member)
    provider.go_on.set()
    finish()
    assert outcome(agents, work) == ("failed", NOBODY, None)


@pytest.mark.variants
@pytest.mark.parametrize("way", WAYS)
def test_no_other_provider_is_asked(agents, chat_cast, member, provider, monkeypatch, way):
    work = asked_of(agents, member, ["down", "good"])
    monkeypatch.setattr(breaker, "record_failure", lambda *_: way(chat_cast, agents.owner, member))
    agents.work()
    assert [call["body"]["model"] for call in provider.calls] == ["down"]
    assert outcome(agents, work) == ("failed", NOBODY, None)


def test_work_that_is_cancelled_ends_while_its_provider_answers(agents, member, provider, under_way):
    work = asked_of(agents, member, ["endless"])
    begin, finish = under_way
    begin()
    assert member.patch(f"{WORK}/{work}", {"status": "cancelled"}).status_code == 200
    finish()
    assert provider.left.wait(10)
    assert outcome(agents, work) == ("cancelled", None, None)


def test_an_approver_who_has_left_is_not_told_of_the_work(agents, chains, chat_cast, member):
    agent = agents.agent(chainId=chains.of("good"))
    work = agents.ask(agent, approverId=str(member.user_id))
    gone.removed(chat_cast, agents.owner, member)
    agents.work()
    assert agents.owner.get(f"{WORK}/{work}").json["status"] == "awaiting_approval"
    assert member.get("/api/v1/notification/notification").json["data"] == []

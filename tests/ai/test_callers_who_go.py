"""Answers on their way whose caller goes: they end, and no other provider is asked."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.ai import breaker
from app.ai.models.answering import AiStream
from app.ai.models.chats import AiChat
from app.testing.database import transaction
from tests import gone
from tests.ai.chains import ask, begin

EVENTS = "text/event-stream"


@pytest.fixture
def member(chat_cast, owner):
    """Somebody who acts in the organization of ``owner``."""
    member = chat_cast.colleague(owner, role="admin")
    body = {"organizationId": str(owner.organization_id)}
    assert member.post("/api/auth/session/organization", body).status_code == 200
    return member


def statuses(app, actor):
    """How the streams of somebody ended."""
    with app.app_context(), transaction() as session:
        own = select(AiStream.status).join(AiChat, AiChat.id == AiStream.chat_id).where(AiChat.user_id == actor.user_id)
        return list(session.scalars(own))


@pytest.mark.variants
@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.demoted, gone.signed_out, gone.deleted])
def test_an_answer_ends_when_its_caller_goes_or_loses_a_right(
    chat_app, chat_cast, chains, owner, member, provider, way
):
    chains.of("endless")
    body = begin(chat_app, member, accept=EVENTS)
    for _ in range(4):
        next(body)
    way(chat_cast, owner, member)
    assert b"".join(body).split(b"\n\n")[-3:] == [b'data: {"type":"abort"}', b"data: [DONE]", b""]
    assert provider.left.wait(10)
    assert statuses(chat_app, member) == ([] if way is gone.deleted else ["aborted"])


@pytest.mark.variants
@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.deleted])
def test_no_other_provider_is_asked_for_a_caller_who_has_gone(
    chat_app, chat_cast, chains, owner, member, provider, monkeypatch, way
):
    chains.of("down", "good")
    monkeypatch.setattr(breaker, "record_failure", lambda *_: way(chat_cast, owner, member))
    assert ask(member, accept=EVENTS).status_code == 200
    assert [call["body"]["model"] for call in provider.calls] == ["down"]

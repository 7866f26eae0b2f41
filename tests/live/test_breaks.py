"""What goes wrong with some streams, or with the database, leaves others with all they are to hear."""

from __future__ import annotations

import pytest

from app.foundation.errors import QueryTimeout, Unavailable
from app.live import changes

COMPANY, CHAT = "/api/v1/crm/company", "/api/v1/ai/chat"


def failing(monkeypatch, error, *, model):
    """Have it fail to judge what follows one model alone."""
    judge = changes.judge

    def judge_or_fail(connection, followed, *rest):
        if [each.qualified_name() for each in followed.models] == [model]:
            raise error
        return judge(connection, followed, *rest)

    monkeypatch.setattr(changes, "judge", judge_or_fail)


@pytest.mark.parametrize("error", [QueryTimeout(), ValueError("no number")])
def test_streams_that_cannot_be_judged_end_and_others_hear_on(owner, floor, monkeypatch, error):
    bad, good = floor.open(owner, models=["crm/company"]), floor.open(owner)
    failing(monkeypatch, error, model="crm/company")
    owner.post(COMPANY, {"name": "Harbour Works"})
    floor.look(check=False)
    assert bad.heard() == [("bye", {})]
    assert [name for name, _ in good.heard()] == ["create"]


def test_while_the_database_is_away_nothing_is_lost(owner, floor, monkeypatch):
    first, second = floor.open(owner, models=["ai/chat"]), floor.open(owner)
    failing(monkeypatch, Unavailable(), model="ai/chat")
    owner.post(CHAT, {"title": "Quay 4"})
    with pytest.raises(Unavailable):
        floor.look(check=False)
    monkeypatch.undo()
    floor.look(check=False)
    assert [[name for name, _ in each.heard()] for each in (first, second)] == [["create"], ["create"]]

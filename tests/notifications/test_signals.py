"""The signals that make streams look: what a listener is told when some may have been lost."""

from __future__ import annotations

from contextlib import closing

from app import signals


def test_a_listener_looks_at_once_and_again_when_senders_that_paused_go_on(app, monkeypatch):
    monkeypatch.setattr(signals, "PAUSE", 0)
    monkeypatch.setattr(signals, "TIMEOUT", 0)
    with closing(app.extensions["signals"].heard()) as heard:
        assert [next(heard) for _ in range(3)] == [None, None, set()]

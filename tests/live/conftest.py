"""Streams of changes in the process of the tests, which hear when they are told to."""

from __future__ import annotations

import json
from contextlib import suppress
from queue import Empty

import pytest

from app.auth.credentials.access import Access
from app.auth.credentials.authentication import authenticate
from app.engine.changes.feed import open_models
from app.engine.changes.telling import Followed
from app.live.broadcaster import Broadcaster
from app.live.change_stream import ChangeStream
from app.live.changes import Changes


class Listener:
    """Somebody with an open stream."""

    def __init__(self, app, broadcaster, actor, models=None, since=None):
        self.app, self.actor = app, actor
        with app.test_request_context(headers={"Authorization": f"Bearer {actor.token}"}):
            principal = authenticate(Access())
            known = open_models(principal)
            followed = Followed(tuple(known[name] for name in models or known))
            self.stream = broadcaster.open(ChangeStream(principal, followed, since))
        self.last = None
        # What it was told at once, as its rights are not those of before.
        self.missed = []

    def heard(self):
        """The events that wait, as pairs of a name and data; the place of the last one is kept."""
        sent = []
        with suppress(Empty):
            while True:
                sent.append(self.stream.take(0.001))
        if None in sent:
            sent[sent.index(None)] = b"event: bye\ndata: {}\n\n"
        events = []
        for text in filter(None, b"".join(sent).decode().split("\n\n")):
            fields = dict(line.partition(": ")[::2] for line in text.split("\n"))
            self.last = fields.get("id", self.last)
            if fields.get("event") not in (None, "place"):
                events.append((fields["event"], json.loads(fields["data"])))
        return events


class Floor:
    """Where streams are opened, and hear of everything when ``look`` is called."""

    def __init__(self, app):
        self.app, self.source = app, Changes(app)
        self.broadcaster = Broadcaster(app, self.source, app.extensions["change_signals"])
        self.broadcaster._started = True
        self.listeners = []

    def open(self, actor, **asked):
        listener = Listener(self.app, self.broadcaster, actor, **asked)
        *listener.missed, greeting = listener.heard()
        assert greeting == ("ready", {})
        self.listeners.append(listener)
        return listener

    def look(self, *, check=True):
        streams = [each.stream for each in self.listeners if each.stream.is_open]
        if check:
            with self.app.app_context():
                self.source.check(streams)
        self.broadcaster.wake(None)
        while self.broadcaster._are_all_due or self.broadcaster._due:
            self.broadcaster.poll()


@pytest.fixture
def floor(app):
    opened = Floor(app)
    yield opened
    for listener in opened.listeners:
        listener.stream.close()

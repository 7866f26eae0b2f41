"""An oracle of streams: a copy that is kept by one alone is what its caller reads one by one, whatever happens."""

from __future__ import annotations

from random import Random

import pytest

from app.live import changes
from tests.engine.changes.world import GRANTS, Copy, World

STEPS, LOOKS = 14, 12


class StreamedCopy(Copy):
    """A copy that is kept by a stream."""

    def __init__(self, floor, actor, known):
        super().__init__(actor, known)
        self.floor = floor
        self.listener = floor.open(actor, models=self.heard)

    def follow(self):
        for name, data in self.listener.missed + self.listener.heard():
            if name == "resync":
                for model in data["models"]:
                    self.read_anew(model)
            else:
                assert data["operation"] == name
                self.take(data)
        self.listener.missed = []

    def come_back(self):
        """Lose the connection, and go on from the last event."""
        last = self.listener.last
        self.listener.stream.close()
        self.floor.listeners.remove(self.listener)
        self.listener = self.floor.open(self.actor, models=self.heard, since=last)


@pytest.mark.variants
@pytest.mark.parametrize("seed", range(2))
def test_a_copy_kept_by_a_stream_is_what_everybody_reads(cast, floor, seed, monkeypatch):
    monkeypatch.setattr(changes, "BATCH_SIZE", 5)
    monkeypatch.setattr(changes, "PAIRS", 7)
    world = World(cast, Random(seed))
    key = cast.key(world.owners[0], "read", access=GRANTS)
    readers = [*world.owners, world.colleague, cast.user(), cast.admin, type(key)(key.app, key.token)]
    copies = [StreamedCopy(floor, each, world.known) for each in readers]
    for look in range(LOOKS):
        for _ in range(world.chance.randint(1, STEPS)):
            world.step()
        floor.look()
        for copy in copies:
            copy.follow()
            read = copy.readable()
            assert copy.records.keys() == read.keys()
            assert copy.records == read
        copies[look % len(copies)].come_back()

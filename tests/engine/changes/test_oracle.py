"""An oracle of the feed: a copy that is kept by its pages alone is what each caller reads one by one, whatever happens
between them."""

from __future__ import annotations

from random import Random

import pytest

from tests.engine.changes.world import GRANTS, Copy, World

CHANGES = "/api/v1/_changes"
STEPS, LOOKS = 14, 12


class PagedCopy(Copy):
    """A copy that is kept by pages."""

    def __init__(self, actor, known):
        super().__init__(actor, known)
        self.cursor = actor.get(CHANGES).json["meta"]["next"]

    def follow(self):
        more = True
        while more:
            asked = {"since": self.cursor, "take": 7, "models": ",".join(self.heard)}
            page = self.actor.get(CHANGES, query_string=asked)
            assert page.status_code == 200, page.json
            for change in page.json["data"]:
                self.take(change)
            for model in page.json["meta"].get("resync", ()):
                self.read_anew(model)
            self.cursor, more = page.json["meta"]["next"], page.json["meta"]["more"]


@pytest.mark.variants
@pytest.mark.parametrize("seed", range(2))
def test_a_copy_kept_by_pages_is_what_everybody_reads(cast, seed):
    world = World(cast, Random(seed))
    key = cast.key(world.owners[0], "read", access=GRANTS)
    readers = [*world.owners, world.colleague, cast.user(), cast.admin]
    copies = [PagedCopy(each, world.known) for each in readers]
    narrow = PagedCopy(type(key)(key.app, key.token), world.known)
    for _ in range(LOOKS):
        for _ in range(world.chance.randint(1, STEPS)):
            world.step()
        for copy in (*copies, narrow):
            copy.follow()
            read = copy.readable()
            assert copy.records.keys() == read.keys()
            assert copy.records == read

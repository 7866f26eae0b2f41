"""An oracle of the feed: a copy that is kept by its pages alone is what each caller reads one by one, whatever happens
between them."""

from __future__ import annotations

from random import Random

import pytest

from tests.engine.changes.world import GRANTS, MODELS, World

CHANGES = "/api/v1/_changes"
STEPS, LOOKS = 14, 12


class Copy:
    """What one caller knows from the feed; what is to be read anew is read one by one."""

    def __init__(self, actor, known):
        self.actor, self.known, self.records = actor, known, {}
        self.cursor = actor.get(CHANGES).json["meta"]["next"]

    def follow(self):
        more = True
        while more:
            asked = {"since": self.cursor, "take": 7, "models": ",".join(self.heard)}
            page = self.actor.get(CHANGES, query_string=asked)
            assert page.status_code == 200, page.json
            for change in page.json["data"]:
                key = change["model"], change["recordId"]
                if change["operation"] == "delete":
                    assert change.keys() == {"id", "model", "recordId", "operation"}
                    self.records.pop(key, None)
                else:
                    self.records[key] = change["record"]
            for model in page.json["meta"].get("resync", ()):
                self.read_anew(model)
            self.cursor, more = page.json["meta"]["next"], page.json["meta"]["more"]

    def read_anew(self, model):
        self.records = {key: record for key, record in self.records.items() if key[0] != model}
        self.records |= {key: record for key, record in self.readable().items() if key[0] == model}

    def readable(self):
        answers = {key: self.actor.get(f"{MODELS[key[0]]}/{key[1]}") for key in self.known if key[0] in self.heard}
        return {key: answer.json for key, answer in answers.items() if answer.status_code == 200}

    @property
    def heard(self):
        return ["crm/company", "ai/message"] if self.actor.user_id is None else list(MODELS)


@pytest.mark.parametrize("seed", range(2))
def test_a_copy_kept_by_pages_is_what_everybody_reads(cast, seed):
    world = World(cast, Random(seed))
    key = cast.key(world.owners[0], "read", access=GRANTS)
    readers = [*world.owners, world.colleague, cast.user(), cast.admin]
    copies = [Copy(each, world.known) for each in readers]
    narrow = Copy(type(key)(key.app, key.token), world.known)
    for _ in range(LOOKS):
        for _ in range(world.chance.randint(1, STEPS)):
            world.step()
        for copy in (*copies, narrow):
            copy.follow()
            read = copy.readable()
            assert copy.records.keys() == read.keys()
            assert copy.records == read

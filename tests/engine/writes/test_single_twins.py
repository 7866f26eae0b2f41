"""What one statement writes and answers is what the unit of work would have written and answered, whoever asks."""

from __future__ import annotations

from random import Random

import pytest

from app.engine.declare.principal import Reader
from app.engine.declare.scope import Rule
from app.engine.write import single
from tests.engine.writes.twins import COUNTED_BY_ALL, MODELS, alike, name_of, twins

READERS = [reader for reader in Reader if reader is not Reader.ANONYMOUS]
CHANGED = [
    model
    for model in MODELS
    if model.policy.update is not Rule.NONE and any(single._watched(model, reader) is not None for reader in READERS)
]
REMOVED = [model for model in MODELS if model.policy.delete is not Rule.NONE and not single._deletes_more(model)]
OTHER = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
KEEP, LIKE = object(), object()
EDGES = {
    "string": ["", " ", "Grüße\u2028", "a" * 20, "a" * 2000, "x \t ", "o'r %s %% :name", "\u0000", "ß", "\ud800"],
    "text": ["", "long " * 50, "%(id)s", "\u0000"],
    "integer": [0, -1, 1, 1.0, 2, True, 10**30, 2147483647, 9007199254740991, "1"],
    "number": [0, -0.0, 0.1, 1, 1e308, -1e-320, 10**30, True, float("nan"), float("inf"), 9007199254740993],
    "boolean": [True, False, 0, "true"],
    "timestamp": ["2026-01-15T10:00:00.123456Z", "2026-01-15T10:00:00.9999Z", "2026-01-15T12:00:00+02:00",
                  "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9999Z", "2026-01-15"],
    "json": [{}, [], {"a": [1, None]}, "x"],
    "array<string>": [[], ["a", "a"], ["a,b", "{}", '"'], [None], "a"],
    "enum": ["", "nothing", 1],
}  # fmt: skip
CONDITIONS = [None, None, None, None, '"1"', '"2"', "*", '"1", "2", "3"', '"99999999999999999999"', 'W/"1"', "nothing"]


def callers(cast, shop):
    """Whoever may ask, by a name."""
    owner, member = shop.owner, cast.colleague(shop.owner)
    return {
        "owner": owner, "admin": cast.admin, "member": member, "manager": cast.colleague(owner, "admin"),
        "stranger": cast.user(), "anonymous": cast.anonymous, "key": cast.key(owner, "read", "write"),
        "reading key": cast.key(owner, "read"), "member's key": cast.key(member, "read", "write"),
    }  # fmt: skip


def given_to(model, random):
    """What is sent: by name, a value or what the record has."""
    fields = [field for field in model.fields().values() if field.attribute not in COUNTED_BY_ALL.get(model, ())]
    fields = [field for field in fields if field.spec.readable or field.spec.writable]
    plain = [field for field in fields if field.spec.access == "normal" and not field.references]
    # What is in order shows what stands beside it: nothing of it may be written where that is refused.
    sent = {field.name: LIKE for field in random.sample(plain, min(len(plain), random.choice([1, 1, 2])))}
    beside = random.sample(fields, random.choice([0, 1, 1, 2]))
    return sent | {field.name: value_of(field, random) for field in beside}


def value_of(field, random):
    kind = field.spec.kind
    if random.random() < 0.25:
        return KEEP
    if random.random() < 0.1:
        return None
    if field.references or field.attribute == "id":
        return OTHER
    values = list(getattr(kind, "values", ()))
    bounds = [kind.constraints[each] for each in ("minimum", "maximum") if each in kind.constraints]
    return random.choice([LIKE, *values, *values, *bounds, *EDGES.get(kind.name, ["x"])])


def filled(sent, stored, like):
    """``sent`` with what stands for values."""
    values = {name: stored.get(name) if each is KEEP else each for name, each in sent.items()}
    return {name: like.get(name) if each is LIKE else each for name, each in values.items()}


def told(model, answer):
    tag = answer.headers.get("ETag", '"-').strip('"').split("-")[0]
    return answer.status_code, tag, answer.json and alike(model, [answer.json])


class Twins:
    """Two equal worlds. What is asked in the second one takes the unit of work."""

    def __init__(self, cast, model, monkeypatch):
        self.model, self.monkeypatch = model, monkeypatch
        self.shops = twins(cast)
        self.actors = [callers(cast, shop) for shop in self.shops]
        self.likes = [shop.body(model, full=True) for shop in self.shops]
        self.renew()

    def renew(self):
        self.made = [shop.make(self.model) for shop in self.shops]

    def path(self, place):
        return f"{self.model.collection_path()}/{self.made[place]['id']}"

    def ask(self, place, name, method, body, condition):
        actor = self.actors[place][name]
        headers = {"If-Match": condition} if condition else {}
        with self.monkeypatch.context() as patched:
            if place:
                patched.setattr(single, "update", lambda *_: None)
                patched.setattr(single, "delete", lambda *_: False)
            return actor.send(method, self.path(place), headers, **({} if body is None else {"json": body}))

    def stored(self, place):
        return self.actors[place]["admin"].get(self.path(place))

    def check(self, name, method, sent=None, condition=None):
        before = [self.stored(place).json for place in (0, 1)]
        bodies = [None if sent is None else filled(sent, *each) for each in zip(before, self.likes, strict=True)]
        answers = [self.ask(place, name, method, bodies[place], condition) for place in (0, 1)]
        asked = name, method, bodies, condition, [each.json for each in answers]
        assert told(self.model, answers[0]) == told(self.model, answers[1]), asked
        after = [self.stored(place) for place in (0, 1)]
        assert told(self.model, after[0]) == told(self.model, after[1]), asked
        stamps = [each.json.get("updatedAt") == was.get("updatedAt") for each, was in zip(after, before, strict=True)]
        assert stamps[0] == stamps[1], asked
        return answers[0].status_code


@pytest.mark.parametrize("model", CHANGED, ids=name_of)
def test_a_change_is_what_the_unit_makes_of_it(cast, model, monkeypatch, pytestconfig):
    random, worlds = Random(model.__name__), Twins(cast, model, monkeypatch)
    names = [*worlds.actors[0], "owner", "admin", "owner", "admin", "owner", "member"]
    for _ in range(pytestconfig.getoption("--fuzz-queries") // 10):
        worlds.check(random.choice(names), "PATCH", given_to(model, random), random.choice(CONDITIONS))


@pytest.mark.parametrize("model", REMOVED, ids=name_of)
def test_a_removal_is_what_the_unit_makes_of_it(cast, model, monkeypatch):
    worlds = Twins(cast, model, monkeypatch)
    for name in worlds.actors[0]:
        for condition in ('"77"', '"1"'):
            if worlds.check(name, "DELETE", condition=condition) == 200:
                worlds.check(name, "DELETE")
                worlds.renew()

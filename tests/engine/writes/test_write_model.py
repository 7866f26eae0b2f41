"""Made-up writes, single, many, upserted, matching and in batches: after each, all rows are as the contract in plain
Python has them, versions included."""

from __future__ import annotations

from random import Random

import pytest

from tests.engine.writes.write_model import COMPANY, CONTACT, DEAL, STEPS, Caller, Model, Refused, Row

API = "/api/v1"
EMAILS = [f"{name}@model.example" for name in "abcdefghijklmnopqrst"]
STAGES = list(STEPS)
ABSENT = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--fuzz-worlds") * 4))


@pytest.fixture
def writes(request):
    return request.config.getoption("--fuzz-queries") // 5


class World:
    """The service and the reference side by side: names here are ids there."""

    def __init__(self, cast, seed):
        self.random, self.model, self.ids = Random(seed), Model(), {}
        one, other = cast.user(), cast.user()
        both, third = cast.colleague(one), cast.colleague(one)
        homes = [str(each.organization_id) for each in (one, other, both, third)]
        shared = {two: frozenset({homes[0], homes[two]}) for two in (2, 3)}
        self.callers = [
            Caller(one, homes[0], frozenset(homes[:1])), Caller(other, homes[1], frozenset(homes[1:2])),
            Caller(both, homes[2], shared[2]), Caller(third, homes[3], shared[3]),
        ]  # fmt: skip

    def some(self, kind, caller, *, home=False):
        """A name of that kind: nearly always one that the caller sees, or has at home."""
        near = self.model.visible({caller.home} if home else caller.organizations, kind)
        pool = [*near] if near and self.random.random() < 0.95 else self.model.of(kind)
        return self.random.choice(pool) if pool else "absent"

    def id_of(self, name):
        return self.ids.get(name, ABSENT) if name is not None else None

    def on_the_wire(self, values):
        return {key: self.id_of(each) if key in ("companyId", "contactId") else each for key, each in values.items()}

    def values(self, caller, kind, *, whole):
        """Values of a new record, or some changes."""
        random = self.random
        if kind == COMPANY:
            found = {"name": f"name{random.randrange(5)}", "industry": random.choice([None, "a", "b"])}
        elif kind == CONTACT:
            found = {
                "firstName": f"f{random.randrange(3)}",
                "lastName": "l",
                "email": random.choice(EMAILS),
                "title": random.choice([None, "x", "y"]),
                "companyId": self.some(COMPANY, caller, home=True),
            }
        else:
            contact = self.some(CONTACT, caller, home=True)
            row = self.model.rows.get(contact)
            company = row.values["companyId"] if row else self.some(COMPANY, caller, home=True)
            if random.random() < 0.1:
                company = self.some(COMPANY, caller)
            found = {
                "name": f"d{random.randrange(3)}",
                "companyId": company,
                "stage": random.choice(STAGES),
                "contactId": contact if row and random.random() < 0.8 else None,
                "amount": random.choice([None, 1, 2]),
                "lostReason": random.choice([None, "why", "why", "why"]),
            }
        return found if whole else {key: found[key] for key in found if random.random() < 0.4}

    def version(self, name):
        """None, the stored version, or another one."""
        row = self.model.rows.get(name)
        if self.random.random() < 0.6 or row is None:
            return None
        return row.version if self.random.random() < 0.8 else row.version + 1

    def check(self):
        for kind in (COMPANY, CONTACT, DEAL):
            for caller in self.callers:
                body = caller.actor.get(f"{API}/crm/{kind}?take=1000&versions=true").json
                versions = body["versions"] if kind == COMPANY else body["meta"]["versions"]
                found = {each["id"]: (each, versions[each["id"]]) for each in body["data"]}
                expected = self.model.visible(caller.organizations, kind)
                assert set(found) == {self.ids[name] for name in expected}
                for name, row in expected.items():
                    record, version = found[self.ids[name]]
                    wanted = self.on_the_wire(row.values) | {"organizationId": row.organization}
                    assert {key: record[key] for key in wanted} == wanted, name
                    assert version == row.version, (name, record)


def path(kind, identifier=None):
    return f"{API}/crm/{kind}" + (f"/{identifier}" if identifier else "")


def expect(world, work):
    """Do ``work`` on a copy of the reference, all or nothing: the status of its refusal, and what it returned."""
    copy = world.model.copy()
    try:
        done = work(copy)
    except Refused as refused:
        return refused.status, None
    world.model.take(copy)
    return None, done


def drawn(world, caller, kind, verb):
    """One single write: what it does to the reference, and how it is sent."""
    if verb == "create":
        values = world.values(caller, kind, whole=True)
        return lambda model: model.create(caller, kind, values), ("POST", path(kind), world.on_the_wire(values), None)
    name = world.some(kind, caller)
    version, item = world.version(name), path(kind, world.id_of(name))
    if verb == "update":
        values = world.values(caller, kind, whole=False)
        return (lambda model: model.update(caller, kind, name, values, version),
                ("PATCH", item, world.on_the_wire(values), version))  # fmt: skip
    return lambda model: model.delete(caller, kind, name, version), ("DELETE", item, None, version)


def single(world, caller, kind):
    verb = world.random.choice(["create", "create", "update", "update", "delete"])
    work, (method, where, body, version) = drawn(world, caller, kind, verb)
    refused, name = expect(world, work)
    headers = {"If-Match": f'"{version}"'} if version else {}
    answer = caller.actor.send(method, where, headers=headers, json=body)
    settle(world, answer, refused, [name] if verb == "create" else [], lambda body: [body])


def settle(world, answer, refused, made, records):
    """Compare the outcome, and learn the ids of what was made."""
    assert (answer.status_code if answer.status_code >= 400 else None) == refused, answer.json
    if refused is None and made:
        for name, record in zip(made, records(answer.json), strict=True):
            world.ids[name] = record["id"]


def create_many(world, caller, kind):
    sent = [world.values(caller, kind, whole=True) for _ in range(world.random.randint(1, 4))]
    refused, names = expect(world, lambda model: [model.create(caller, kind, each) for each in sent])
    answer = caller.actor.post(path(kind), [world.on_the_wire(each) for each in sent])
    settle_many(world, answer, refused, names)


def settle_many(world, answer, refused, names):
    """Of several faults another may be the first than in the reference, which stops at one."""
    assert (answer.status_code >= 400) == (refused is not None), (refused, answer.json)
    if names and refused is None:
        settle(world, answer, None, names, lambda body: body["data"])


def change_many(world, caller, kind):
    names = list(dict.fromkeys(world.some(kind, caller) for _ in range(world.random.randint(1, 4))))
    sent = [(name, world.values(caller, kind, whole=False), world.version(name)) for name in names]

    def work(model):
        for name, values, version in sent:
            model.update(caller, kind, name, values, version)

    refused, _ = expect(world, work)
    body = [{"id": world.id_of(name), **world.on_the_wire(values), **({"ifMatch": f'"{version}"'} if version else {})}
            for name, values, version in sent]  # fmt: skip
    settle_many(world, caller.actor.patch(path(kind), body), refused, None)


def delete_many(world, caller, kind):
    names = list(dict.fromkeys(world.some(kind, caller) for _ in range(world.random.randint(1, 3))))
    refused, _ = expect(world, lambda model: [model.delete(caller, kind, name) for name in names])
    answer = caller.actor.delete(path(kind), json={"ids": [world.id_of(name) for name in names]})
    settle_many(world, answer, refused, None)


def upsert(world, caller, kind):
    """Contacts by their address."""
    emails = world.random.sample(EMAILS, world.random.randint(1, 4))
    sent = [world.values(caller, CONTACT, whole=True) | {"email": each} for each in emails]
    resolution = world.random.choice(["merge", "ignore"])

    def work(model):
        names = []
        for values in sent:  # all of them before the first key is looked for
            model.check_references(caller, Row(CONTACT, caller.home, values), values)
        for values in sent:
            there = model.in_the_way(caller.home, values["email"])
            if there and resolution == "merge":
                model.update(caller, CONTACT, there, values)
            names.append(there or model.create(caller, CONTACT, values))
        return names

    refused, names = expect(world, work)
    asked = {"onConflict": "email", "resolution": resolution}
    answer = caller.actor.post(path(CONTACT), [world.on_the_wire(each) for each in sent], query_string=asked)
    settle_many(world, answer, refused, names)


CONDITIONS = {COMPANY: ("industry", ["a", "b"]), CONTACT: ("title", ["x", "y"]), DEAL: ("stage", STAGES)}


def match(world, caller, kind):
    (key, options), most = CONDITIONS[kind], world.random.choice([2, 1000])
    wanted, removing = world.random.choice(options), world.random.random() < 0.3
    values = {} if removing else world.values(caller, kind, whole=False)

    def work(model):
        found = [name for name, row in model.visible(caller.organizations, kind).items() if row.values[key] == wanted]
        if len(found) > most:
            raise Refused(400)
        for name in sorted(found, key=world.id_of):
            if removing:
                model.delete(caller, kind, name)
            else:
                model.update(caller, kind, name, values)

    refused, _ = expect(world, work)
    body = {"where": {key: wanted}, "max": most, **({} if removing else {"set": world.on_the_wire(values)})}
    answer = caller.actor.post(f"{path(kind)}/_matching/_{'delete' if removing else 'update'}", body)
    settle_many(world, answer, refused, None)


def batch(world, caller, _):
    """Single writes of several models; each is drawn by what the earlier ones have left."""
    requests, works, made, before = [], [], [], world.model.copy()
    status = None
    for place in range(world.random.randint(1, 5)):
        kind = world.random.choice([COMPANY, CONTACT, DEAL])
        verb = world.random.choice(["create", "update", "update", "delete"])
        work, (method, where, body, version) = drawn(world, caller, kind, verb)
        status, name = expect(world, work)
        works.append(work)
        if verb == "create" and status is None:
            made.append((name, place))
            world.ids[name] = f"{{r{place}.id}}"
        request = {"ref": f"r{place}", "method": method, "path": where}
        request |= ({"body": body} if body is not None else {}) | ({"ifMatch": f'"{version}"'} if version else {})
        requests.append(request)
        if status is not None:
            break
    answer = caller.actor.post(f"{API}/_batch", {"requests": requests})
    if status is not None:
        world.model.take(before)
        assert (answer.status_code, answer.json["details"]["index"]) == (status, len(requests) - 1), answer.json
        return
    assert answer.status_code == 200, answer.json
    for name, place in made:
        world.ids[name] = answer.json["data"][place]["body"]["id"]


ACTS = [single, create_many, change_many, delete_many, upsert, match, batch]


def test_rows_are_as_the_contract_has_them_after_any_writes(cast, seed, writes):
    world = World(cast, seed)
    for kind in (COMPANY, CONTACT, DEAL):
        for caller in world.callers * 2:
            create_many(world, caller, kind)
    for number in range(writes):
        act = world.random.choice(ACTS)
        caller, kind = world.random.choice(world.callers), world.random.choice([COMPANY, CONTACT, CONTACT, DEAL])
        act(world, caller, kind)
        if number % 3 == 0:
            world.check()
    world.check()

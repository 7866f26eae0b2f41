"""How tests share records, and what somebody may do with one."""

from __future__ import annotations

SHARED, ORGANIZATIONS = "/api/v1/_shared", "/api/v1/auth/organization"
PARTLY = {"models": ["crm/deal"], "operations": ["list", "read", "update"], "fields": ["name"]}
SOMEBODY_ELSE = {"userId": "00000000-0000-4000-8000-000000000000"}


def of(model, identifier):
    return f"{model.collection_path()}/{identifier}"


def share(actor, model, identifier, *entries):
    """Share a record with the actors or recipients of ``entries``, each behind what they may do."""
    listed = [{"with": to if isinstance(to, dict) else {"userId": str(to.user_id)}, "may": may} for may, to in entries]
    return actor.put(f"{of(model, identifier)}/_sharing", {"data": listed})


def shared(actor, model, identifier, *entries):
    answer = share(actor, model, identifier, *entries)
    assert answer.status_code == 200, answer.json
    return answer.json["data"]


def address(actor):
    return actor.get(f"/api/v1/auth/user/{actor.user_id}").json["email"]


def let_out(owner, *, out=True):
    assert owner.put(f"{ORGANIZATIONS}/{owner.organization_id}", {"outsideShares": out}).status_code == 200


def ids(actor, model, **query):
    answer = actor.get(model.collection_path(), query_string={"take": 100, **query})
    assert answer.status_code == 200, answer.json
    assert answer.json.get("meta", {}).get("count", len(answer.json["data"])) == len(answer.json["data"])
    return [each["id"] for each in answer.json["data"]]


def statuses(actor, model, identifier):
    """Whether somebody reads a record, finds it in the list, may change it, delete it, and share it on."""
    path = of(model, identifier)
    read = actor.get(path)
    changed = actor.patch(path, {name: read.json[name] for name in ("name", "title") if name in (read.json or {})})
    return [
        read.status_code, identifier in ids(actor, model), changed.status_code, actor.delete(path).status_code,
        share(actor, model, identifier, ("read", actor)).status_code,
        actor.post(f"{path}/_link", {}).status_code if model.policy.links else 403 if read.status_code == 200 else 404,
    ]  # fmt: skip


READS, WRITES = [200, True, 403, 403, 403, 403], [200, True, 200, 403, 403, 403]
NOTHING = [404, False, 404, 404, 404, 404]


def crew(owner, *members):
    """A team of the organization."""
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json["id"]
    for each in members:
        assert owner.post("/api/v1/auth/team-member", {"teamId": team, "userId": str(each.user_id)}).status_code == 201
    return team

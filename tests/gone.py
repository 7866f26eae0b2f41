"""How somebody goes, over HTTP, while something goes on in their name: a member of the organization of ``boss``."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from app.testing.cast import Actor, Cast

USER, MEMBER, KEY = "/api/v1/auth/user", "/api/v1/auth/member", "/api/v1/auth/api-key"
Way = Callable[[Cast, Actor, Actor], None]


def banned(cast: Cast, boss: Actor, member: Actor) -> None:
    assert cast.admin.patch(f"{USER}/{member.user_id}", {"banned": True}).status_code == 200


def deleted(cast: Cast, boss: Actor, member: Actor) -> None:
    assert cast.admin.delete(f"{USER}/{member.user_id}").status_code == 200


def removed(cast: Cast, boss: Actor, member: Actor) -> None:
    assert boss.delete(f"{MEMBER}/{membership(boss, member)}").status_code == 200


def demoted(cast: Cast, boss: Actor, member: Actor) -> None:
    assert boss.patch(f"{MEMBER}/{membership(boss, member)}", {"role": "member"}).status_code == 200


def signed_out(cast: Cast, boss: Actor, member: Actor) -> None:
    assert member.post("/api/auth/signout").status_code == 200


def meanwhile(way: Way, cast: Cast, boss: Actor, member: Actor) -> None:
    """Have somebody go while the caller is within a unit of work."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(way, cast, boss, member).result(60)


def membership(boss: Actor, member: Actor) -> str:
    """The id of the membership of somebody in the organization of ``boss``."""
    query = {"userId": str(member.user_id), "organizationId": str(boss.organization_id)}
    (found,) = boss.get(MEMBER, query_string=query).json["data"]
    return str(found["id"])

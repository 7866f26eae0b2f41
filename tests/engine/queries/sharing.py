"""The contract of shares in plain Python, and the shares of a world."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import insert

from app.ai.models.chats import AiChat
from app.ai_rag.models import AiRagIndex
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthTeam, AuthTeamMember
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.record import Record
from app.foundation.clock import now
from app.testing.cast import Actor

if TYPE_CHECKING:
    from tests.engine.queries.world import Caller, Row, World

SHARED = (CrmCompany, CrmContact, CrmDeal, AiChat, AiRagIndex)
OVER, LATER = datetime(2025, 12, 28, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
# The organization of each team, and who is in it.
Teams = Mapping[UUID, tuple[UUID, set[UUID]]]


def is_shared(world: World, caller: Caller, model: type[Record], row: Row, may: tuple[str, ...]) -> bool:
    """Whether a row is shared with a caller for something that they ``may``."""
    named = (model.qualified_name(), row["id"])
    shares = (each for each in world.shares if (each["model"], each["record_id"]) == named)
    return any(each["may"] in may and _counts(world, caller, each) for each in shares)


def _counts(world: World, caller: Caller, share: Row) -> bool:
    """Whether a share is with the caller, by now, and of an organization that they are in or that let it out."""
    within = share["organization_id"]
    if share["until"] is not None and share["until"] <= now():
        return False
    if not (share["outside"] or within in caller.roles):
        return False
    if share["team_id"] is not None:
        organization, members = world.teams[share["team_id"]]
        return caller.user_id in members and organization in caller.roles
    if share["email"] is not None:
        return bool(caller.email == share["email"])
    return bool(caller.user_id == share["user_id"])


def add_teams(session: Any, people: list[Actor]) -> dict[UUID, tuple[UUID, set[UUID]]]:
    """A team of the first organization, and one of the second, each with who is in it."""
    found = {}
    for home, members in ((0, (0, 1)), (1, (2,))):
        organization, team = people[home].organization_id, UUID(int=home + 1)
        session.execute(insert(AuthTeam).values(id=team, organization_id=organization, name="Crew"))
        for member in members:
            session.execute(insert(AuthTeamMember).values(team_id=team, user_id=people[member].user_id))
        found[team] = organization, {people[member].user_id for member in members}
    return found


def shares(
    chance: random.Random, rows: Mapping[type[Record], list[Row]], people: list[Actor], teams: Teams
) -> Iterator[Row]:
    """Some rows of each model that is shared, with people, teams and addresses, until now and later."""
    addresses = {row["id"]: row["email"] for row in rows[AuthUser]}
    for model in SHARED:
        for row in chance.choices(rows[model], k=8):
            user = chance.choice(people).user_id
            home = chance.choice(people).organization_id
            named = chance.choice(({"user_id": user}, {"team_id": chance.choice([*teams])}, {"email": addresses[user]}))
            yield {
                "model": model.qualified_name(), "record_id": row["id"], "record_created_at": row["created_at"],
                "user_id": None, "team_id": None, "email": None, **named, "recipient": str(*named.values()),
                "may": chance.choice(("read", "write")), "until": chance.choice((None, None, OVER, LATER)),
                "organization_id": home if model is AiChat else row["organization_id"], "outside": "email" in named,
            }  # fmt: skip

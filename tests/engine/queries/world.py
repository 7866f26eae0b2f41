"""Rows of some models, who owns them, and callers of every sort: what queries are asked about."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select, text

from app.ai.models.chats import AiChat, AiMessage
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization
from app.auth.models.sharing import AuthShare
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.record import Record
from app.testing.cast import Actor, Cast
from app.testing.database import transaction
from tests.engine.queries import sharing

Row = dict[str, Any]
MODELS: tuple[type[Record], ...] = (
    AuthUser, AuthOrganization, AuthMember, AuthInvitation, CrmCompany, CrmContact, CrmDeal, AiChat, AiMessage,
    AiRagIndex, AiRagDocument, AiRagChunk,
)  # fmt: skip
STAGES = ("lead", "qualified", "proposal", "won", "lost")
WORDS = (
    "harbour", "Harbour", "crane", "Crane works", "Élan", "elan", "Straße", "ΑΣ quay", "zulu", "Zoë", "100% sure",
    "under_score", "back\\slash", "comma, here", "a", "A", "quay-side", "ada@quay.example", "Ünder", "",
)  # fmt: skip
BEGAN = datetime(2025, 12, 28, tzinfo=UTC)


@dataclass
class World:
    """Rows by model, as stored, and callers by name with what the reference has to know of them."""

    rows: dict[type[Record], list[Row]] = field(default_factory=dict)
    callers: dict[str, Caller] = field(default_factory=dict)
    # What is shared with whom, and who is in which team.
    shares: list[Row] = field(default_factory=list)
    teams: dict[UUID, tuple[UUID, set[UUID]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Caller:
    """Somebody who asks: an admin, a user with memberships, or the holder of an anonymous key."""

    actor: Actor
    user_id: UUID | None
    is_admin: bool = False
    roles: dict[UUID, str] = field(default_factory=dict)
    email: str | None = None
    # Lists of grants, each with the organization whose member it narrows, or None for a key.
    lists: tuple[tuple[UUID | None, list[dict[str, Any]]], ...] = ()

    @property
    def managed(self) -> set[UUID]:
        return {each for each, role in self.roles.items() if role in ("owner", "admin")}


def build(cast: Cast, seed: int) -> World:
    """Fill the database of ``cast`` with a world, in place of what was there."""
    chance = random.Random(seed)
    with cast.app.app_context(), transaction() as session:
        # Behind the back of the log, which refuses that.
        session.execute(text("SET LOCAL session_replication_role = replica"))
        session.execute(text("TRUNCATE auth_user, auth_organization, crm_company, ai_chat, ai_rag_index CASCADE"))
    # Kept by a cached property; the rows behind it are gone.
    cast.__dict__.pop("anonymous", None)
    people = [cast.user() for _ in range(4)]
    admin = cast.user(role="admin")
    organizations = [actor.organization_id for actor in people]
    with cast.app.app_context(), transaction() as session:
        for user, home, role in ((1, 0, "member"), (2, 0, "admin"), (2, 1, "member")):
            values = {"user_id": people[user].user_id, "organization_id": organizations[home], "role": role}
            session.execute(insert(AuthMember).values(**values))
        _fill(chance, session, [actor.user_id for actor in people], organizations)
        world = World({model: _stored(session, model) for model in MODELS})
        world.teams = sharing.add_teams(session, people)
        world.shares = list(sharing.shares(chance, world.rows, people, world.teams))
        session.execute(insert(AuthShare), world.shares)
    _rename(cast, chance, world)
    keyed = cast.key(people[2], "read")
    for name, actor in (*zip(("owner", "member", "manager", "loner"), people, strict=True), ("admin", admin)):
        world.callers[name] = _caller(world, actor, is_admin=name == "admin")
    world.callers["key"] = Caller(keyed, people[2].user_id, False, _of_key(world, people[2]), _email(world, people[2]))
    world.callers["anonymous"] = Caller(cast.anonymous, None)
    return world


def _of_key(world: World, actor: Actor) -> dict[UUID, str]:
    """A key acts in the organization that it was made in."""
    return {actor.organization_id: "owner"}


def _caller(world: World, actor: Actor, *, is_admin: bool) -> Caller:
    roles = {row["organization_id"]: row["role"] for row in world.rows[AuthMember] if row["user_id"] == actor.user_id}
    return Caller(actor, actor.user_id, is_admin, roles, _email(world, actor))


def _email(world: World, actor: Actor) -> str:
    return next(row["email"] for row in world.rows[AuthUser] if row["id"] == actor.user_id)


def _rename(cast: Cast, chance: random.Random, world: World) -> None:
    """Give people and organizations names that sort and fold."""
    with cast.app.app_context(), transaction() as session:
        for model in (AuthUser, AuthOrganization):
            for row in world.rows[model]:
                session.get_one(model, row["id"]).name = chance.choice(WORDS[:10])
        session.flush()
        for model in (AuthUser, AuthOrganization):
            world.rows[model] = _stored(session, model)


def _stored(session: Any, model: type[Record]) -> list[Row]:
    columns = [each.column for each in model.fields().values() if each.column is not None]
    names = [name for name, each in model.fields().items() if each.column is not None]
    return [dict(zip(names, row, strict=True)) for row in session.execute(select(*columns))]


def _fill(chance: random.Random, session: Any, users: list[Any], organizations: list[Any]) -> None:
    def add(model: type[Record], number: int, make: Callable[[], Row]) -> list[Row]:
        rows = []
        for _ in range(number):
            moment = BEGAN + timedelta(hours=chance.randrange(0, 24 * 40), milliseconds=chance.choice((0, 1, 999)))
            row = {"id": UUID(int=chance.getrandbits(128)), "created_at": moment, "updated_at": moment, **make()}
            session.execute(insert(model).values(**row))
            rows.append(row)
        return rows

    def some(values: Any) -> Any:
        return chance.choice([*values, None])

    def shown() -> str:
        return chance.choice(("private", "private", "public"))

    pick = chance.choice
    companies = add(CrmCompany, 14, lambda: {
        "organization_id": pick(organizations), "name": pick(WORDS[:-1]), "industry": some(WORDS),
        "visibility": shown(), "revenue": some((1, 5, 5, 2**40)), "employees": some((1, 7)),
    })  # fmt: skip
    contacts = add(CrmContact, 20, lambda: {
        "organization_id": pick(organizations), "first_name": pick(WORDS[:-1]), "last_name": pick(WORDS[:-1]),
        "email": f"p{chance.getrandbits(32)}@quay.example", "title": some(WORDS), "company_id": pick(companies)["id"],
    })  # fmt: skip
    add(CrmDeal, 40, lambda: {
        "organization_id": pick(organizations), "name": pick(WORDS[:-1]), "company_id": pick(companies)["id"],
        "contact_id": some([row["id"] for row in contacts]), "owner_id": some(users), "stage": pick(STAGES),
        "amount": some((0, 5, 5, 100, 100, 2**53 - 1)), "currency": pick(("EUR", "USD")), "probability": pick((0, 50)),
        "priority": pick(("low", "high")), "source": some(("event", "partner")), "stage_changed_at": BEGAN,
        "expected_close_at": some((BEGAN, BEGAN + timedelta(days=3))), "description": some(WORDS),
    })  # fmt: skip
    chats = add(AiChat, 12, lambda: {
        "user_id": pick(users), "organization_id": some(organizations), "title": pick(WORDS[:-1]),
        "visibility": shown(), "status": pick(("active", "archived")), "source": "api",
        "last_message_at": some((BEGAN, BEGAN + timedelta(days=1))), "metadata_": {},
    })  # fmt: skip
    numbers = iter(range(1000))
    add(AiMessage, 30, lambda: {
        "chat_id": pick(chats)["id"], "sequence": next(numbers), "role": pick(("user", "assistant")),
        "content": pick(WORDS), "model": some(("small", "Large")), "parts": [], "attachments": [],
    })  # fmt: skip
    indexes = add(AiRagIndex, 8, lambda: {
        "organization_id": pick(organizations), "name": f"{pick(WORDS)} {next(numbers)}", "visibility": shown(),
        "metric": "cosine", "kind": "flat",
    })  # fmt: skip
    documents = add(AiRagDocument, 14, lambda: {
        "index_id": pick(indexes)["id"], "title": pick(WORDS[:-1]), "source_type": "text", "language": some(("en",)),
        "status": pick(("indexed", "failed")),
    })  # fmt: skip
    add(AiRagChunk, 24, lambda: {
        "document_id": pick(documents)["id"], "position": next(numbers), "token_count": 1, "content": pick(WORDS[:-1]),
        "heading": some(WORDS),
    })  # fmt: skip
    add(AuthInvitation, 8, lambda: {
        "organization_id": pick(organizations), "email": pick((f"i{chance.getrandbits(20)}@quay.example",)),
        "role": pick(("member", "admin")), "inviter_id": some(users), "status": pick(("pending", "rejected")),
        "expires_at": BEGAN + timedelta(days=chance.randrange(400, 500)),
    })  # fmt: skip

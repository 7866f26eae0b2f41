"""Hooks of artifacts: they notify members whom an artifact is shared with or mentions, and record views."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.ai.models.chats import AiArtifact
from app.analytics.models import AnalyticsActivity
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.engine.declare.principal import Principal
from app.engine.read.records import on_read
from app.engine.write.hooks import Write, on_create, on_update
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.notification.routing import lock_recipients, notify_all

# "@ada@example.com" in the text of a canvas names somebody.
MENTION = re.compile(r"(?<![\w.])@([\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
MAX_MENTIONS = 50
# Somebody who looks again within this time has looked once.
ONE_LOOK = timedelta(hours=1)


@on_create(AiArtifact, callers_only=True)
def show_new(artifact: AiArtifact, write: Write) -> None:
    write.unit.store(artifact)
    _announce(artifact, write, opened=True, before="")


@on_update(AiArtifact, callers_only=True)
def show_changed(artifact: AiArtifact, write: Write) -> None:
    opened = write.changed("visibility")
    if opened or write.changed("content"):
        _announce(artifact, write, opened=opened, before="" if opened else write.before.get("content") or "")


def _announce(artifact: AiArtifact, write: Write, *, opened: bool, before: str) -> None:
    """Tell colleagues of a canvas that they can see now, and those it names for the first time that it does."""
    if artifact.visibility != "public" or write.unit.principal.organization_id is None:
        return
    colleagues = _colleagues(write.unit.session, write.unit.principal)
    addresses = (set(_mentions(artifact.content or "")) - set(_mentions(before))) & colleagues.keys()
    named = {colleagues[address] for address in addresses}
    if opened:
        lock_recipients(write.unit, colleagues.values())
    about_it: dict[str, Any] = {
        "data": {"canvasId": str(artifact.id)}, "actor_id": write.unit.principal.user_id,
        "organization_id": write.unit.principal.organization_id,
    }  # fmt: skip
    notify_all(write.unit, named, "CANVAS_MENTION", f"You are named in {artifact.title}", **about_it)
    if opened:
        others = set(colleagues.values()) - named
        notify_all(write.unit, others, "CANVAS_ACCESS", f"{artifact.title} was shared with you", **about_it)


def _colleagues(session: Session, principal: Principal) -> dict[str, UUID]:
    """The other members of the organization that the caller acts in, by address."""
    member = select(AuthUser.email, AuthUser.id).join(AuthMember, AuthMember.user_id == AuthUser.id)
    there = (AuthMember.organization_id == principal.organization_id, AuthUser.id != principal.user_id)
    return {row.email: row.id for row in session.execute(member.where(*there))}


def _mentions(text: str) -> list[str]:
    return [address.lower() for address in MENTION.findall(text)[:MAX_MENTIONS]]


@on_read(AiArtifact)
def note_view(artifact: Mapping[str, Any], principal: Principal) -> None:
    """Record that somebody else than its owner has looked at a canvas."""
    if principal.user_id not in (None, artifact["userId"]):
        run_unit(principal, _add_view, str(artifact["id"]))


def _add_view(unit: Unit, canvas_id: str) -> None:
    principal = unit.principal
    about = (
        AnalyticsActivity.activity_type == "CANVAS_VIEW",
        AnalyticsActivity.metadata_["canvasId"].astext == canvas_id,
    )
    recent = (AnalyticsActivity.user_id == principal.user_id, AnalyticsActivity.occurred_at > now() - ONE_LOOK)
    if unit.session.scalar(select(func.count()).where(*about, *recent)):
        return
    unit.session.add(
        AnalyticsActivity(
            user_id=principal.user_id, organization_id=principal.organization_id, activity_type="CANVAS_VIEW",
            metadata_={"canvasId": canvas_id, "source": "api"},
        )
    )  # fmt: skip

"""Hooks of chats, messages, artifacts, suggestions, chains and providers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import func, select

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider, AiStream
from app.ai.models.chats import AiArtifact, AiChat, AiMessage, AiSuggestion, AiVote
from app.engine.write.hooks import Write, on_create, on_update, require
from app.foundation.clock import now
from app.foundation.errors import ForeignKeyViolation
from app.foundation.networks import is_private
from app.foundation.settings import settings
from app.storage.models import StorageUpload

MAX_CANVAS_LENGTH = AiArtifact.fields()["content"].spec.kind.constraints["maxLength"]
ATTACHMENT_FIELDS = {"uploadId", "name", "contentType"}


@on_create(AiChat, callers_only=True)
def open_chat(chat: AiChat, write: Write) -> None:
    chat.source = "api"


@on_create(AiMessage, callers_only=True)
def append_message(message: AiMessage, write: Write) -> None:
    chat = write.unit.get(AiChat, message.chat_id, lock=True)
    message.sequence = write.unit.next_number(AiMessage.sequence, AiMessage.chat_id == chat.id)
    _check_attachments(message.attachments, write)
    chat.last_message_at = now()


@on_update(AiMessage, callers_only=True)
def edit_message(message: AiMessage, write: Write) -> None:
    for name in ("content", "parts", "attachments"):
        if write.changed(name):
            require(message.role == "user", name, "Only entries of the user can be changed.")
            message.edited_at = now()
    if write.changed("attachments"):
        _check_attachments(message.attachments, write)


def _check_attachments(attachments: list[Any], write: Write) -> None:
    """Attachments name uploads that the caller sees, and nothing but strings."""
    wanted = set()
    for each in attachments:
        fits = (
            isinstance(each, dict)
            and each.keys() == ATTACHMENT_FIELDS
            and all(isinstance(part, str) for part in each.values())
        )
        require(fits and _is_id(each["uploadId"]), "attachments", "Takes objects of uploadId, name, contentType.")
        wanted.add(UUID(each["uploadId"]))
    seen = StorageUpload.policy.visible(StorageUpload, write.unit.principal.reader)
    found = select(func.count()).select_from(StorageUpload).where(StorageUpload.id.in_(wanted), seen)
    if wanted and write.unit.session.scalar(found, write.unit.principal.binds) != len(wanted):
        raise ForeignKeyViolation.on("attachments")


def _is_id(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


@on_update(AiArtifact, callers_only=True)
def revise_artifact(artifact: AiArtifact, write: Write) -> None:
    if write.changed("content"):
        artifact.version += 1


@on_create(AiVote, callers_only=True)
def cast_vote(vote: AiVote, write: Write) -> None:
    vote.chat_id = write.unit.get(AiMessage, vote.message_id).chat_id


@on_create(AiSuggestion, callers_only=True)
def suggest(suggestion: AiSuggestion, write: Write) -> None:
    suggestion.artifact_version = write.unit.get(AiArtifact, suggestion.artifact_id).version
    if suggestion.status == "accepted":
        _apply(suggestion, write)
    _resolve(suggestion, write)


@on_update(AiSuggestion, callers_only=True)
def resolve_suggestion(suggestion: AiSuggestion, write: Write) -> None:
    if write.entered("status", suggestion, "accepted"):
        _apply(suggestion, write)
    if write.changed("status"):
        _resolve(suggestion, write)


def _apply(suggestion: AiSuggestion, write: Write) -> None:
    artifact = write.unit.get(AiArtifact, suggestion.artifact_id, lock=True)
    require(suggestion.original_text in (artifact.content or ""), "status", "The passage is no longer in the artifact.")
    artifact.content = (artifact.content or "").replace(suggestion.original_text, suggestion.suggested_text, 1)
    require(len(artifact.content) <= MAX_CANVAS_LENGTH, "status", "The artifact would grow too long.")
    artifact.version += 1


def _resolve(suggestion: AiSuggestion, write: Write) -> None:
    resolved = suggestion.status != "open"
    suggestion.resolved_by_id = write.unit.principal.user_id if resolved else None
    suggestion.resolved_at = now() if resolved else None


@on_update(AiStream, callers_only=True)
def stop_stream(stream: AiStream, write: Write) -> None:
    if write.changed("status"):
        require(stream.status == "aborted", "status", "Callers can only set aborted.")
        stream.finished_at = now()


@on_create(AiChain, callers_only=True)
def open_chain(chain: AiChain, write: Write) -> None:
    allowed = chain.organization_id is not None or write.unit.principal.is_admin
    require(allowed, "organizationId", "Only platform admins make chains without organization.")


@on_create(AiChainProvider, callers_only=True)
def place_provider(place: AiChainProvider, write: Write) -> None:
    write.unit.get(AiChain, place.chain_id, lock=True)
    if place.position is None:
        place.position = write.unit.next_number(
            AiChainProvider.position, AiChainProvider.chain_id == place.chain_id, first=0
        )


@on_create(AiProvider, callers_only=True)
@on_update(AiProvider, callers_only=True)
def check_provider(provider: AiProvider, write: Write) -> None:
    require(provider.kind == "builtin" or bool(provider.base_url), "baseUrl", "Is required unless kind is builtin.")
    if provider.base_url:
        require("@" not in urlsplit(provider.base_url).netloc, "baseUrl", "Must hold no user or password; use apiKey.")
    if provider.base_url and not settings.private_provider_urls:
        require(
            not is_private(urlsplit(provider.base_url).hostname or ""),
            "baseUrl",
            "Must not point to a private address.",
        )

"""Agents are answered by the chains of chats, so their tests use the same fixtures."""

from __future__ import annotations

from tests.ai.conftest import chains, chat_app, chat_cast, owner, provider

__all__ = ["chains", "chat_app", "chat_cast", "owner", "provider"]

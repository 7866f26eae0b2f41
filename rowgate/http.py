"""Routes written by hand: what one declares, who may call it, and how it answers."""

from app.auth.credentials.access import credentials_required, open_to_all, session_welcome
from app.auth.credentials.authentication import caller, caller_if_any
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, respond

__all__ = [  # noqa: RUF022
    "Blueprint", "Operation", "Body", "Answer", "serve",
    "credentials_required", "session_welcome", "open_to_all", "caller", "caller_if_any",
    "answer", "parse_id", "Reply", "respond",
]  # fmt: skip

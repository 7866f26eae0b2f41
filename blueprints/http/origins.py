"""CORS: what pages of other origins may send to the consumer and Teams routes, and read of the answers."""

from __future__ import annotations

import re

from flask_cors import CORS

from blueprints.http.base import Blueprint
from config import EVERY_ORIGIN

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
ALLOWED_HEADERS = [
    "Authorization",
    "Content-Type",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "Range",
    "X-Request-Id",
]
EXPOSED_HEADERS = [
    "Content-Disposition", "ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "set-auth-token",
    "Transaction-Id", "WWW-Authenticate", "x-chat-id", "X-RateLimit-Limit", "X-RateLimit-Remaining",
    "X-RateLimit-Reset", "X-Request-Id",
]  # fmt: skip
# A browser may remember for so many seconds what it may send.
MAX_AGE = 600


def open_to(origins: list[str], blueprint: Blueprint) -> Blueprint:
    """Let pages of ``origins`` call the routes of ``blueprint`` with bearer tokens. Never with credentials: the session
    cookie is for pages of the service."""
    exact = [re.compile(re.escape(each) + r"\Z") for each in origins if each != EVERY_ORIGIN]
    if origins:
        CORS(
            blueprint, origins=exact or EVERY_ORIGIN, send_wildcard=True, methods=METHODS,
            allow_headers=ALLOWED_HEADERS, expose_headers=EXPOSED_HEADERS, max_age=MAX_AGE,
        )  # fmt: skip
    return blueprint

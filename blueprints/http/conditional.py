"""Conditional requests (RFC 9110, sections 8.8.3 and 13): entity tags, and what is sent to be compared with them.

If-Match compares the version alone, If-None-Match the whole. Each header has a query parameter that does the same, for
browsers of other origins.
"""

from __future__ import annotations

from hashlib import blake2b

from flask import request

from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.foundation.errors import Invalid
from schemas import tags

IF_MATCH, IF_NONE_MATCH = "ifMatch", "ifNoneMatch"


def entity_tag(version: int, body: bytes) -> str:
    """The strong validator of a representation."""
    return f'"{version}-{blake2b(body, digest_size=8).hexdigest()}"'


def header_and_parameter(header: str, parameter: str) -> tuple[str | None, str | None]:
    """What the running request says in a header, by its name in the WSGI environment, and in its query parameter."""
    environ = request.environ
    return environ.get(header), request.args.get(parameter) if environ["QUERY_STRING"] else None


def precondition() -> Precondition:
    """Which versions of the record the running request is for; raises Invalid."""
    sent, asked = header_and_parameter("HTTP_IF_MATCH", IF_MATCH)
    if sent is None and asked is None:
        return UNCONDITIONAL
    conditions = [tags.read(text, name) for text, name in ((sent, "If-Match"), (asked, IF_MATCH)) if text is not None]
    if conditions[0] != conditions[-1]:
        raise Invalid({IF_MATCH: ["Says another thing than the header If-Match."]})
    return conditions[0]


def refuse_condition() -> None:
    """Refuse If-Match on a write that is not about one record of known version: whoever sent it would think something
    guarded. Raises Invalid."""
    sent, asked = header_and_parameter("HTTP_IF_MATCH", IF_MATCH)
    if sent is not None or asked is not None:
        name = IF_MATCH if sent is None else "If-Match"
        raise Invalid({name: ["Is for one record; with many, each takes ifMatch."]})


def matches_if_none_match(tag: str) -> bool:
    """Whether the caller of the running request has this representation already."""
    sent, asked = header_and_parameter("HTTP_IF_NONE_MATCH", IF_NONE_MATCH)
    if sent is None and asked is None:
        return False
    known = [tags.known(text) for text in (sent, asked) if text is not None]
    if known[0] != known[-1]:
        raise Invalid({IF_NONE_MATCH: ["Says another thing than the header If-None-Match."]})
    return "*" in known[0] or tag.strip('"') in known[0]

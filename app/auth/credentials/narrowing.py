"""What narrows a caller: the list of the key, and those of the owner as a member of organizations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import orjson

from app.engine.declare.principal import Principal
from app.engine.read import grant_parser


def narrowed(principal: Principal, members: Mapping[UUID, str], key: str | None = None) -> Principal:
    """The principal as narrowed by ``members``, the lists of grants in each organization (that of the member, and that
    of the member's teams), and by that of a key. Where something is shared with them, the lists of all organizations
    stay, as what is shared may be of one that they do not act in."""
    lists: list[grant_parser.StoredList] = [(None, key)] if key is not None else []
    for organization, both in members.items():
        if organization in principal.memberships or principal.recipients:
            lists += [(organization, orjson.dumps(each).decode()) for each in orjson.loads(both) if each is not None]
    if not lists:
        return principal if principal.narrowing is None else replace(principal, narrowing=None)
    return replace(principal, narrowing=grant_parser.load(lists))

"""What callers may do, and the grants that narrow keys, members and teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.writing import good, write

if TYPE_CHECKING:
    from rowgate_client.models import (
        AccessExplanation,
        AccessList,
        AccessOverview,
        AccessQuestion,
        AuthApiKeyCreate,
        AuthApiKeyFields,
        AuthApiKeyMade,
        AuthApiKeyUpdate,
        Grant,
        MemberAccess,
    )

ACCESS, KEYS = "/api/v1/_access", "/api/v1/auth/api-key"


class Access:
    """The rights of the caller, and those that the caller gives. Each call raises RowgateError when the service
    refuses."""

    def __init__(self, client: AuthenticatedClient | Client) -> None:
        self._client = client

    def read(self) -> AccessOverview:
        """What the calling credential may do."""
        found: AccessOverview = self._read(ACCESS)
        return found

    def explain(self, question: AccessQuestion) -> AccessExplanation:
        """Whether something is allowed, and because of what: to oneself, one's own key or a member whom one manages."""
        found: AccessExplanation = good(self._client.get_httpx_client().post(ACCESS, json=question)).json()
        return found

    def create_api_key(self, key: AuthApiKeyCreate, *, idempotency_key: str | None = None) -> AuthApiKeyMade:
        """Make a key of the caller."""
        made: AuthApiKeyMade = write(self._client, "POST", KEYS, json=key, key=idempotency_key).json()
        return made

    def update_api_key(
        self, id: str, changes: AuthApiKeyUpdate, *, idempotency_key: str | None = None
    ) -> AuthApiKeyFields:
        changed: AuthApiKeyFields = self._put(_at(KEYS, id), changes, idempotency_key)
        return changed

    def of_member(self, id: str) -> MemberAccess:
        """What narrows a member, and what the member's teams add."""
        found: MemberAccess = self._read(_list_of("member", id))
        return found

    def set_of_member(
        self, id: str, grants: Sequence[Grant] | None, *, idempotency_key: str | None = None
    ) -> MemberAccess:
        """Narrow a member to ``grants``; to nothing by none, and no longer by None."""
        done: MemberAccess = self._put(_list_of("member", id), _listed(grants), idempotency_key)
        return done

    def of_team(self, id: str) -> AccessList:
        found: AccessList = self._read(_list_of("team", id))
        return found

    def set_of_team(self, id: str, grants: Sequence[Grant] | None, *, idempotency_key: str | None = None) -> AccessList:
        """Narrow the members of a team."""
        done: AccessList = self._put(_list_of("team", id), _listed(grants), idempotency_key)
        return done

    def _read(self, path: str) -> Any:
        return good(self._client.get_httpx_client().get(path)).json()

    def _put(self, path: str, body: Mapping[str, Any], key: str | None) -> Any:
        return write(self._client, "PUT", path, json=body, key=key).json()


def _at(root: str, id: str) -> str:
    return f"{root}/{quote(id, safe='')}"


def _list_of(kind: str, id: str) -> str:
    return f"{_at(f'/api/v1/auth/{kind}', id)}/_access"


def _listed(grants: Sequence[Grant] | None) -> Mapping[str, Any]:
    return {"access": grants if grants is None else [*grants]}

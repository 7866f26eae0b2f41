"""Members as callers: what goes on in the name of somebody who presents no credential, in one organization."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from app.auth.accounts.users import is_banned
from app.auth.credentials import lookup
from app.auth.credentials.narrowing import narrowed
from app.engine.declare.principal import Credential, Principal, recipients_within


def member_principals(wanted: Collection[tuple[UUID, UUID]]) -> dict[tuple[UUID, UUID], Principal]:
    """Return the principals of users, each in an organization: they read what a key of theirs would there, and nothing
    of an admin's. Who is banned, or a member no more, has none."""
    rows = {row["user_id"]: row for row in lookup.rows(lookup.users(), list({user for user, _ in wanted}))}
    found = {}
    for user_id, organization_id in wanted:
        row = rows.get(user_id)
        if row is None or is_banned(row["banned"], row["ban_expires"]) or organization_id not in row["memberships"]:
            continue
        held = {organization_id: row["memberships"][organization_id]}
        principal = Principal(
            Credential.KEY, user_id, frozenset({"read"}), user_id, organization_id, memberships=held,
            recipients=recipients_within(row["recipients"], held),
        )  # fmt: skip
        found[user_id, organization_id] = narrowed(principal, row["narrowed"]) if row["narrowed"] else principal
    return found

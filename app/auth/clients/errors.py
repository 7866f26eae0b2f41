"""What goes wrong with codes and tokens of clients, beside what OAuth has errors for."""

from __future__ import annotations

from uuid import UUID


class UsedAgain(Exception):
    """A code, or a refresh token, that comes for the second time: the connection of ``key_id`` is not safe any more."""

    def __init__(self, key_id: UUID) -> None:
        super().__init__("used before")
        self.key_id = key_id

"""Failures of the Teams integration."""

from __future__ import annotations

from app.foundation.errors import Failure


class TeamsAuthenticationFailed(Failure):
    """A bot or tab token that is not good; callers do not learn why."""

    status, code, text = 401, "TEAMS_001", "Bot authentication failed"

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})


class TeamsCredentialsRefused(Failure):
    """Microsoft did not take the service's own credentials."""

    status, code, text = 502, "TEAMS_001", "Bot authentication failed"


class TeamsPermissionDenied(Failure):
    status, code, text = 403, "TEAMS_002", "Microsoft Teams does not permit this"


class TabContextUnavailable(Failure):
    status, code, text = 400, "TEAMS_003", "Tab context unavailable"


class MeetingNotFound(Failure):
    status, code, text = 404, "TEAMS_004", "Meeting not found"

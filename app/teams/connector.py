"""The Bot Connector: the hosts that may receive the bot's token, and safe retries."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import requests
from urllib3.exceptions import NewConnectionError
from urllib3.util import parse_url

from app.foundation.errors import Failure, Invalid, NotFound, PayloadTooLarge, RateLimited, UpstreamFailure
from app.foundation.settings import settings
from app.teams.app_tokens import TIMEOUT, bot_token, credentials, forget_bot_token
from app.teams.errors import TeamsCredentialsRefused, TeamsPermissionDenied
from app.teams.reading import json_of

# The safe mark for a message, in UTF-16.
MAX_BYTES = 80 * 1024
TRIES = 3
MAX_WAIT = 20.0
HOSTS = (
    "smba.trafficmanager.net", "smba.infra.gcc.teams.microsoft.com", "smba.infra.gov.teams.microsoft.us",
)  # fmt: skip
FORBIDDEN = ("BotNotInConversationRoster", "BotDisabledByAdmin", "ConversationBlockedByUser", "MessageWritesBlocked")


class Throttled(RateLimited):
    """Teams wants it slower; the message may be sent later."""


class GoneForGood(TeamsPermissionDenied):
    """The bot may not write there any more."""


def send(service_url: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Post to the connector and return its answer. Raises Throttled, GoneForGood, NotFound, PayloadTooLarge, Invalid,
    TeamsCredentialsRefused, UpstreamFailure (with ``possiblyDelivered`` where that cannot be known) and Unavailable."""
    credentials()
    data = json.dumps(body, ensure_ascii=False)
    if len(data.encode("utf-16-le")) > MAX_BYTES:
        raise PayloadTooLarge("The message is larger than Teams takes")
    url = f"{_trusted(service_url)}{path}"
    unclear = fresh = False
    for number in range(1, TRIES + 1):
        token = bot_token()
        try:
            answer = _post(url, data, token)
        except (requests.ConnectTimeout, requests.exceptions.SSLError):
            raise UpstreamFailure("Microsoft Teams cannot be reached", details=_doubt(unclear)) from None
        except requests.RequestException as error:
            if _never_left(error):
                raise UpstreamFailure("Microsoft Teams cannot be reached", details=_doubt(unclear)) from None
            answer = None
        status = answer.status_code if answer is not None else 0
        if answer is not None and 200 <= status < 300:
            return json_of(answer)
        if status == 401 and not fresh:
            fresh = True
            forget_bot_token()
            continue
        if status in (429, 412) and number < TRIES and (wait := _wait(answer, number)) <= MAX_WAIT:
            time.sleep(wait)
            continue
        if status in (0, 500, 502, 503, 504) and not unclear:
            unclear = True
            continue
        break
    failure = _failure(answer)
    failure.details |= _doubt(unclear)
    raise failure


def _doubt(unclear: bool) -> dict[str, Any]:
    """The details of a failure of a message that may have arrived."""
    return {"possiblyDelivered": True} if unclear else {}


def _never_left(error: requests.RequestException) -> bool:
    """Whether nobody was reached at all, so that nothing can have arrived."""
    cause = error.args[0] if error.args else None
    return isinstance(getattr(cause, "reason", cause), NewConnectionError)


def quoted(identifier: str) -> str:
    """An identifier of Teams as a part of a path."""
    return quote(identifier, safe="")


def _post(url: str, data: str, token: str) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"}
    return requests.post(url, data=data.encode(), headers=headers, timeout=TIMEOUT, allow_redirects=False)


def _trusted(service_url: str) -> str:
    """The address, when the bot's token may go there: known hosts, and those that the settings name."""
    # Judged by the parser that the call is made with, and built anew from what that one saw.
    parts = parse_url(service_url)
    more = {each.strip() for each in settings.teams_connector_hosts.split(",") if each.strip()}
    known = parts.scheme == "https" and parts.host in HOSTS and parts.port in (None, 443)
    if parts.auth is not None or "\\" in service_url or not (known or parts.host in more):
        raise UpstreamFailure("The conversation has no address that is trusted")
    return f"{parts.scheme}://{parts.netloc}{(parts.path or '').rstrip('/')}"


def _wait(answer: requests.Response | None, number: int) -> float:
    retry_after = answer.headers.get("Retry-After", "") if answer is not None else ""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after) + random.uniform(0, 0.2)  # noqa: S311 - no secret
    return 2.0**number * random.uniform(0.8, 1.2)  # noqa: S311


def _failure(answer: requests.Response | None) -> Failure:
    """What an answer of the connector means to the caller."""
    status, code = (answer.status_code, _code(answer)) if answer is not None else (0, "")
    plain: dict[int, Failure] = {
        400: Invalid({"cardData": ["Was not taken by Teams."]}),
        401: TeamsCredentialsRefused(),
        403: GoneForGood() if code in FORBIDDEN else TeamsPermissionDenied(),
        404: NotFound(),
        413: PayloadTooLarge(),
        429: Throttled(headers={"Retry-After": "20"}),
    }
    return plain.get(status) or UpstreamFailure("Microsoft Teams did not take the message")


def _code(answer: requests.Response) -> str:
    """The error code in an answer, wherever it is: some are JSON within a string."""
    error = json_of(answer).get("error")
    if isinstance(error, dict) and error.get("code"):
        return str(error["code"])
    return next((code for code in FORBIDDEN if code in answer.text), "")

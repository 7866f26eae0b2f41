"""Sending: one attempt to deliver an event, signed as Standard Webhooks 1.0 has it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from uuid import UUID

import httpx2
from standardwebhooks import Webhook

from app.foundation.outbound import AsyncOutbound

log = logging.getLogger(__name__)

# Seconds that an attempt may take, and how much of an answer is read and kept.
TIMEOUT = 15.0
MAX_ANSWER_BYTES, MAX_EXCERPT = 64 * 1024, 1000
MAX_RETRY_AFTER = 86_400.0
USER_AGENT = "Rowgate-Webhooks"


@dataclass(frozen=True)
class Message:
    """An event on its way: ``attempt`` counts the tries of the delivery; ``is_open`` says that it goes to this machine,
    as developers' do."""

    delivery_id: UUID
    endpoint_id: UUID
    record_id: UUID | None
    position: int | None
    attempt: int
    url: str
    is_open: bool
    event_id: str
    type: str
    body: bytes
    secrets: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """What an attempt came to: the ``status`` that was answered, or else an ``error``."""

    message: Message
    duration_ms: int
    status: int | None = None
    excerpt: str | None = None
    error: str | None = None
    retry_after: float | None = None

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Sender:
    """Sends on the running event loop, over connections that are kept."""

    def __init__(self, most: int, refused: frozenset[str]) -> None:
        self._resolver = ThreadPoolExecutor(most, "webhook-names")
        transport = AsyncOutbound(self._resolver, refused)
        # No redirects, no proxy of the environment, and no bound in between: an attempt has one for the whole.
        self._client = httpx2.AsyncClient(transport=transport, follow_redirects=False, trust_env=False, timeout=TIMEOUT)

    async def send(self, message: Message) -> Outcome:
        """Try once, for ``TIMEOUT`` seconds in all."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT):
                response = await self._answered(message)
        except TimeoutError:
            return Outcome(message, _since(began), error=f"No answer within {TIMEOUT:.0f} seconds")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return Outcome(message, _since(began), error=(str(error) or type(error).__name__)[:500])
        except Exception as error:
            log.exception("A webhook could not be sent")
            return Outcome(message, _since(began), error=type(error).__name__)
        excerpt = await _excerpt(response, TIMEOUT - (time.monotonic() - began))
        return Outcome(message, _since(began), response.status_code, excerpt, None, _retry_after(response))

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()
        self._resolver.shutdown(wait=False, cancel_futures=True)

    async def _answered(self, message: Message) -> httpx2.Response:
        request = self._client.build_request("POST", message.url, content=message.body, headers=_headers(message))
        request.extensions = {**request.extensions, "private": message.is_open}
        return await self._client.send(request, stream=True)


async def _excerpt(response: httpx2.Response, seconds: float) -> str:
    """The beginning of a body, as far as it comes in time: the status has arrived anyway."""
    read = b""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(max(seconds, 0.0)):
            async for piece in response.aiter_raw():
                read += piece
                if len(read) > MAX_ANSWER_BYTES:
                    break
    with suppress(httpx2.HTTPError):
        await response.aclose()
    return read[:MAX_ANSWER_BYTES].decode("utf-8", "replace").replace("\x00", "\ufffd")[:MAX_EXCERPT]


def _headers(message: Message) -> dict[str, str]:
    sent_at, body = datetime.now(UTC), message.body.decode()
    signatures = (Webhook(secret).sign(message.event_id, sent_at, body) for secret in message.secrets)
    return {
        "Content-Type": "application/json", "User-Agent": USER_AGENT, "Accept-Encoding": "identity",
        "webhook-id": message.event_id, "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }  # fmt: skip


def _retry_after(response: httpx2.Response) -> float | None:
    """The seconds that the answer asks to wait (RFC 9110, section 10.2.3), a day at most."""
    text = response.headers.get("Retry-After", "")
    if response.status_code not in (429, 503) or not text:
        return None
    if text.isascii() and text.isdigit():
        seconds = float(text[:9])
    else:
        try:
            moment = parsedate_to_datetime(text)
            seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)

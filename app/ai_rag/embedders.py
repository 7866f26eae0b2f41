"""Embedders: what makes vectors of texts, for a knowledge base or for a question put to it.

All of them speak the OpenAI-compatible protocol: a provider that has embeddings, the endpoint of the settings, or the
local embedder over its socket.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from uuid import UUID

import httpx2
from sqlalchemy.orm import Session

from app.ai_rag import local_embedder
from app.ai_rag.models import AiRagIndex
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.record import by_table
from app.foundation.crypto import vault
from app.foundation.errors import Unavailable
from app.foundation.outbound import CONNECT_TIMEOUT, Outbound, base_url_of, seconds_to_wait
from app.foundation.settings import settings

LOCAL_URL = "http://embedder/v1"
MAX_DIMENSIONS = 2000
# The largest number of four bytes.
MAX_NUMBER = 3.4e38


class NotEmbedded(Exception):
    """Texts that an embedder refuses, or an answer that makes no sense; to ask again would change nothing."""


class Refused(NotEmbedded):
    """More texts than the embedder takes at once, or one that it does not take."""


Reason = Literal["network", "timeout", "server_error"]


class NoAnswer(Unavailable):
    """An embedder that is away: by a failure of the ``network``, a ``timeout`` or a ``server_error``."""

    def __init__(self, reason: Reason, text: str, retry_after: int = 1) -> None:
        super().__init__(text, retry_after)
        self.reason = reason


class Embedded(NamedTuple):
    """Vectors, all of one length, and how many tokens the embedder says that their texts have."""

    vectors: list[list[float]]
    tokens: int = 0


Guard = Callable[[UUID, float], AbstractContextManager[None]]
_guard: list[Guard] = []


def guards_providers(guard: Guard) -> Guard:
    """Have each call of a provider made within a context manager, which raises Unavailable where it is not to be."""
    _guard[:] = [guard]
    return guard


def guarding(provider_id: UUID | None, seconds: float) -> AbstractContextManager[None]:
    """The context in which a provider is called for some seconds; what has none is called freely."""
    return _guard[0](provider_id, seconds) if _guard and provider_id else nullcontext()


@dataclass(frozen=True)
class Embedder:
    """A model behind an address, or a socket on this machine; ``price`` is that of a million tokens, in millionths of a
    US dollar."""

    model: str
    url: str
    secret: str | None = field(default=None, repr=False)
    sealed_secret: str | None = field(default=None, repr=False)
    socket: str | None = None
    private: bool = False
    price: int = 0
    provider_id: UUID | None = None

    def embed(self, texts: Sequence[str], seconds: float) -> Embedded:
        """Return a vector of each text. Raises Unavailable where that may go well later, and NotEmbedded."""
        with guarding(self.provider_id, seconds):
            response = self._answer(texts, seconds)
            if response.status_code != 200:
                raise _refusal(response)
        try:
            answer = response.json()
            return Embedded(_vectors(answer["data"], len(texts)), _tokens(answer))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise NotEmbedded(f"The embedder's answer is not understood: {error}") from error

    def _answer(self, texts: Sequence[str], seconds: float) -> httpx2.Response:
        deadline = time.monotonic() + seconds
        asked = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        try:
            secret = vault().decrypt(self.sealed_secret) if self.sealed_secret else self.secret
        except ValueError as error:
            raise NotEmbedded("The credential of the provider cannot be opened: enter it again") from error
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT))
        try:
            with httpx2.Client(transport=self._transport(deadline), timeout=timeout, trust_env=False) as client:
                return client.post(f"{self.url}/embeddings", json=asked, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            waits = isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout)
            reason: Reason = "timeout" if waits else "network"
            raise NoAnswer(reason, f"The embedder does not answer: {type(error).__name__}") from error

    def _transport(self, deadline: float) -> httpx2.BaseTransport:
        if self.socket is not None:
            return httpx2.HTTPTransport(uds=self.socket)
        return Outbound(deadline, private=self.private)


def default_model() -> tuple[str, int | None] | None:
    """Return the model of knowledge bases that name none, and its dimensions where these are known; nothing where no
    vectors are made."""
    if settings.embeddings_url:
        return settings.embeddings_model, None
    return (local_embedder.MODEL, local_embedder.DIMENSIONS) if local_embedder.is_available(settings) else None


def usual() -> Embedder | None:
    """Return what makes vectors here where nobody names a provider, if anything does."""
    found = default_model()
    return None if found is None else _own(found[0])


def embedder_of(session: Session, index: AiRagIndex) -> Embedder | None:
    """Return what makes the vectors of a knowledge base, if anything here does."""
    return None if index.embedding_model is None else embedder_for(session, index.embedding_model, index.provider_id)


def embedder_for(session: Session, model: str, provider_id: UUID | None) -> Embedder | None:
    """Return what makes vectors of a model: of a provider, or where none is named of the settings or the local one."""
    if provider_id is not None:
        provider: Any = session.get(by_table("ai_provider"), provider_id)
        if provider is None or provider.status == "disabled" or "embeddings" not in provider.capabilities:
            return None
        if provider.base_url is None:
            return None
        private = settings.private_provider_urls
        listed = (each for each in provider.models if isinstance(each, dict) and each.get("id") == model)
        price = next(listed, {}).get("inputMicrosPerMillion")
        return Embedder(
            model, base_url_of(provider.base_url), sealed_secret=provider.api_key, private=private,
            price=price if isinstance(price, int) and price > 0 else 0, provider_id=provider_id,
        )  # fmt: skip
    return _own(model)


def _own(model: str) -> Embedder | None:
    """What makes vectors of a model without a provider."""
    if settings.embeddings_url:
        if model != settings.embeddings_model:
            return None
        return Embedder(model, base_url_of(settings.embeddings_url), settings.embeddings_key or None, private=True)
    if model == local_embedder.MODEL and local_embedder.is_available(settings):
        return Embedder(model, LOCAL_URL, socket=str(local_embedder.path(settings.var_dir)))
    return None


def _refusal(response: httpx2.Response) -> Exception:
    status = response.status_code
    if status in (400, 413, 422):
        return Refused(f"The embedder answered {status}")
    told, wait = f"The embedder answered {status}", seconds_to_wait(response.headers.get("Retry-After", ""))
    if status >= 500:
        return NoAnswer("server_error", told, wait)
    return Unavailable(told, wait) if status in (408, 409, 425, 429) else NotEmbedded(told)


def _tokens(answer: Mapping[str, Any]) -> int:
    """The tokens that are paid for, where the answer tells any."""
    usage = answer.get("usage")
    told = usage.get("total_tokens") if isinstance(usage, dict) else None
    return min(told, INTEGER_MAX) if isinstance(told, int) and told > 0 else 0


def _vectors(data: Any, number: int) -> list[list[float]]:
    """The vectors in the order of their texts; raises ValueError."""
    found = sorted(data, key=lambda each: each["index"])
    if [each["index"] for each in found] != list(range(number)):
        raise ValueError("it has not one vector for each text")
    vectors = [[float(part) for part in each["embedding"]] for each in found]
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1 or not 1 <= next(iter(lengths)) <= MAX_DIMENSIONS:
        raise ValueError(f"its vectors have not all the same length, of {MAX_DIMENSIONS} at most")
    if not all(math.isfinite(part) and abs(part) <= MAX_NUMBER for vector in vectors for part in vector):
        raise ValueError("it holds what is no number")
    return vectors

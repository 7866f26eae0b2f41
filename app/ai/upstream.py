"""Providers that speak the OpenAI-compatible protocol, called through OpenAI's SDK."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

import httpx2
import openai
from openai import OpenAI

from app.ai.completion import CompletionInfo, Delta, ErrorCode, FinishReason, Prompt, ProviderFailure, storable
from app.ai.providers import Candidate
from app.foundation.outbound import CONNECT_TIMEOUT, Outbound, base_url_of
from app.foundation.settings import settings

# Roles that a provider can be told without the tool calls they belong to.
ROLES = ("system", "user", "assistant")
PARAMETERS = {"temperature": "temperature", "topP": "top_p", "maxOutputTokens": "max_tokens"}
FINISHED: tuple[FinishReason, ...] = ("stop", "length", "content_filter", "tool_calls")
LAST_LINE = re.compile(rb"(^|\n)data: ?\[DONE\]")
CODES: dict[int, ErrorCode] = {401: "auth", 403: "auth", 408: "timeout", 409: "server_error", 429: "rate_limit"}


class _Watched(Outbound):
    """Knows whether the answer was ended by the provider, which the SDK does not tell: a connection that is cut at the
    right place looks like an end."""

    ended = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        response.stream = _Tail(response.stream, self)  # type: ignore[arg-type]
        return response


class _Tail(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, watched: _Watched) -> None:
        self._stream = stream
        self._watched = watched

    def __iter__(self) -> Iterator[bytes]:
        tail = b""
        for piece in self._stream:
            tail = (tail[-16:] + piece) if len(piece) < 64 * 1024 else piece
            if LAST_LINE.search(tail):
                self._watched.ended = True
            yield piece

    def close(self) -> None:
        self._stream.close()


def pieces(
    candidate: Candidate, prompt: Prompt, reply: CompletionInfo, deadline: float
) -> Generator[Delta, None, None]:
    """Ask ``candidate`` and give its answer as it comes, until ``deadline`` on the monotonic clock; raises
    ProviderFailure. Closing the iterator closes the connection to the provider."""
    watched = _Watched(deadline, private=settings.private_provider_urls)
    secret = None
    try:
        secret = candidate.secret()
        with closing(_opened(candidate, prompt, watched, secret, deadline)) as stream:
            reply.http_status = stream.response.status_code
            reply.request_id = (stream.response.headers.get("x-request-id") or "")[:200] or None
            for chunk in stream:
                yield from _read(chunk, reply)
    except openai.APIStatusError as error:
        raise _refusal(error, secret) from None
    except (openai.APITimeoutError, httpx2.TimeoutException):
        raise ProviderFailure("timeout", "No answer in time", reply.http_status) from None
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        raise ProviderFailure("network", str(error.__cause__ or error), reply.http_status, secret) from None
    except openai.APIError as error:  # told in the middle of the answer
        raise ProviderFailure("server_error", str(error), reply.http_status, secret) from None
    except (ValueError, TypeError, AttributeError, LookupError, httpx2.InvalidURL, openai.OpenAIError) as error:
        raise ProviderFailure("invalid_response", f"Not understood: {error}", reply.http_status, secret) from None
    if not watched.ended:
        raise ProviderFailure("invalid_response", "The answer broke off", reply.http_status)
    reply.finish_reason = reply.finish_reason or "other"


def client(base_url: str, secret: str | None, watched: Outbound, timeout: float) -> OpenAI:
    """The SDK for one call: it tries once, over the connections of the service."""
    return OpenAI(
        api_key=secret or "none",  # the SDK wants one
        base_url=base_url_of(base_url),
        max_retries=0,
        timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        http_client=watched.client(),
        default_headers={"Accept-Encoding": "identity"},
        organization="",
        project="",
    )


def _opened(candidate: Candidate, prompt: Prompt, watched: _Watched, secret: str | None, deadline: float) -> Any:
    timeout = max(min(candidate.timeout, deadline - time.monotonic()), 0.001)
    return client(candidate.base_url or "", secret, watched, timeout).chat.completions.create(
        model=candidate.model,
        messages=[{"role": each.role, "content": each.content} for each in prompt.conversation if each.role in ROLES],
        extra_headers={} if secret else {"Authorization": openai.omit},
        stream=True,
        stream_options={"include_usage": True},
        **_parameters(candidate.parameters),
    )  # type: ignore[call-overload]


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: value for name, value in given.items() if isinstance(value, int | float) and value is not True}
    return {theirs: numbers[ours] for ours, theirs in PARAMETERS.items() if ours in numbers}


def _read(chunk: Any, reply: CompletionInfo) -> Generator[Delta, None, None]:
    if chunk.usage is not None:
        reply.input_tokens, reply.output_tokens = int(chunk.usage.prompt_tokens), int(chunk.usage.completion_tokens)
    for choice in chunk.choices or ():
        delta = choice.delta
        thought = getattr(delta, "reasoning_content", None)
        if thought:
            yield Delta("reasoning", storable(thought))
        if delta.content:
            yield Delta("text", storable(delta.content))
        if choice.finish_reason:
            reply.finish_reason = choice.finish_reason if choice.finish_reason in FINISHED else "other"


def _refusal(error: openai.APIStatusError, secret: str | None) -> ProviderFailure:
    status = error.status_code
    code: ErrorCode = CODES.get(status) or (
        "server_error" if status >= 500 else "bad_request" if status >= 400 else "invalid_response"
    )
    return ProviderFailure(code, error.message, status, secret)

"""Pages of the web, as entries of knowledge bases name them: fetched as robots.txt allows (RFC 9309), within bounds,
and from the public internet alone, at each step of the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from email.message import Message
from typing import IO, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx2
from protego import Protego

from app.foundation.errors import Unavailable
from app.foundation.outbound import AsyncOutbound, PrivateAddress, is_local_in_development, seconds_to_wait
from app.storage.extraction import Unreadable, is_readable

# Seconds in all, bytes of a page and of its robots.txt, and redirects that are followed.
TIMEOUT, MAX_BYTES, MAX_ROBOTS_BYTES, MAX_HOPS = 30.0, 10 * 1024 * 1024, 512 * 1024, 5
# Characters of an entity tag, and of a moment in a header, that are kept.
MAX_TAG, MAX_DATE = 500, 100
USER_AGENT = "Rowgate"
HEADERS = {
    "User-Agent": USER_AGENT, "Accept-Encoding": "identity",
    "Accept": "text/html, text/*;q=0.9, application/pdf;q=0.8",
}  # fmt: skip
IS_NO_PAGE = "The address leads to what is no page of the web"


class Validators(NamedTuple):
    """By what a page is known to be the same (RFC 9110, 8.8)."""

    entity_tag: str | None = None
    last_modified: str | None = None

    def headers(self) -> dict[str, str]:
        """Those of a request for a page that is not the same any more."""
        asked = {"If-None-Match": self.entity_tag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


UNKNOWN = Validators()


class Page(NamedTuple):
    """What kind of file a page is, the characters that its sender says it has, and by what it is known."""

    content_type: str
    charset: str | None
    validators: Validators


class Gone(Unreadable):
    """A page that is not there."""


def fetch(url: str, file: IO[bytes], known: Validators = UNKNOWN) -> Page | None:
    """Write what an address answers into ``file``; nothing where that is still the page that is ``known``. Raises Gone
    and Unreadable, and Unavailable where it asks to come again."""
    try:
        return asyncio.run(_fetch(url, file, known))
    except PrivateAddress:
        raise Unreadable("The address is, or leads to, one of a private network") from None
    except TimeoutError:
        raise Unreadable(f"The address does not answer within {TIMEOUT:.0f} seconds") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Unreadable(f"The address does not answer: {str(error) or type(error).__name__}") from None
    except ValueError:  # of a host or a port that can be none
        raise Unreadable(IS_NO_PAGE) from None


async def _fetch(url: str, file: IO[bytes], known: Validators) -> Page | None:
    # A name that does not resolve in time is left behind, with the thread that waits for it.
    resolver = ThreadPoolExecutor(1, "page-names")
    transport = AsyncOutbound(resolver, frozenset())
    try:
        async with (
            asyncio.timeout(TIMEOUT),
            httpx2.AsyncClient(transport=transport, follow_redirects=False, trust_env=False, timeout=TIMEOUT) as client,
        ):
            return await _page(client, url, file, known)
    finally:
        resolver.shutdown(wait=False, cancel_futures=True)


async def _page(client: httpx2.AsyncClient, url: str, file: IO[bytes], known: Validators) -> Page | None:
    first = url
    for _ in range(MAX_HOPS + 1):
        if not await _is_allowed(client, url):
            raise Unreadable("The site's robots.txt does not allow that")
        async with _asked(client, url, known) as response:
            if response.status_code == 304:
                return None
            if not response.is_redirect:
                page = await _written(response, file)
                # What another address answers in its place would be known by is asked of nobody.
                return page if url == first else page._replace(validators=UNKNOWN)
            known = UNKNOWN
            url = urljoin(url, response.headers.get("Location", ""))
    raise Unreadable(f"The address leads on more than {MAX_HOPS} times")


@asynccontextmanager
async def _asked(client: httpx2.AsyncClient, url: str, known: Validators = UNKNOWN) -> AsyncIterator[httpx2.Response]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise Unreadable(IS_NO_PAGE)
    request = client.build_request("GET", url, headers=HEADERS | known.headers())
    request.extensions = {**request.extensions, "private": is_local_in_development(url)}
    response = await client.send(request, stream=True)
    try:
        yield response
    finally:
        await response.aclose()


async def _written(response: httpx2.Response, file: IO[bytes]) -> Page:
    if response.status_code in (429, 503):
        wait = seconds_to_wait(response.headers.get("Retry-After", ""))
        raise Unavailable(f"The address answers with status {response.status_code}", wait)
    if response.status_code != 200:
        refusal = Gone if response.status_code in (404, 410) else Unreadable
        raise refusal(f"The address answers with status {response.status_code}")
    said = Message()
    said["Content-Type"] = response.headers.get("Content-Type", "application/octet-stream")
    if not is_readable(said.get_content_type()) or _is_encoded(response):
        raise Unreadable("No text can be read from what the address answers")
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > MAX_BYTES:
            raise Unreadable(f"The page is larger than {MAX_BYTES // 1024**2} MiB")
        file.write(piece)
    return Page(said.get_content_type(), said.get_content_charset(), _validators(response))


def _validators(response: httpx2.Response) -> Validators:
    """What the answer is known by; what is too long for a header, or no text of one, is left out."""
    tag, modified = response.headers.get("ETag", ""), response.headers.get("Last-Modified", "")
    return Validators(
        tag if tag.isascii() and len(tag) <= MAX_TAG else None,
        modified if modified.isascii() and len(modified) <= MAX_DATE else None,
    )


def _is_encoded(response: httpx2.Response) -> bool:
    """Whether an answer is compressed, though nobody asked for that."""
    return response.headers.get("Content-Encoding", "identity").lower() != "identity"


async def _is_allowed(client: httpx2.AsyncClient, url: str) -> bool:
    """Whether the rules of a site allow to read an address: what has no rules allows all, and what cannot say them
    nothing."""
    parts = urlsplit(url)
    place = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
    for _ in range(MAX_HOPS + 1):
        async with _asked(client, place) as response:
            if response.is_redirect:
                place = urljoin(place, response.headers.get("Location", ""))
                continue
            if response.status_code >= 500 or (response.status_code == 200 and _is_encoded(response)):
                return False
            if response.status_code != 200:
                return True
            read = bytearray()
            async for piece in response.aiter_raw():
                read += piece
                if len(read) > MAX_ROBOTS_BYTES:
                    break
            rules = Protego.parse(read[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace"))
            return bool(rules.can_fetch(url, USER_AGENT))
    return True  # as if there were none

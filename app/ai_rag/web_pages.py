"""Pages of the web, as entries of knowledge bases name them: fetched as robots.txt allows (RFC 9309), within bounds,
and from the public internet alone, at each step of the way."""

from __future__ import annotations

import time
from email.message import Message
from typing import IO, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

import httpx2

from app.foundation.networks import is_loopback
from app.foundation.outbound import Outbound, PrivateAddress
from app.foundation.settings import settings
from app.storage.extraction import Unreadable, is_readable

# Seconds in all, bytes of a page and of its robots.txt, and redirects that are followed.
TIMEOUT, MAX_BYTES, MAX_ROBOTS_BYTES, MAX_HOPS = 30.0, 10 * 1024 * 1024, 512 * 1024, 5
USER_AGENT = "Rowgate"
HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html, text/*;q=0.9, application/pdf;q=0.8",
    "Accept-Encoding": "identity",
}


class Page(NamedTuple):
    """What kind of file a page is, and the characters that its sender says it has."""

    content_type: str
    charset: str | None


def fetch(url: str, file: IO[bytes]) -> Page:
    """Write what an address answers into ``file``; raises Unreadable."""
    deadline = time.monotonic() + TIMEOUT
    try:
        for _ in range(MAX_HOPS + 1):
            _check(url)
            if not _is_allowed(url, deadline):
                raise Unreadable("The site's robots.txt does not allow that")
            found = _answered(url, deadline, file)
            if isinstance(found, Page):
                return found
            url = urljoin(url, found)
    except PrivateAddress:
        raise Unreadable("The address is, or leads to, one of a private network") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Unreadable(f"The address does not answer: {str(error) or type(error).__name__}") from None
    raise Unreadable(f"The address leads on more than {MAX_HOPS} times")


def _check(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise Unreadable("The address leads to what is no page of the web")


def _client(url: str, deadline: float) -> httpx2.Client:
    # A developer's own machine is no private network to that developer.
    is_own = not settings.production and is_loopback(urlsplit(url).hostname or "")
    client = Outbound(deadline, private=is_own).client()
    client.timeout = max(deadline - time.monotonic(), 0.1)
    return client


def _answered(url: str, deadline: float, file: IO[bytes]) -> Page | str:
    """What an address answers, which is in ``file``, or where it leads."""
    with _client(url, deadline) as client, client.stream("GET", url, headers=HEADERS) as response:
        if response.is_redirect and "Location" in response.headers:
            return str(response.headers["Location"])
        if response.status_code != 200:
            raise Unreadable(f"The address answers with status {response.status_code}")
        said = Message()
        said["Content-Type"] = response.headers.get("Content-Type", "")
        if not is_readable(said.get_content_type()) or "Content-Type" not in response.headers:
            raise Unreadable("No text can be read from what the address answers")
        size = 0
        for piece in response.iter_raw():
            size += len(piece)
            if size > MAX_BYTES:
                raise Unreadable(f"The page is larger than {MAX_BYTES // 1024**2} MiB")
            file.write(piece)
    return Page(said.get_content_type(), said.get_content_charset())


def _is_allowed(url: str, deadline: float) -> bool:
    """Whether the rules of a site allow to read an address: what has no rules allows all, and what cannot say them
    nothing."""
    parts = urlsplit(url)
    place = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
    with _client(url, deadline) as client, client.stream("GET", place, headers=HEADERS) as response:
        if response.status_code >= 500:
            return False
        if response.status_code != 200:
            return True
        read = b""
        for piece in response.iter_raw():
            read += piece
            if len(read) > MAX_ROBOTS_BYTES:
                break
    rules = RobotFileParser()
    rules.parse(read[:MAX_ROBOTS_BYTES].decode("utf-8", "replace").splitlines())
    return rules.can_fetch(USER_AGENT, url)

"""What the sample research project asks, has read and has found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

TITLE = "How we hand out API keys"
OBJECTIVE = (
    "Customers get keys of their own with the next two deals. Find out how long such keys should live, how they should "
    "travel and what should happen when they are used too often, and write it down as a rule of one page."
)


@dataclass(frozen=True)
class Question:
    """Something to find out; ``moved`` is the day, before today, on which its state changed last."""

    text: str
    priority: str
    status: str
    moved: int
    answer: str | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class Source:
    """Something read, so many days before today."""

    kind: str
    title: str
    read: int
    credibility: float
    status: str
    content: str
    url: str | None = None
    author: str | None = None
    publisher: str | None = None
    published_at: datetime | None = None


@dataclass(frozen=True)
class Finding:
    """A statement about a question, by its number."""

    question: int
    statement: str
    detail: str
    confidence: str
    status: str
    found: int


@dataclass(frozen=True)
class Citation:
    """What ties a finding to a source, both by number; ``heading`` names a passage of the handbook."""

    finding: int
    source: int
    position: int
    stance: str
    locator: str
    quote: str | None = None
    heading: str | None = None


QUESTIONS = (
    Question(
        "How should a key travel from the customer to us?", "high", "answered", moved=9, confidence=0.95,
        answer="In the Authorization header. The address is a last resort, because addresses are logged.",
    ),
    Question("How long should a key live?", "high", "in_progress", moved=6),
    Question(
        "What should a customer see who sends too many requests?", "medium", "answered", moved=5, confidence=0.9,
        answer="Status 429, what the limit is, and how long to wait.",
    ),
)  # fmt: skip

SOURCES = (
    Source(
        "web", "The OAuth 2.0 Authorization Framework: Bearer Token Usage (RFC 6750)", read=17, credibility=0.95,
        status="accepted", url="https://www.rfc-editor.org/rfc/rfc6750", author="M. Jones, D. Hardt",
        publisher="IETF", published_at=datetime(2012, 10, 1, tzinfo=UTC),
        content="Section 2 names three ways to send a token, section 5 what threatens it.",
    ),
    Source(
        "web", "Additional HTTP Status Codes (RFC 6585)", read=16, credibility=0.95, status="accepted",
        url="https://www.rfc-editor.org/rfc/rfc6585", author="M. Nottingham, R. Fielding", publisher="IETF",
        published_at=datetime(2012, 4, 1, tzinfo=UTC),
        content="Section 4 defines 429. How requests are counted is left to the server.",
    ),
    Source(
        "web", "Token expiration and revocation", read=12, credibility=0.7, status="accepted",
        url="https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/"
        "token-expiration-and-revocation",
        publisher="GitHub", content="Names the reasons for which a token ends; unused ones end after a year.",
    ),
    Source(
        "document", "Product handbook: Keys and access", read=15, credibility=0.8, status="accepted",
        author="Mara Lindqvist", publisher="Harbour Works",
        content="How keys are made, rotated and limited in the product as it is today.",
    ),
)  # fmt: skip

FINDINGS = (
    Finding(
        0, "Keys belong in the Authorization header, not in addresses.",
        "Addresses are kept in logs, histories and referrers. The standard allows the query parameter only where no "
        "header can be sent.",
        "high", "verified", found=14,
    ),
    Finding(
        1, "A key should end by itself within 90 days.",
        "Short lives limit the damage of a key that got lost. Others let tokens live as long as they are used, so the "
        "number is open.",
        "medium", "disputed", found=10,
    ),
    Finding(
        2, "An answer to too many requests should say how long to wait.",
        "With the time to wait at hand, customers' programs slow down by themselves and nobody has to write to us.",
        "high", "draft", found=8,
    ),
)  # fmt: skip

CITATIONS = (
    Citation(
        finding=0, source=0, position=0, stance="supports", locator="section 2.3",
        quote="Because of the security weaknesses associated with the URI method (see Section 5), including the high "
        "likelihood that the URL containing the access token will be logged, it SHOULD NOT be used unless it is "
        'impossible to transport the access token in the "Authorization" request header field or the HTTP request '
        "entity-body.",
    ),
    Citation(
        finding=0, source=3, position=1, stance="supports", locator="Keep the key out of addresses",
        quote="Use the header wherever you can: addresses end up in logs, histories and screenshots.",
        heading="Keep the key out of addresses",
    ),
    Citation(
        finding=1, source=3, position=0, stance="supports", locator="Make a key",
        quote="Without `expiresAt` a key lasts 90 days.", heading="Make a key",
    ),
    Citation(
        finding=1, source=2, position=1, stance="contradicts", locator="Token expired due to lack of use",
        quote="GitHub will automatically revoke an OAuth token or personal access token when the token hasn't been "
        "used in one year.",
    ),
    Citation(
        finding=2, source=1, position=0, stance="supports", locator="section 4",
        quote="The response representations SHOULD include details explaining the condition, and MAY include a "
        "Retry-After header indicating how long to wait before making a new request.",
    ),
)  # fmt: skip

SUMMARY = "Keys travel in the header and end by themselves; limits say how long to wait. The length of life is open."

CONTENT = """# How we hand out API keys

## How keys travel

Keys are sent in the Authorization header. {finding_1} The query parameter stays possible for tools that can set no
header, and the handbook advises against it.

## How long keys live

We propose 90 days. {finding_2} Somebody has to look at this again before the rule is final: for machines that are
serviced once a year, 90 days may be too short.

## What happens at the limit

The answer is 429 with `Retry-After`. {finding_3} Our own export ran into the limit once, and the log of key use showed
it within a day.
"""

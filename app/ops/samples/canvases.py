"""The canvas of the sample data: the steps of the export, with one suggestion taken up and one open."""

from __future__ import annotations

from app.ai.models.chats import AiArtifact, AiMessage, AiSuggestion
from app.ops.samples.context import Context
from app.ops.samples.conversations import STARTED
from app.ops.samples.people import Team

TITLE = "Nightly export: the steps"
LOOSE = "If there are too many requests, try again."
EXACT = "On 429, wait as many seconds as `Retry-After` says, then go on with the same page."
SHORT_LIVED = "Make a key with the scope `read` that lasts 30 days."
LONG_LIVED = "Make a key with the scope `read` that lasts 90 days, and note the date in the calendar."

# As it stands now, with the first suggestion in it.
CONTENT = f"""# {TITLE}

1. {SHORT_LIVED}
2. Keep the secret in the vault of the export server, never in the script.
3. Read `/api/v1/crm/deal?take=1000&skip=0`, and raise `skip` by 1000 until it reaches `count`.
4. {EXACT}
5. Write the rows to the sheet only when all pages are there.
6. A week before the key expires, rotate it with `graceSeconds=604800` or make a new one.
"""


def make(context: Context, team: Team, answer: AiMessage) -> AiArtifact:
    """Store the canvas that came with ``answer``, and its suggestions."""
    accepted = context.at(STARTED, "10:41")
    canvas = AiArtifact(
        user_id=team.member.id, chat_id=answer.chat_id, message_id=answer.id, title=TITLE, kind="text",
        language="en", content=CONTENT, visibility="public", version=2,
    )  # fmt: skip
    context.store(canvas, answer.updated_at, accepted)
    taken = _suggestion(canvas, 1, LOOSE, EXACT, "Says how long to wait.")
    taken.status, taken.resolved_by_id, taken.resolved_at = "accepted", team.member.id, accepted
    context.store(taken, context.at(STARTED, "10:38"), accepted)
    why = "A key that ends every month is one more thing to forget."
    context.store(_suggestion(canvas, 2, SHORT_LIVED, LONG_LIVED, why), context.at(STARTED - 1, "09:16"))
    return canvas


def _suggestion(canvas: AiArtifact, version: int, original: str, suggested: str, why: str) -> AiSuggestion:
    return AiSuggestion(
        artifact_id=canvas.id, user_id=canvas.user_id, artifact_version=version, original_text=original,
        suggested_text=suggested, description=why,
    )  # fmt: skip

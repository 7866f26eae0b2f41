"""The public chat of the sample data: three questions and their answers, and a vote on the last."""

from __future__ import annotations

from dataclasses import dataclass

from app.ai.models.chats import AiChat, AiMessage, AiVote
from app.ai.seeding import BUILTIN_PROVIDER
from app.ops.samples import answers
from app.ops.samples.context import Context
from app.ops.samples.knowledge import Handbook
from app.ops.samples.people import Team

STARTED = 34
TITLE = "A nightly export of our deals"

# When something was asked, the question, the answer.
TURNS = (
    (
        "10:12",
        "We want a copy of our deals in a spreadsheet, made anew every night. What do we need for that?",
        "A key and one list. Sign in and make a key with `POST /api/v1/auth/api-key`; the scope `read` is enough for "
        "an export. Then read `/api/v1/crm/deal?take=1000&skip=0` and raise `skip` by 1000 until it reaches `count` "
        "in `meta`.",
    ),
    (
        "10:15",
        "Can the export hold only those that we have won?",
        "Yes. Lists take a field and a value as a filter: `/api/v1/crm/deal?stage=won`. Several filters have to hold "
        "together, and a name that does not exist is answered with 400 `INVALID_FILTER`.",
    ),
    (
        "10:19",
        "What happens when the key expires while the export runs? Please write the steps down for Tomas, too.",
        "A key past `expiresAt` is refused with 401, in the middle of a job too. Rotate it before that: "
        "`POST /api/v1/auth/api-key/{id}/rotate` answers with a new secret under the same settings, and "
        "`graceSeconds` lets the old one go on working for up to seven days. Rotation never makes the life of a key "
        "longer, so make a fresh key when the job has to go on. The steps are in the canvas.",
    ),
)


@dataclass(frozen=True)
class Turn:
    """A question and its answer."""

    question: AiMessage
    answer: AiMessage


def make(context: Context, team: Team, handbook: Handbook) -> AiMessage:
    """Store the chat with all that belongs to it, and return the last answer."""
    chat = AiChat(
        user_id=team.member.id, organization_id=team.organization.id, title=TITLE, visibility="public", source="web",
        index_id=handbook.index.id, last_message_at=context.at(STARTED, TURNS[-1][0]) + answers.ANSWERED,
    )  # fmt: skip
    context.store(chat, context.at(STARTED, TURNS[0][0]), chat.last_message_at)
    *_, last = (_turn(context, chat, number) for number in range(len(TURNS)))
    answers.make(context, chat, last.question, last.answer, handbook)
    vote = AiVote(
        user_id=team.admin.id, message_id=last.answer.id, chat_id=chat.id, is_upvoted=True,
        comment="Exactly what I needed for the export.",
    )  # fmt: skip
    context.store(vote, context.at(STARTED, "11:02"))
    return last.answer


def _turn(context: Context, chat: AiChat, number: int) -> Turn:
    clock, asked, answered = TURNS[number]
    moment = context.at(STARTED, clock)
    question = _message(chat, 2 * number + 1, "user", asked)
    context.store(question, moment)
    answer = _message(chat, 2 * number + 2, "assistant", answered)
    answer.model, answer.finish_reason = BUILTIN_PROVIDER, "stop"
    context.store(answer, moment + answers.ANSWERED, moment + answers.FINISHED)
    return Turn(question, answer)


def _message(chat: AiChat, sequence: int, role: str, content: str) -> AiMessage:
    return AiMessage(
        chat_id=chat.id, sequence=sequence, role=role, content=content, parts=[{"type": "text", "text": content}]
    )

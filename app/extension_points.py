"""What plugins bring for others to read; filled as they are loaded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

# Makes the statement that selects the rows of a report from its ``AnalyticsReport``.
Report = Callable[[Any], Any]


@dataclass(frozen=True)
class Channel:
    """A way in which notifications reach people. ``deliver`` is called with each notification by a job, and may be
    slow; ``Unavailable`` has it tried again. An ``intrusive`` channel rests in quiet hours. ``default`` says whether it
    is on for users who said nothing."""

    deliver: Callable[[Any], object]
    intrusive: bool = True
    default: bool = False


@dataclass(frozen=True)
class ProvenIdentity:
    """Somebody whom another service knows: ``subject`` is lasting and unique there. An account with the same address is
    theirs only where the service is trusted to say so (``email_verified``): nobody sets their own address in it."""

    subject: str
    email: str
    name: str | None = None
    email_verified: bool = False


@dataclass(frozen=True)
class SignIn:
    """A way of signing in with a name and a password that another service knows; ``label`` is what people call it.
    ``prove`` returns whose they are, or None where they are wrong; it may be slow, and raises Unavailable."""

    label: str
    prove: Callable[[str, str], ProvenIdentity | None]


@dataclass(frozen=True)
class Tool:
    """A tool for agents, which the MCP endpoint serves: ``run`` is called with the principal, or where it ``writes``
    with a unit of work, and with arguments by name. Their annotations describe them, and its docstring says what it is
    for. It returns what JSON can hold, and raises failures. Callers need ``scope``, or that of reading or writing.
    Those with grants are refused, unless all that it does is judged by the engine (``is_judged``)."""

    run: Callable[..., Any]
    writes: bool = False
    scope: str = ""
    is_judged: bool = False


class Names(Collection[str]):
    """Names of our own, and after them those that plugins bring."""

    def __init__(self, own: Collection[str], brought: Collection[str]) -> None:
        self.own, self.brought = own, brought

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.brought

    def __iter__(self) -> Iterator[str]:
        return chain(self.own, self.brought)

    def __len__(self) -> int:
        return len(self.own) + len(self.brought)


# Channels of our own, and whether they are on for users who said nothing; and who says who somebody is.
OWN_CHANNELS = {"stream": True, "teams": True, "email": False}
OWN_PROVIDERS = ("credential", "github", "google", "microsoft")
# Types of notifications, the ways in which they reach people besides our own, and the folders of templates of mails.
NOTIFICATION_TYPES: list[str] = []
CHANNELS: dict[str, Channel] = {}
MAIL_FOLDERS: list[Path] = []
# Ways of signing in besides our own, by their names.
SIGN_INS: dict[str, SignIn] = {}
# Reports by their kind, and the folders with the plugins' own modules of the studio.
REPORTS: dict[str, Report] = {}
STUDIO_FOLDERS: dict[str, Path] = {}
# Our own tools for agents.
OWN_TOOLS = (
    "list_models", "describe_model", "query_records", "get_record", "aggregate_records", "search_knowledge",
    "fetch_passage", "create_record", "update_record", "delete_record", "run_batch",
)  # fmt: skip


def add(plugin: Any) -> None:
    """Take what a plugin brings for others to read."""
    NOTIFICATION_TYPES.extend(plugin.notifications)
    CHANNELS.update(plugin.channels)
    SIGN_INS.update(plugin.sign_in)
    REPORTS.update(plugin.reports)
    if plugin.mails:
        MAIL_FOLDERS.append(Path(plugin.mails))
    if plugin.studio:
        STUDIO_FOLDERS[plugin.name] = Path(plugin.studio)


def mail_kinds(folder: str | Path) -> list[str]:
    """Return the kinds of mail that a folder has templates of; none where there is no folder."""
    return sorted({path.name.partition(".")[0] for path in Path(folder).glob("*.*.txt")}) if folder else []

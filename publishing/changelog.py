"""The sections of CHANGELOG.md: which version has which text, and how what is unreleased gets a version."""

from __future__ import annotations

import re

from publishing import PublishingError

UNRELEASED = "Unreleased"
NOTHING = ("", "Nothing yet.")
HEAD = re.compile(r"^## (.+)$", re.MULTILINE)


def sections(changelog: str) -> dict[str, tuple[str, str]]:
    """By version, the whole heading and the text below it, newest first."""
    heads = list(HEAD.finditer(changelog))
    ends = [*(each.start() for each in heads[1:]), len(changelog)]
    return {
        head[1].split(" - ")[0]: (head[1], changelog[head.end() : end].strip())
        for head, end in zip(heads, ends, strict=True)
    }


def is_empty(changelog: str) -> bool:
    """Whether there is nothing unreleased."""
    return sections(changelog).get(UNRELEASED, ("", ""))[1] in NOTHING


def dated(changelog: str, version: str, date: str) -> str:
    """The changelog in which everything unreleased is that version; raises PublishingError."""
    if is_empty(changelog):
        raise PublishingError(f"CHANGELOG.md has nothing under {UNRELEASED} that {version} could bring")
    return changelog.replace(f"## {UNRELEASED}\n", f"## {UNRELEASED}\n\n## {version} - {date}\n", 1)


def release_text(changelog: str, version: str) -> str:
    """What is told with the release; raises PublishingError for a version without a section."""
    found = sections(changelog).get(version)
    if found is None:
        raise PublishingError(f"CHANGELOG.md has no section about {version}")
    return f"# Rowgate {found[0]}\n\n{found[1]}\n"

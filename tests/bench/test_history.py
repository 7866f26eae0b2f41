"""What operations cost from version to version, as the git history has it."""

from __future__ import annotations

import subprocess

import orjson
import pytest

from bench import history


@pytest.fixture
def folder(tmp_path):
    """A history with three records; the second is that of version 1.0.0, which comes with a commit of its own."""
    (tmp_path / "bench").mkdir()
    _git(tmp_path, "init", "--quiet")
    _commit(tmp_path, 100, "# Changelog\n\n## Unreleased\n")
    _commit(tmp_path, 110, "# Changelog\n\n## Unreleased\n\n- Faster.\n")
    _commit(tmp_path, 110, "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2026-01-01\n\n- Faster.\n")
    _commit(tmp_path, 90, "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2026-01-01\n\n- Faster.\n")
    return tmp_path


def test_each_change_of_the_record_is_one_and_that_of_a_version_bears_its_name(folder):
    assert _told(history.records(folder)) == [(100, ""), (110, "1.0.0"), (90, "Unreleased")]


def test_what_is_not_committed_yet_comes_last(folder):
    _write(folder, 80)
    assert _told(history.records(folder)) == [(100, ""), (110, "1.0.0"), (90, ""), (80, "Unreleased")]


def test_the_table_has_the_versions_and_what_changed(folder):
    assert history.table(history.records(folder)).split() == [
        "calls", "1.0.0", "Unreleased", "item", "110", "90", "(0.82)",
    ]  # fmt: skip


def test_what_is_kept_is_shown():
    kept = orjson.loads(history.RESULT.read_bytes())["records"]
    assert {each["version"] for each in kept} > {"0.2.0"}
    assert history.table(kept)
    assert all(version in history.PLOT.read_text() for version in ("0.2.0", history.COMING))


def _told(records):
    return [(each["operations"]["item"]["calls"], each["version"]) for each in records]


def _write(folder, calls):
    record = {"operations": {"item": {"calls": calls, "statements": 2}}}
    (folder / history.RECORD).write_bytes(orjson.dumps(record))


def _commit(folder, calls, changes):
    _write(folder, calls)
    (folder / history.CHANGES).write_text(changes)
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "Change")


def _git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True)

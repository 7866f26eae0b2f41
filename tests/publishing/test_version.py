"""make version: one number everywhere, and a changelog that says what it brought."""

from __future__ import annotations

import json
import shutil

import pytest

from config import ROOT, VERSION
from publishing import PublishingError, version
from publishing.changelog import is_empty, sections

DAY = "2027-01-31"
CHANGES = "# Changelog\n\n## Unreleased\n\n- Cranes.\n\n## 0.2.0 - 2026-11-22\n\n- A quay.\n"


@pytest.fixture
def copy(tmp_path):
    """The files that name a version, of version 0.2.0 with one change."""
    for name in (*version.PLACES, "docs/openapi.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        if name in version.PLACES:
            (tmp_path / name).write_text((ROOT / name).read_text().replace(f'"{VERSION}"', '"0.2.0"'))
    (tmp_path / "docs" / "releases").mkdir()
    (tmp_path / version.CHANGELOG).write_text(CHANGES)
    return tmp_path


def contents(folder):
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_all_files_name_the_same_version_which_the_changelog_and_a_description_have():
    assert {each for found in version.found(ROOT).values() for each in found} == {VERSION}
    assert [len(found) for found in version.found(ROOT).values()] == [1, 1, 1, 2]
    assert VERSION in sections((ROOT / version.CHANGELOG).read_text())
    assert (ROOT / "docs" / "releases" / f"{VERSION}.json").exists()


def test_a_version_is_written_everywhere_and_nothing_else_changes(copy):
    before = contents(copy)
    version.write(copy, "0.247.0", DAY)
    assert {each for found in version.found(copy).values() for each in found} == {"0.247.0"}
    for name in version.PLACES:
        assert (copy / name).read_text().replace("0.247.0", "0.2.0") == before[copy / name]


def test_what_was_unreleased_is_the_version_of_today(copy):
    version.write(copy, "0.3.0", DAY)
    changelog = (copy / version.CHANGELOG).read_text()
    assert changelog == CHANGES.replace("## Unreleased\n", f"## Unreleased\n\n## 0.3.0 - {DAY}\n")
    assert is_empty(changelog)
    assert sections(changelog)["0.3.0"] == (f"0.3.0 - {DAY}", "- Cranes.")


def test_the_description_of_the_version_is_kept(copy):
    version.write(copy, "0.3.0", DAY)
    kept, served = copy / "docs" / "releases" / "0.3.0.json", copy / "docs" / "openapi.json"
    assert json.loads(kept.read_text()) == json.loads(served.read_text())


@pytest.mark.parametrize("wanted", ["0.2.0", "0.1.9", "0.0.10", "0.3", "v0.3.0", "0.3.0rc1", ""])
def test_a_version_that_is_not_greater_or_none_is_refused_and_changes_nothing(copy, wanted):
    before = contents(copy)
    with pytest.raises(PublishingError, match=r"is not greater than 0\.2\.0|A version is three numbers"):
        version.write(copy, wanted, DAY)
    assert contents(copy) == before


@pytest.mark.parametrize("text", ["", "Nothing yet.\n\n"])
def test_a_version_that_brings_nothing_is_refused_and_changes_nothing(copy, text):
    (copy / version.CHANGELOG).write_text(CHANGES.replace("- Cranes.\n\n", text))
    before = contents(copy)
    with pytest.raises(PublishingError, match="has nothing under Unreleased"):
        version.write(copy, "0.3.0", DAY)
    assert contents(copy) == before


def test_a_file_that_does_not_name_its_version_is_named(copy):
    (copy / "clients/python/pyproject.toml").write_text("[project]\n")
    before = contents(copy)
    with pytest.raises(PublishingError, match=r"clients/python/pyproject\.toml has its version 0 times"):
        version.write(copy, "0.3.0", DAY)
    assert contents(copy) == before


def test_the_command_refuses_in_one_sentence(copy, monkeypatch, capsys):
    monkeypatch.setattr(version, "ROOT", copy)
    monkeypatch.setattr("sys.argv", ["version", "0.1.0"])
    assert version.main() == 1
    assert capsys.readouterr() == ("", "rowgate: 0.1.0 is not greater than 0.2.0, which this is\n")
    monkeypatch.setattr("sys.argv", ["version", "0.3.0"])
    assert version.main() == 0
    assert version.found(copy)["config.py"] == ["0.3.0"]

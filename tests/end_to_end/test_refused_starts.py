"""Settings and folders that do not fit end a start with a line that says what to do, and leave no process."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from app.runtime.cluster import major_version
from config import ROOT
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn
from tests.end_to_end.test_stop import processes_of


@pytest.mark.variants
@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("PORT", "many", "PORT must be a whole number"),
        ("KEY_MAX_DAYS", "0", "KEY_MAX_DAYS must be between 1 and 36500"),
        ("PLUGINS", "nowhere", "PLUGINS names nowhere"),
    ],
)
def test_gunicorn_ends_when_a_setting_does_not_fit(var_dir, variable, value, text):
    settings = {"VAR_DIR": var_dir, "PORT": str(free_port())} | {variable: value}
    done = subprocess.run(
        gunicorn(2), cwd=ROOT, env=environment(**settings), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert text in done.stderr


def whole(data: Path) -> None:
    """A data folder of PostgreSQL, as far as a look at it goes."""
    (data / "global").mkdir(parents=True)
    for name, content in (("PG_VERSION", f"{major_version()}\n"), ("postgresql.conf", ""), ("global/pg_control", "")):
        (data / name).write_text(content)


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "content", "text"),
    [
        ("postgres/PG_VERSION", "9\n", "is of PostgreSQL 9, and the one here is .*: flask backup with the release"),
        (
            "postgres/postgresql.conf",
            None,
            r"is not whole \(postgresql.conf is missing\): if its first",
        ),
        ("postgres/global/pg_control", None, r"is not whole \(global/pg_control is missing\): if its first start"),
        ("postgres/PG_VERSION", None, "holds files, but no data of PostgreSQL: move them away"),
        (
            "postgres/postgresql.conf",
            "nonsense = 1\n",
            r"PostgreSQL did not start \(.*\): see .*/log, or set",
        ),
        ("secret-key", "", "holds no key of 32 characters: bring it back from a backup, or remove it"),
        ("secret-key", "\n", "holds no key of 32 characters: bring it back from a backup, or remove it"),
    ],
)
def test_flask_serve_says_in_one_sentence_what_to_do_about_a_spoilt_folder(tmp_path, file, content, text):
    whole(tmp_path / "postgres")
    (tmp_path / file).unlink(missing_ok=True)
    if content is not None:
        (tmp_path / file).write_text(content)
    run = subprocess.run(
        [*FLASK, "serve"], cwd=ROOT, env=environment(VAR_DIR=str(tmp_path), PORT=str(free_port())),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert re.search(text, run.stderr), run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert processes_of(tmp_path) == []

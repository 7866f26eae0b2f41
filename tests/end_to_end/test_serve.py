"""flask serve, from nothing to nothing: first start, the README's transcript, stop, second start, refusals."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end import transcripts
from tests.end_to_end.service import FLASK, environment, free_port, started


@pytest.fixture(scope="module")
def folder():
    made = tempfile.mkdtemp(prefix="rgs-")
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def log(folder):
    return Path(folder) / "serve.log"


@pytest.fixture(scope="module")
def service(folder, log):
    port = free_port()
    with started([*FLASK, "serve", "--sample"], port, log, VAR_DIR=f"{folder}/var") as process:
        yield port, process


def children_of(folder: str) -> list[str]:
    running = (each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"]))
    return [" ".join(words) for words in running if any(folder in word for word in words)]


def test_a_first_start_says_each_step_and_shows_the_first_admin_once(service, log):
    await_true(lambda: "UI at" in log.read_text())
    text = log.read_text()
    for step in (
        "starting Redis", "starting PostgreSQL", "migrating", "made the first admin", "sample data",
        "starting the worker of background jobs", "UI at",
    ):  # fmt: skip
        assert f"rowgate: {step}" in text or step in text
    assert re.search(r"API key +rg_key_\w+", text)


def test_the_transcript_of_the_readme_runs_as_it_stands(service, folder):
    port, _ = service
    shown = transcripts.run(
        (ROOT / "README.md").read_text().split("## A first look", 1)[1], port, VAR_DIR=f"{folder}/var"
    )
    assert shown
    for printed, expected in shown:
        transcripts.check(printed, expected)


@pytest.mark.full
def test_a_port_in_use_is_one_line(service, folder):
    port, _ = service
    run = subprocess.run(
        [*FLASK, "serve"], cwd=ROOT, env=environment(VAR_DIR=f"{folder}/other", PORT=str(port)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode != 0
    holder = r"by process \d+, .*"
    assert re.fullmatch(rf"Error: Cannot listen on 127.0.0.1:{port} .*{holder}: set HOST or PORT\n", run.stderr)


@pytest.mark.full
def test_a_second_service_on_the_same_folder_is_one_line_and_leaves_the_first_alone(service, folder):
    port, process = service
    env = environment(VAR_DIR=f"{folder}/var", PORT=str(free_port()))
    run = subprocess.run([*FLASK, "serve"], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert re.fullmatch(
        rf"Error: Process {process.pid} of flask uses .*, or set VAR_DIR to another folder\n", run.stderr
    )
    with urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
        assert answer.status == 200


@pytest.mark.full
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"PORT": "many"}, "rowgate: PORT must be a whole number, not 'many'\n"),
        ({"ENVIRONMENT": "production"}, "rowgate: SECRET_KEY is required when ENVIRONMENT is production\n"),
        ({"REDIS_URL": "redis://localhost:abc"}, "rowgate: REDIS_URL has a port that is no number\n"),
        ({"VAR_DIR": "/proc/nope"}, "rowgate: VAR_DIR cannot be used"),
        ({"DATABASE_URL": "postgresql://nobody:secret@127.0.0.1:1/none"}, "Error: The database cannot be used"),
    ],
)
def test_a_bad_setting_and_a_database_out_of_reach_are_one_line(folder, settings, line):
    env = environment(**({"VAR_DIR": f"{folder}/bad", "PORT": str(free_port())} | settings))
    run = subprocess.run([*FLASK, "serve"], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert run.stderr.startswith(line)
    assert len(run.stderr.splitlines()) == 1
    assert "secret" not in run.stderr
    assert children_of(f"{folder}/bad") == []


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_leaves_nothing_behind_and_the_next_start_keeps_the_data(folder, log, service, number):
    _, process = service
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    again = free_port()
    second = Path(folder) / f"{number}.log"
    with started([*FLASK, "serve"], again, second, VAR_DIR=f"{folder}/var") as running:
        await_true(lambda: "UI at" in second.read_text())
        running.send_signal(number)
        assert running.wait(60) == 0
    assert "made the first admin" not in second.read_text()
    await_true(lambda: children_of(f"{folder}/var") == [])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", again)) != 0

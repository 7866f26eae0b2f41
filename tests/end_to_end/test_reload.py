"""A reload under load: HUP replaces every worker, and no request through nginx fails."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.proxies import caddy, nginx, program
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started
from tests.end_to_end.test_stop import processes_of
from tests.notification.sse import EventStream

pytestmark = pytest.mark.full

# Every fourth request writes; all of them are of one key.
MIXED = """
local number = 0
request = function()
  number = number + 1
  local headers = {["Authorization"] = "Bearer %s", ["Content-Type"] = "application/json"}
  if number %% 4 == 0 then
    return wrk.format("POST", "/api/v1/crm/company", headers, '{"name": "Load"}')
  elseif number %% 4 == 1 then
    return wrk.format("GET", "/healthz", headers)
  end
  return wrk.format("GET", "/api/v1/crm/company?take=5", headers)
end
"""


# How long a release takes to load that has much to load, in seconds, and what nobody may have to wait meanwhile.
LOADS, PATIENCE = 3, 3


@pytest.fixture
def release(tmp_path):
    """The files of a release, which a test may change."""
    copied = tmp_path / "release"
    for part in ("rowgate", "app", "blueprints", "schemas", "migrations"):
        shutil.copytree(ROOT / part, copied / part)
    for file in ("config.py", "gunicorn.conf.py", "wsgi.py"):
        shutil.copy(ROOT / file, copied)
    return copied


@pytest.fixture
def service(app, var_dir, tmp_path, release):
    """A real service of two workers, and the process that rules them."""
    port, log = free_port(), tmp_path / "log"
    settings = {"VAR_DIR": var_dir, "DEFAULT_LIMIT": "1000000 per minute"}
    with started(gunicorn(2), port, log, folder=release, **settings) as master:
        yield port, master, log


def test_no_request_fails_or_waits_while_hup_reloads_twice(service, release, cast, tmp_path):
    port, master, log = service
    with (release / "wsgi.py").open("a") as wsgi:
        wsgi.write(f"import time\n\ntime.sleep({LOADS})\n")
    owner = cast.user()
    key = cast.key(owner, "read", "write")
    script = tmp_path / "mixed.lua"
    script.write_text(MIXED % key.token)
    with nginx([port], tmp_path) as front:
        command = [
            program("wrk"), "-t2", "-c16", "-d300s", "--timeout=20s", "-s", str(script), f"http://127.0.0.1:{front}"
        ]  # fmt: skip
        with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as load:
            try:
                for number in (1, 2):
                    time.sleep(2)  # so that the load goes on before, between and after
                    master.send_signal(signal.SIGHUP)
                    await_true(lambda number=number: log.read_text().count("Worker exiting") >= 2 * number, 60)
                    urlopen(f"http://127.0.0.1:{front}/healthz", timeout=30).close()
                time.sleep(1)  # in which whoever had to wait is answered
            finally:
                load.send_signal(signal.SIGINT)  # at which it reports
            report, _ = load.communicate(timeout=30)
    assert "Non-2xx" not in report, report
    assert "Socket errors" not in report, report
    (requests,) = re.findall(r"(\d+) requests in", report)
    assert int(requests) > 1000, report
    (longest, unit) = re.findall(r"Latency +\S+ +\S+ +([0-9.]+)(us|ms|s) ", report)[0]
    assert unit != "s" or float(longest) < PATIENCE, report


TELLING = """
app = _built()

@app.after_request
def tell(response):
    response.headers["X-Release"] = app.config["SETTINGS"].brand_new
    return response
"""


def told_by(port):
    with urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
        return answer.headers["X-Release"]


def test_a_reload_serves_the_files_as_they_are_now(service, release):
    port, master, _ = service
    config = release / "config.py"
    config.write_text(
        config.read_text().replace("    workers: int", '    brand_new: str = setting("new", "")\n    workers: int')
    )
    with (release / "wsgi.py").open("a") as wsgi:
        wsgi.write(TELLING)
    master.send_signal(signal.SIGHUP)
    await_true(lambda: told_by(port) == "new", 30)


def test_a_worker_that_is_killed_after_a_reload_is_replaced(service):
    _, master, log = service
    gunicorn = psutil.Process(master.pid)
    old = {each.pid for each in gunicorn.children()}
    master.send_signal(signal.SIGHUP)
    await_true(lambda: len(gunicorn.children()) == 2 and not old & {each.pid for each in gunicorn.children()})
    for killed in gunicorn.children():
        killed.kill()
        await_true(lambda killed=killed: len(gunicorn.children()) == 2 and killed not in gunicorn.children(), 10)
    assert "Warning" not in log.read_text()


def test_a_stream_ends_with_bye_at_a_reload_and_goes_on_in_the_next_worker(service, cast):
    port, master, log = service
    owner = cast.user()
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"
        master.send_signal(signal.SIGHUP)
        assert stream.next().name == "bye"
    await_true(lambda: log.read_text().count("Worker exiting") >= 2)
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"


def test_a_stream_passes_caddy_unbuffered(service, cast, tmp_path):
    port, _, _ = service
    with caddy(port, tmp_path) as front, EventStream(front, cast.user().token) as stream:
        assert stream.next().name == "ready"


@pytest.fixture
def folder():
    made = tempfile.mkdtemp(prefix="rgh-")
    yield Path(made)
    shutil.rmtree(made)


@pytest.fixture
def serve(release, folder):
    """What everybody starts, ``flask serve``, of files that a test may change: its process, and its log."""
    port, log = free_port(), folder / "log"
    settings = {"VAR_DIR": str(folder / "var"), "WORKERS": "1", "STOP_GRACE": "2"}
    with started([*FLASK, "serve"], port, log, folder=release, **settings) as process:
        await_true(lambda: "UI at" in log.read_text())
        yield port, process, log
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    await_true(lambda: processes_of(folder) == [])


def reload(release, folder):
    """What `flask reload` says, with the files of a release."""
    given = environment(VAR_DIR=str(folder / "var"))
    options = {"capture_output": True, "text": True, "timeout": 60, "check": False}
    return subprocess.run([*FLASK, "reload"], cwd=release, env=given, **options)


def test_code_that_does_not_load_is_not_reloaded(serve, release, folder):
    _, process, _ = serve
    with (release / "wsgi.py").open("a") as wsgi:
        wsgi.write("raise ValueError\n")
    assert reload(release, folder).returncode != 0
    assert process.poll() is None


def test_where_nothing_serves_nothing_reloads(release, folder):
    refused = reload(release, folder)
    assert (refused.returncode, "Nothing serves in" in refused.stderr) == (1, True), refused.stderr


def test_hup_has_flask_serve_reload_both_its_parts(serve, release, folder):
    port, process, log = serve
    before = {each.pid for each in processes_of(folder) if "jobs" in str(each.info["cmdline"])}
    with (release / "wsgi.py").open("a") as wsgi:
        wsgi.write(TELLING.replace('app.config["SETTINGS"].brand_new', '"new"'))
    asked = reload(release, folder)
    assert (asked.returncode, asked.stdout) == (0, f"Process {process.pid} reloads\n"), asked.stderr
    await_true(lambda: told_by(port) == "new")
    await_true(lambda: {each.pid for each in processes_of(folder) if "jobs" in str(each.info["cmdline"])} - before)
    assert process.poll() is None, log.read_text()


def test_hup_leaves_flask_serve_as_it_is_where_the_files_do_not_load(serve, release):
    port, process, log = serve
    (release / "config.py").write_text("1 / 0\n")
    process.send_signal(signal.SIGHUP)
    await_true(lambda: "so the service goes on as it was" in log.read_text())
    assert "ZeroDivisionError" in log.read_text()
    with urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
        assert answer.status == 200

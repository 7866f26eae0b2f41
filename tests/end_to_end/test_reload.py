"""A reload under load: HUP replaces every worker, and no request through nginx fails."""

from __future__ import annotations

import re
import signal
import subprocess
import time

import pytest

from tests.end_to_end.proxies import caddy, nginx, program
from tests.end_to_end.service import await_true, environment, free_port, gunicorn, started
from tests.notifications.sse import EventStream

SECONDS = 12
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


@pytest.fixture
def service(app, var_dir, tmp_path):
    """A real service of two workers, and the process that rules them."""
    port, log = free_port(), tmp_path / "log"
    with started(gunicorn(2), port, log, VAR_DIR=var_dir, DEFAULT_LIMIT="1000000 per minute") as master:
        yield port, master, log


def test_no_request_fails_while_hup_reloads_twice(service, cast, tmp_path):
    port, master, log = service
    owner = cast.user()
    key = cast.key(owner, "read", "write")
    script = tmp_path / "mixed.lua"
    script.write_text(MIXED % key.token)
    with nginx([port], tmp_path) as front:
        command = [program("wrk"), "-t2", "-c16", f"-d{SECONDS}s", "-s", str(script), f"http://127.0.0.1:{front}"]
        load = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
        for number in (1, 2):
            time.sleep(SECONDS / 4)  # so that the load goes on before, between and after
            master.send_signal(signal.SIGHUP)
            await_true(lambda number=number: log.read_text().count("Booting worker") >= 2 + 2 * number)
        report, _ = load.communicate(timeout=SECONDS + 30)
    assert "Non-2xx" not in report, report
    assert "Socket errors" not in report, report
    (requests,) = re.findall(r"(\d+) requests in", report)
    assert int(requests) > 1000, report


def test_a_stream_ends_with_bye_at_a_reload_and_goes_on_in_the_next_worker(service, cast):
    port, master, log = service
    owner = cast.user()
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"
        master.send_signal(signal.SIGHUP)
        assert stream.next().name == "bye"
    await_true(lambda: log.read_text().count("Booting worker") >= 4)
    with EventStream(port, owner.token) as stream:
        assert stream.next().name == "ready"


def test_a_stream_passes_caddy_unbuffered(service, cast, tmp_path):
    port, _, _ = service
    with caddy(port, tmp_path) as front, EventStream(front, cast.user().token) as stream:
        assert stream.next().name == "ready"

"""The one service that the tests of a process share whose subject is neither a setting nor a start or stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.end_to_end.service import free_port, gunicorn, started


@dataclass(frozen=True)
class Service:
    """A service that runs: its port, the number of its master process, and what it prints."""

    port: int
    pid: int
    log: Path

    @property
    def url(self) -> str:
        """Return its address as browsers have it, who take ``localhost`` alone for safe without TLS."""
        return f"http://localhost:{self.port}"

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Fail where a traceback is printed meanwhile."""
        size = self.log.stat().st_size
        yield
        assert b"Traceback" not in self.log.read_bytes()[size:]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def shared_service(app: object, var_dir: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of one worker, with what the pages, clients and transfers of the tests need."""
    port, log = free_port(), tmp_path_factory.mktemp("shared") / "log"
    settings = {
        "BASE_URL": f"http://localhost:{port}", "DEFAULT_LIMIT": "1000000 per minute",
        "GITHUB_CLIENT_ID": "rowgate", "GITHUB_CLIENT_SECRET": "client-secret", "EMBEDDINGS": "local",
    }  # fmt: skip
    with started(gunicorn(), port, log, VAR_DIR=var_dir, **settings) as process:
        yield Service(port, process.pid, log)


@pytest.fixture
def serve_elsewhere() -> Iterator[Callable[..., str]]:
    """Serves a folder at an origin of its own, which it returns."""
    with ExitStack() as stack:

        def serve(folder: Path, handler: type[SimpleHTTPRequestHandler] = Quiet) -> str:
            server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return f"http://localhost:{server.server_port}"

        yield serve

"""What companies put before the service and behind it, with the configurations that are shipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from config import ROOT
from tests.end_to_end.service import await_answer, environment, free_port


def program(name: str) -> str:
    """Where a program is; skips the test on a machine without it."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(f"there is no {name} on this machine")
    return found


@contextmanager
def nginx(ports: Sequence[int], folder: Path, *, repeats_writes: bool = False) -> Iterator[int]:
    """nginx in front of services at ``ports``; gives its own port. By default a write whose connection is closed
    without an answer gets 502; ``repeats_writes`` has it sent to the next service, as reads are, for which nginx has
    to hold its body."""
    front = free_port()
    shipped = (ROOT / "deploy" / "nginx.conf").read_text()
    services = "".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
    site = shipped.replace("server 127.0.0.1:3001 max_fails=0;", services)
    listens = f"listen 127.0.0.1:{front};"
    if repeats_writes:
        listens += "proxy_next_upstream error timeout non_idempotent;"
        site = site.replace("proxy_request_buffering off;", "")
    site = site.replace("listen 80;", listens)
    assert services in site
    assert ("proxy_request_buffering" in site) is not repeats_writes
    assert str(front) in site
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{paths}{site} }}\n"
    )
    command = [program("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with running(command, front, folder / "error.log"):
        yield front


@contextmanager
def caddy(port: int, folder: Path) -> Iterator[int]:
    """Caddy in front of the service at ``port``, without a certificate; gives its own port."""
    front = free_port()
    shipped = (ROOT / "deploy" / "Caddyfile").read_text()
    site = shipped.replace("app.example.com", f"http://127.0.0.1:{front}").replace(
        "127.0.0.1:3001", f"127.0.0.1:{port}"
    )
    assert str(front) in site
    assert f"127.0.0.1:{port}" in site
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tgrace_period 1s\n}\n" + site)
    command = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with running(command, front, folder / "caddy.log"):
        yield front


@contextmanager
def pgbouncer(database: str, folder: Path, connections: int) -> Iterator[str]:
    """PgBouncer in front of the database at the local socket that ``database`` names, with so many connections to it;
    gives the address of the same database behind it."""
    front = free_port()
    shipped = (ROOT / "deploy" / "pgbouncer.ini").read_text()
    sockets = Path(conninfo_to_dict(database)["host"])
    changes = {
        "host=127.0.0.1 port=5432": f"host={sockets} user=postgres",
        "listen_port = 6432": f"listen_port = {front}\nunix_socket_dir =",
        "scram-sha-256": "any",
        "default_pool_size = 20": f"default_pool_size = {connections}",
    }
    if os.geteuid() == 0:  # which it refuses to run as
        changes["pool_mode"] = f"user = {sockets.owner()}\npool_mode"
    for old, new in changes.items():
        assert old in shipped
        shipped = shipped.replace(old, new)
    configuration, log = folder / "pgbouncer.ini", folder / "pgbouncer.log"
    configuration.write_text(shipped)
    with log.open("ab") as output:
        process = subprocess.Popen([program("pgbouncer"), configuration], env=environment(), stderr=output)
        try:
            address = f"postgresql://postgres@127.0.0.1:{front}/rowgate"
            _await_connection(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait(10)


def _await_connection(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(address, connect_timeout=2).close()
        except psycopg.OperationalError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[None]:
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=environment(), stderr=output)
        try:
            await_answer(f"http://127.0.0.1:{port}/healthz", process, log)
            yield
        finally:
            process.terminate()
            process.wait(10)

"""A file passes through a worker without being held in its memory, on its way into a folder and into S3."""

from __future__ import annotations

import hashlib
import http.client
import json
import random
import re
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.service import free_port, gunicorn, started
from tests.storage.uploads.stores import CREDENTIALS, bucket, s3

pytestmark = pytest.mark.full

__all__ = ["bucket", "s3"]

MIB = 1024 * 1024
PIECE = random.Random(1).randbytes(1024 * 1024)
MAX_GROWTH = 32 * MIB


@pytest.fixture(params=["local", "s3"])
def service(request, app, var_dir, tmp_path):
    """A port, and how many MiB to send there: what is stored in S3 here lies in the memory of the tests."""
    settings = {"VAR_DIR": var_dir, "UPLOAD_MAX_BYTES": str(1024 * MIB), "DEFAULT_LIMIT": "1000000 per minute"}
    if request.param == "s3":
        place = {"s3_bucket": request.getfixturevalue("bucket"), "s3_endpoint_url": request.getfixturevalue("s3")}
        settings |= {name.upper(): value for name, value in (place | CREDENTIALS).items()}
    port = free_port()
    with started(gunicorn(), port, tmp_path / "log", **settings) as process:
        yield port, process, 1024 if request.param == "local" else 96


def peak(process):
    """The most memory that a worker of the service has held, in bytes."""
    (worker,) = psutil.Process(process.pid).children()
    status = Path(f"/proc/{worker.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def upload(port, token, pieces):
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
    tail = b"\r\n--b--\r\n"
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=300)) as connection:
        return sent(connection, token, head, tail, pieces)


def sent(connection, token, head, tail, pieces):
    connection.putrequest("POST", "/api/upload")
    for name, value in (
        ("Authorization", f"Bearer {token}"),
        ("Content-Type", "multipart/form-data; boundary=b"),
        ("Content-Length", str(len(head) + pieces * MIB + len(tail))),
    ):
        connection.putheader(name, value)
    connection.endheaders(head)
    for _ in range(pieces):
        connection.send(PIECE)
    connection.send(tail)
    response = connection.getresponse()
    return response.status, json.loads(response.read()), response.headers.get("Location")


def test_a_large_upload_raises_the_peak_memory_of_the_worker_by_less_than_32_mib(service, cast):
    port, process, pieces = service
    owner = cast.user()
    bucket = owner.get("/api/v1/storage/bucket").json["data"][0]["id"]
    owner.put(f"/api/v1/storage/bucket/{bucket}", {"maxFileSize": 1024 * MIB, "quotaBytes": 4096 * MIB})
    assert upload(port, owner.token, 1)[0] == 200
    before = peak(process)
    pieces = min(pieces, 1023)
    status, body, location = upload(port, owner.token, pieces)
    assert status == 200, body
    grown = peak(process) - before
    print(f"\n{pieces} MiB: the peak grew by {grown / MIB:.1f} MiB")
    assert grown < MAX_GROWTH
    known = owner.get(location).json
    digest = hashlib.sha256()
    for _ in range(pieces):
        digest.update(PIECE)
    assert (known["size"], known["sha256"]) == (pieces * MIB, digest.hexdigest())

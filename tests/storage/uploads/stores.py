"""The stores under the upload routes: the local folder, and a bucket of a real S3 API."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

CREDENTIALS = {"s3_access_key_id": "testing", "s3_secret_access_key": "testing-secret"}


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of an S3 service."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def bucket(s3) -> str:
    client = boto3.client(
        "s3", endpoint_url=s3, region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing"
    )
    client.create_bucket(Bucket="files")
    return "files"


@pytest.fixture(scope="module", params=["local", "s3"])
def application(request, app, build_once):
    """The application on each of the stores."""
    if request.param == "local":
        return app
    place = {"s3_bucket": request.getfixturevalue("bucket"), "s3_endpoint_url": request.getfixturevalue("s3")}
    return build_once(**place, **CREDENTIALS)

"""The S3 store: objects are read through URLs that are signed for a minute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from typing import IO, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from app.foundation.errors import Unavailable
from app.storage.object_store.store import Delivery
from config import Settings

# Parts of at least 5 MiB are S3's rule; one is kept in memory for each upload that is under way.
PART = 8 * 1024 * 1024
SIGNED_FOR = 60


class S3Store:
    """Objects in ``S3_BUCKET``; credentials come from the settings, or from where the SDK finds them."""

    def __init__(self, settings: Settings) -> None:
        self.bucket = settings.s3_bucket
        options: dict[str, Any] = {
            "endpoint_url": settings.s3_endpoint_url or None,
            "region_name": settings.s3_region,
            "config": Config(
                connect_timeout=5, read_timeout=30, retries={"max_attempts": 3},
                signature_version="s3v4", s3={"addressing_style": "path" if settings.s3_endpoint_url else "auto"},
            ),
        }  # fmt: skip
        if settings.s3_access_key_id:
            options["aws_access_key_id"] = settings.s3_access_key_id
            options["aws_secret_access_key"] = settings.s3_secret_access_key
        self.client = boto3.client("s3", **options)

    def open(self, key: str) -> S3Writer:
        return S3Writer(self.client, self.bucket, key)

    def read(self, key: str) -> bytes:
        with _translating(), closing(self.client.get_object(Bucket=self.bucket, Key=key)["Body"]) as body:
            return body.read()

    def fetch(self, key: str, into: IO[bytes]) -> None:
        with _translating(), closing(self.client.get_object(Bucket=self.bucket, Key=key)["Body"]) as body:
            for piece in body.iter_chunks(PART):
                into.write(piece)

    def remove(self, key: str) -> None:
        with _translating():
            self.client.delete_object(Bucket=self.bucket, Key=key)

    def keys(self) -> Iterator[tuple[str, datetime]]:
        with _translating():
            for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket):
                for each in page.get("Contents", []):
                    yield each["Key"], each["LastModified"]

    def deliver(self, key: str, *, content_type: str, disposition: str) -> Delivery:
        shown = {"ResponseContentType": content_type, "ResponseContentDisposition": disposition}
        wanted = {"Bucket": self.bucket, "Key": key, **shown}
        return Delivery(url=self.client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=SIGNED_FOR))


class S3Writer:
    """Sends a small object whole, a large one in parts."""

    def __init__(self, client: Any, bucket: str, key: str) -> None:
        self._client, self._place = client, {"Bucket": bucket, "Key": key}
        self._waiting = bytearray()
        self._upload_id: str | None = None
        self._parts: list[dict[str, Any]] = []

    def write(self, chunk: bytes) -> None:
        self._waiting += chunk
        if len(self._waiting) >= PART:
            with _translating():
                self._send_part()

    def commit(self) -> None:
        with _translating():
            if self._upload_id is None:
                self._client.put_object(**self._place, Body=bytes(self._waiting))
                return
            if self._waiting:
                self._send_part()
            done = {"MultipartUpload": {"Parts": self._parts}, "UploadId": self._upload_id}
            self._client.complete_multipart_upload(**self._place, **done)
            self._upload_id = None

    def abort(self) -> None:
        if self._upload_id is not None:
            with suppress(BotoCoreError, ClientError):
                self._client.abort_multipart_upload(**self._place, UploadId=self._upload_id)
            self._upload_id = None

    def _send_part(self) -> None:
        if self._upload_id is None:
            self._upload_id = self._client.create_multipart_upload(**self._place)["UploadId"]
        number = len(self._parts) + 1
        part, self._waiting = self._waiting, bytearray()
        sent = self._client.upload_part(**self._place, PartNumber=number, UploadId=self._upload_id, Body=part)
        self._parts.append({"PartNumber": number, "ETag": sent["ETag"]})


@contextmanager
def _translating() -> Iterator[None]:
    """A store that does not answer, or refuses, is a part that is away."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Unavailable("Files cannot be stored at the moment") from error

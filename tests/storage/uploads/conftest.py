"""The stores under the upload routes."""

from tests.storage.uploads.stores import application, bucket, s3

__all__ = ["application", "bucket", "s3"]

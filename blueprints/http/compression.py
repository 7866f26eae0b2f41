"""Compressed answers: whether the caller takes them, and bytes that are compressed once."""

from __future__ import annotations

import zlib

from flask import request

# The header of gzip (RFC 1952) around what zlib makes.
GZIP_WINDOW = 31


def wants_gzip() -> bool:
    """Whether the caller of the running request likes gzip at least as much as plain bytes."""
    accepted = request.accept_encodings
    return accepted.quality("gzip") > 0 and accepted.quality("gzip") >= accepted.quality("identity")


def compressed(content: bytes) -> bytes:
    """As small as gzip makes it, for what is kept."""
    compressor = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, GZIP_WINDOW)
    return compressor.compress(content) + compressor.flush()

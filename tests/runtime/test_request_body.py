"""Bodies of requests: what nobody wants of one is read without copying it again and again."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace

from gunicorn.http.body import Body as OfGunicorn
from gunicorn.http.body import LengthReader
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import IterUnreader

from app.runtime.request_body import Body

MEBIBYTE = 1024 * 1024


def test_the_rest_of_a_body_is_read_in_large_pieces_once_its_request_is_answered():
    size, sizes = 8 * MEBIBYTE, []
    inner = OfGunicorn(LengthReader(IterUnreader(iter([bytes(size)])), size))
    counted = SimpleNamespace(read=lambda wanted: sizes.append(wanted) or inner.read(wanted))
    parser = RequestParser(None, BytesIO(), None)
    parser.mesg = SimpleNamespace(body=Body(counted))
    parser.mesg.body.is_answered = True
    assert parser.finish_body()
    assert len(sizes) <= size / MEBIBYTE + 1

"""The language that a browser likes best, of those that there are."""

from __future__ import annotations

import pytest
from flask import Flask

from app.foundation import languages


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"), ("", "en"), ("de", "de"), ("DE-at", "de"), ("de_CH", "de"), ("en-GB,de;q=0.5", "en"),
        ("de-AT,en;q=0.5", "de"), ("fr,de;q=0.5,en;q=0.4", "de"), ("en;q=0.2,de;q=0.9", "de"), ("fr", "en"),
        ("*", "en"), ("de;q=0", "en"), ("de;q=0,en", "en"), ("den", "en"), ("de;q=x", "en"), (";;,=\x00", "en"),
        ("de" + " " * 498, "de"), ("de" + " " * 499, "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_best_of_the_header(header, language):
    sent = {} if header is None else {"Accept-Language": header}
    with Flask(__name__).test_request_context(headers=sent):
        assert languages.accepted(("en", "de")) == language

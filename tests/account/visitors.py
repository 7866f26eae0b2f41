"""Visitors of the account pages: browsers that fetch a page, fill its form in and send it."""

from __future__ import annotations

import re
from html import unescape
from itertools import count

from tests.auth.sign_in.visitors import PASSWORD, SAME_ORIGIN, address
from tests.auth.sign_in.visitors import visit as client_of

TOKEN = re.compile(r'name="csrf" value="([^"]+)"')
numbers = count(1)


class Visitor:
    """A browser with cookies of its own."""

    def __init__(self, app, language="en"):
        self.app, self.client = app, client_of(app)
        self.headers = {**SAME_ORIGIN, "Accept-Language": language}
        self.email = address()

    def get(self, path, **options):
        return self.client.get(path, headers=self.headers, **options)

    def send(self, path, page=None, headers=None, **fields):
        """Post what a form of ``page`` would: with the token that is in it."""
        token = TOKEN.search(self.get(page or path).text)
        data = {"csrf": unescape(token[1])} | fields
        return self.client.post(path, data=data, headers=self.headers | (headers or {}))

    def sign_up(self, **changes):
        given = {"name": "Ada Example", "email": self.email, "password": PASSWORD}
        response = self.send("/account/sign-up", **given | changes)
        assert response.status_code == 303, response.text
        return self

    def sign_in(self, path="/account/sign-in", **changes):
        return self.send(path, **{"email": self.email, "password": PASSWORD} | changes)


def alerts_of(response):
    """What a page says failed."""
    found = re.search(r'<div class="notice failed" role="alert">(.*?)</div>', response.text, re.DOTALL)
    return [] if found is None else [unescape(each) for each in re.findall(r"<p>([^<]*)</p>", found[1])]


def wrong_with(response, field):
    """What a page says is wrong with a field, where the field points at it."""
    found = re.search(rf'<p class="wrong" id="{field}-wrong">([^<]*)</p>', response.text)
    if found is None:
        return None
    control = re.search(rf'<(?:input|select)[^>]*\bid="{field}"[^>]*>', response.text)[0]
    assert f"{field}-wrong" in re.search(r'aria-describedby="([^"]*)"', control)[1]
    assert 'aria-invalid="true"' in control
    return unescape(found[1])


def said_by(response):
    """What a page says once."""
    return [unescape(each) for each in re.findall(r'role="status">([^<]*)<', response.text)]

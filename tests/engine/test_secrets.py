"""Tokens: their form, their checksum, and what is stored of them."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.foundation import crypto
from app.foundation.crypto import Vault


@pytest.mark.parametrize("prefix", crypto.PREFIXES)
def test_a_token_is_prefix_43_characters_and_a_checksum(prefix):
    token = crypto.make(prefix)
    assert re.fullmatch(re.escape(prefix) + r"[0-9A-Za-z]{49}", token)
    assert crypto.kind(token) == prefix
    assert crypto.start(token) == token[: len(prefix) + 4]


@given(st.datetimes(datetime(1970, 1, 2), datetime(3000, 1, 1), timezones=st.just(UTC)))
def test_a_token_of_a_session_tells_its_end_in_seconds(end):
    token = crypto.make(crypto.SESSION, end)
    assert crypto.kind(token) == crypto.SESSION
    assert crypto.end_of(token) == end.replace(microsecond=0)


@given(st.text(max_size=80) | st.text(crypto.ALPHABET, min_size=55, max_size=55).map(crypto.SESSION.__add__))
def test_what_is_no_token_has_no_end(text):
    assert crypto.end_of(text) is None


def test_a_checksum_alone_makes_no_token():
    text = f"{crypto.SESSION}{'-' * 49}"
    assert crypto.end_of(text + crypto._checksum(text)) is None


def test_keys_have_no_end_in_them():
    key = crypto.make(crypto.KEY, datetime(2027, 1, 1, tzinfo=UTC))
    assert crypto.kind(key) is None


def test_the_checksum_is_the_crc32_of_all_before_it_in_base62():
    token = crypto.make(crypto.KEY)
    value = zlib.crc32(token[:-6].encode())
    digits = ""
    for _ in range(6):
        value, rest = divmod(value, 62)
        digits = crypto.ALPHABET[rest] + digits
    assert token[-6:] == digits


@given(position=st.integers(0, 55), replacement=st.sampled_from(crypto.ALPHABET))
def test_any_changed_character_breaks_the_checksum(position, replacement):
    token = crypto.make(crypto.KEY)
    changed = token[:position] + replacement + token[position + 1 :]
    assert changed == token or crypto.kind(changed) is None


@given(st.text(max_size=80))
def test_no_text_makes_the_check_fail(text):
    assert crypto.kind(text) is None


def test_digests_depend_on_the_secret_key():
    token = crypto.make(crypto.KEY)
    first, second = Vault("a" * 32), Vault("b" * 32)
    assert first.digest(token) != second.digest(token)
    assert len(first.digest(token)) == 64


def test_what_was_sealed_opens_with_the_same_key_alone():
    sealed = Vault("a" * 32).encrypt("plain")
    assert Vault("a" * 32).decrypt(sealed) == "plain"
    with pytest.raises(ValueError, match="not sealed"):
        Vault("b" * 32).decrypt(sealed)

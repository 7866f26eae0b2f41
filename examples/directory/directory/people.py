"""Who a name and a password of the directory are: the entry is found by a filter, and then bound to (RFC 4513)."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import urlsplit

from flask import current_app
from ldap3 import NONE, Connection, Server, Tls
from ldap3.core.exceptions import (
    LDAPBindError,
    LDAPConstraintViolationResult,
    LDAPException,
    LDAPInvalidCredentialsResult,
    LDAPSASLPrepError,
    LDAPUnwillingToPerformResult,
)
from ldap3.utils.conv import escape_filter_chars

from rowgate import ProvenIdentity, Unavailable

TIMEOUT = 5
ATTRIBUTES = ["entryUUID", "mail", "displayName", "cn"]
# What directories say to a password that is wrong, or that none of their people has.
WRONG = (
    LDAPBindError,
    LDAPConstraintViolationResult,
    LDAPInvalidCredentialsResult,
    LDAPSASLPrepError,
    LDAPUnwillingToPerformResult,
)
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def prove(login: str, password: str) -> ProvenIdentity | None:
    """Return whose they are; None where they are wrong, or of no entry with an address. Raises Unavailable."""
    settings = current_app.config["SETTINGS"]
    try:
        entry = _entry(settings, login)
        if entry is None or not _is_password_of(settings, entry["dn"], password):
            return None
    except LDAPException as error:
        raise Unavailable("The directory") from error
    found = entry["attributes"]
    email = _first(found["mail"])
    name = _first(found["displayName"]) or _first(found["cn"])
    # Its administrators set the addresses, and nobody sets their own.
    return ProvenIdentity(_first(found["entryUUID"]), email, name, email_verified=True) if email else None


def _entry(settings: Any, login: str) -> Any:
    """The one entry that the filter finds."""
    asked = settings.directory_filter.replace("{login}", escape_filter_chars(login))
    connection = _connected(settings, settings.directory_reader or None, settings.directory_reader_password or None)
    try:
        connection.search(settings.directory_base, asked, attributes=ATTRIBUTES, size_limit=2, time_limit=TIMEOUT)
        found = [each for each in connection.response or () if each["type"] == "searchResEntry"]
    finally:
        connection.unbind()
    return found[0] if len(found) == 1 else None


def _is_password_of(settings: Any, name: str, password: str) -> bool:
    try:
        _connected(settings, name, password).unbind()
    except WRONG:
        return False
    return True


def _connected(settings: Any, name: str | None, password: str | None) -> Connection:
    """A connection that is bound, with TLS from before the password is told."""
    place = urlsplit(settings.directory_url)
    server = Server(settings.directory_url, get_info=NONE, connect_timeout=TIMEOUT, tls=Tls(validate=ssl.CERT_REQUIRED))
    # Referrals would lead to any host with the password, and without TLS.
    connection = Connection(
        server, name, password, receive_timeout=TIMEOUT, raise_exceptions=True, read_only=True, auto_referrals=False
    )
    connection.open()
    if place.scheme == "ldap" and place.hostname not in LOOPBACK:
        connection.start_tls()
    connection.bind()
    return connection


def _first(values: Any) -> str:
    found = values[0] if isinstance(values, list) and values else values
    return str(found or "")

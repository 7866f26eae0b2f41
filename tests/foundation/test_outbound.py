"""Calls to configured addresses: which hosts are private, whatever they look like."""

from __future__ import annotations

import pytest

from app.foundation.networks import is_private

PRIVATE = (
    "localhost", "LOCALHOST.", "db.internal", "printer.local", "a.localhost", "127.0.0.1", "10.1.2.3", "192.168.0.1",
    "172.16.5.4", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "2130706433", "0x7f000001", "127.1",
    "0177.1", "::1", "[::1]", "fe80::1%eth0", "fc00::1", "fec0::1", "::ffff:127.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "ff02::1", "::",
)  # fmt: skip
PUBLIC = ("example.com", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "localhost.example.com")


@pytest.mark.parametrize("host", PRIVATE)
def test_private_hosts_are_told(host):
    assert is_private(host)


@pytest.mark.parametrize("host", PUBLIC)
def test_public_hosts_are_not(host):
    assert not is_private(host)

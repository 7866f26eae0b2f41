"""Host names and addresses: which of them belong to private networks."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

PRIVATE_SUFFIXES = (".localhost", ".local", ".internal")
# Other ways to write an IPv4 address: 2130706433, 0x7f.1, 127.1.
NUMERIC = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,2}", re.IGNORECASE)
# Addresses that carry an IPv4 one in their last bits: NAT64 (RFC 6052) and the old compatible form (RFC 4291 2.5.5.1).
CARRYING = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
# Site-local addresses (RFC 3879) and NAT64 within a network (RFC 8215).
LOCAL = (IPv6Network("fec0::/10"), IPv6Network("64:ff9b:1::/48"))


def is_private(host: str) -> bool:
    """Whether ``host`` is a private name, or an address that is not of the public internet. Other names may still
    resolve to one."""
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(PRIVATE_SUFFIXES) or NUMERIC.fullmatch(host):
        return True
    try:
        return is_private_address(host.strip("[]"))
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine, by the name or an address that is never another's."""
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_private_address(text: str) -> bool:
    """Whether an IP address is not of the public internet; raises ValueError when it is none."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        carried = IPv4Address(int(address) & 0xFFFFFFFF) if any(address in each for each in CARRYING) else None
        inner = address.ipv4_mapped or address.sixtofour or carried
        if inner is not None or any(address in each for each in LOCAL):
            return inner is None or is_private_address(str(inner))
    return not address.is_global or address.is_multicast

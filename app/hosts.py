"""Names and addresses of hosts: which of them lie in private networks."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, IPv6Network, ip_address

PRIVATE_SUFFIXES = (".localhost", ".local", ".internal")
# Other ways to write an IPv4 address: 2130706433, 0x7f.1, 127.1.
NUMERIC = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,2}", re.IGNORECASE)
# NAT64 (RFC 6052) and 6to4 (RFC 3056): addresses that carry an IPv4 one.
NAT64 = IPv6Network("64:ff9b::/96")


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


def is_private_address(text: str) -> bool:
    """Whether an IP address is not of the public internet; raises ValueError when it is none."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (_embedded(address) if address in NAT64 else None)
        if inner is not None:
            return is_private_address(str(inner))
    return not address.is_global or address.is_multicast


def _embedded(address: IPv6Address) -> object:
    return ip_address(int(address) & 0xFFFFFFFF)

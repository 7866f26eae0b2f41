"""Jobs meet the faults of the database, so their tests use the same fixtures."""

from __future__ import annotations

from tests.faults.conftest import owner, proxied, proxy, unlucky

__all__ = ["owner", "proxied", "proxy", "unlucky"]

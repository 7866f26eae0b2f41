"""Jobs meet the faults of the database, so their tests use the same fixtures."""

from __future__ import annotations

from tests.faults.conftest import proxied, proxy, unlucky

__all__ = ["proxied", "proxy", "unlucky"]

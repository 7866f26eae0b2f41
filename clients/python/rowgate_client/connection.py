"""Where the service is, and who asks."""

from __future__ import annotations

from typing import Any

import httpx

from rowgate_client import sending
from rowgate_client.openapi import client as generated


class AuthenticatedClient(generated.AuthenticatedClient):
    """The generated client, whose writes are sent again when no answer comes: the service does the work once. With an
    empty token it asks for what is open without a credential."""

    def get_httpx_client(self) -> httpx.Client:
        if self._client is None:
            self._client = sending.Client(**self._settings())
        return self._client

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        if self._async_client is None:
            self._async_client = sending.AsyncClient(**self._settings())
        return self._async_client

    def _settings(self) -> dict[str, Any]:
        if self.token:
            self._headers[self.auth_header_name] = f"{self.prefix} {self.token}" if self.prefix else self.token
        return {
            "base_url": self._base_url, "cookies": self._cookies, "headers": self._headers, "timeout": self._timeout,
            "verify": self._verify_ssl, "follow_redirects": self._follow_redirects, **self._httpx_args,
        }  # fmt: skip

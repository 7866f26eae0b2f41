"""Fills a service of version 0.1 over its API, as its users would: README.md beside this says how the dump was made.

``python fill.py http://localhost:3001 PASSWORD_OF_THE_FIRST_ADMIN facts.json`` writes what the test has to know.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import requests

PASSWORD = "cranes over quay 4"
# The dump is to be read for years.
END = "2120-01-01T00:00:00Z"
HANDBOOK = "Cranes at quay 4 lift at most 40 tonnes. In winds above 20 metres a second they stand still."
OTHERS = {
    "Canteen": "Soup is served from noon. On Fridays there is fish.",
    "Holidays": "Whoever wants to be away says so a month before.",
    "Parking": "Bicycles stand in the yard, cars behind the old shed.",
}


class Caller:
    """Somebody with a token or a key."""

    def __init__(self, host: str, token: str = "") -> None:
        self.host, self.session = host, requests.Session()
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = self.session.request(method, self.host + path, timeout=60, **options)
        assert answer.ok, (method, path, answer.status_code, answer.text)
        return answer

    def make(self, path: str, **body: Any) -> Any:
        return self.ask("POST", path, json=body).json()


def sign_up(host: str, email: str, name: str) -> tuple[Caller, str]:
    made = Caller(host).make("/api/auth/signup", email=email, password=PASSWORD, name=name)
    return Caller(host, made["token"]), made["user"]["id"]


def fill(host: str, admin_password: str) -> dict[str, Any]:
    ada, ada_id = sign_up(host, "ada@example.com", "Ada")
    grace, grace_id = sign_up(host, "grace@bücher.example", "Grace")
    yard = ada.make("/api/v1/auth/organization", name="Harbour Works", slug="harbour-works")["id"]
    signed_in = Caller(host).make("/api/auth/signin", email="admin@rowgate.example", password=admin_password)
    admin = Caller(host, signed_in["token"])
    admin.make("/api/v1/auth/member", organizationId=yard, userId=grace_id, role="member")
    told = {"title": "Welcome", "body": "The yard opens at six."}
    admin.make("/api/v1/notification/notification", userId=ada_id, type="MESSAGE", **told)
    ada.make("/api/v1/auth/invitation", organizationId=yard, email="emmy@example.com", role="member")
    ada.make("/api/v1/auth/team", organizationId=yard, name="Quay 4")
    ada.make("/api/auth/session/organization", organizationId=yard)
    keys = {
        name: ada.make("/api/v1/auth/api-key", name=name, scopes=scopes, expiresAt=END)["key"]
        for name, scopes in (("export", ["read"]), ("sync", ["read", "write"]))
    }
    sync = Caller(host, keys["sync"])
    companies = [sync.make("/api/v1/crm/company", name=name)["id"] for name in ("Crane & Sons", "Müller Reederei")]
    contacts = [
        sync.make("/api/v1/crm/contact", firstName=first, lastName=last, email=email, companyId=company)["id"]
        for first, last, email, company in (
            ("Lise", "Meitner", "lise@example.com", companies[0]),
            ("Emmy", "Noether", "emmy@example.com", companies[1]),
        )
    ]
    deals = [
        sync.make("/api/v1/crm/deal", name=name, amount=amount, companyId=companies[0], contactId=contacts[0])["id"]
        for name, amount in (("Two cranes", 1_250_000), ("A quay", 98_000_000))
    ]
    sync.ask("PUT", f"/api/v1/crm/deal/{deals[0]}", json={"stage": "qualified"})
    for title, content in {"Handbook": HANDBOOK, **OTHERS}.items():
        ada.make("/api/documents", title=title, content=content, kind="text")
    file = ada.ask("POST", "/api/upload", files={"file": ("quay.txt", HANDBOOK.encode(), "text/plain")})
    chat = converse(ada)
    (preference,) = grace.ask("GET", "/api/v1/notification/preference").json()["data"]
    grace.ask("PUT", f"/api/v1/notification/preference/{preference['id']}", json={"meetingLeadMinutes": 25})
    return {
        "password": PASSWORD, "keys": keys, "organization": yard, "companies": companies, "contacts": contacts,
        "deals": deals, "upload": file.headers["Location"].rpartition("/")[2], "chat": chat,
    }  # fmt: skip


def converse(ada: Caller) -> str:
    """Ask until the job has cut the document into passages, so that the last answer quotes it."""
    for _ in range(60):
        said = [{"role": "user", "content": "How much may the cranes lift?"}]
        answer = ada.ask("POST", "/api/chat", json={"messages": said})
        if "40 tonnes" in answer.text:
            return answer.headers["x-chat-id"]
        ada.ask("DELETE", f"/api/chat/{answer.headers['x-chat-id']}")
        time.sleep(1)
    raise SystemExit("The document was not found")


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(json.dumps(fill(sys.argv[1], sys.argv[2]), indent=1) + "\n")

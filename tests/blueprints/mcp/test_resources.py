"""Resources and prompts, and the stream that says which records have changed."""

from __future__ import annotations

import json
from contextlib import suppress
from queue import Empty

import pytest

from app.live.broadcaster import Broadcaster
from app.live.changes import Changes
from blueprints.mcp import subscriptions
from tests.blueprints.mcp.agents import PREFIX, ask, message, result
from tests.writes import changed, created


def uri_of(path, record):
    return f"rowgate://{path}/{record['id']}"


def test_a_record_is_read_by_its_address_as_its_caller_sees_it(cast, owner):
    company = created(owner, "crm/company", name="Harbour Works")
    (found,) = result(owner, "resources/read", uri=uri_of("crm/company", company))["contents"]
    assert (found["uri"], found["mimeType"]) == (uri_of("crm/company", company), "application/json")
    assert json.loads(found["text"]) == company
    response = ask(cast.user(), "resources/read", uri=uri_of("crm/company", company))
    assert (response.status_code, response.json["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    "uri",
    [
        "rowgate://crm/company", "rowgate://crm/nothing/01a1fedd-47f3-7536-a333-810773c4a6d4", "rowgate://docs/nothing",
        "file:///etc/passwd", "rowgate://crm/company/../../x", "https://example.com", "rowgate://" + "x" * 500,
        "rowgate://auth/api-key/01a1fedd-47f3-7536-a333-810773c4a6d4",
    ],
)  # fmt: skip
def test_an_address_that_leads_nowhere_is_refused(owner, uri):
    assert ask(owner, "resources/read", uri=uri).json["error"]["code"] == -32602


def test_the_documentation_is_made_of_what_the_caller_may_see(cast, owner):
    pages = {each["uri"] for each in result(owner, "resources/list")["resources"]}
    assert {"rowgate://docs/queries", "rowgate://docs/crm"} <= pages
    (crm,) = result(owner, "resources/read", uri="rowgate://docs/crm")["contents"]
    assert "## crm/contact" in crm["text"]
    narrow = cast.key(owner, "read", access=[{"models": ["crm/deal"]}])
    assert {each["uri"] for each in result(narrow, "resources/list")["resources"]} == {
        "rowgate://docs/queries", "rowgate://docs/crm",
    }  # fmt: skip
    (crm,) = result(narrow, "resources/read", uri="rowgate://docs/crm")["contents"]
    assert "crm/contact" not in crm["text"]
    assert "query_records" in result(owner, "resources/read", uri="rowgate://docs/queries")["contents"][0]["text"]


def test_a_prompt_puts_a_question_with_the_models_of_its_domain(owner):
    names = {each["name"] for each in result(owner, "prompts/list")["prompts"]}
    assert "ask-crm" in names
    found = result(owner, "prompts/get", name="ask-crm", arguments={"question": "Which deals close this month?"})
    text = found["messages"][0]["content"]["text"]
    assert "crm/deal" in text
    assert text.endswith("Which deals close this month?")
    for name, arguments in (("ask-crm", {}), ("ask-crm", None), ("ask-x", {"question": "x"}), ("x", {"question": "x"})):
        assert ask(owner, "prompts/get", name=name, arguments=arguments).json["error"]["code"] == -32602


class Watcher:
    """An open subscription in the process of the tests, which hears when it is told to look."""

    def __init__(self, app, actor, *uris):
        self.app, self.source = app, Changes(app)
        self.broadcaster = Broadcaster(app, self.source, app.extensions["change_signals"])
        self.broadcaster._started = True
        app.extensions["live_changes"], before = self.broadcaster, app.extensions["live_changes"]
        try:
            sent = message("subscriptions/listen", notifications={"resourceSubscriptions": list(uris)})
            self.id = sent["id"]
            headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
            self.response = actor.post("/mcp", sent, headers=headers, buffered=False)
        finally:
            app.extensions["live_changes"] = before
        # What the server of the tests has asked for already.
        self._began = next(iter(self.response.response))
        self.streams = [each for own in self.broadcaster._streams.values() for each in own]

    def heard(self):
        """The messages that wait."""
        for _ in range(2):
            with self.app.app_context():
                self.source.check([each for each in self.streams if each.is_open])
            self.broadcaster.wake(None)
            while self.broadcaster._are_all_due or self.broadcaster._due:
                self.broadcaster.poll()
        sent, self._began = [self._began], b""
        for stream in self.streams:
            with suppress(Empty):
                while True:
                    sent.append(stream.take(0.001) or stream.farewell)
        lines = b"".join(sent).decode().split("\n")
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    def close(self):
        for stream in self.streams:
            stream.close()
        self.response.close()


@pytest.fixture
def watch(app):
    opened = []

    def open_watcher(actor, *uris):
        opened.append(Watcher(app, actor, *uris))
        return opened[-1]

    yield open_watcher
    for each in opened:
        each.close()


def updated(watcher):
    """The addresses of which a watcher has heard."""
    found = watcher.heard()
    assert all(each["params"]["_meta"] == {f"{PREFIX}subscriptionId": watcher.id} for each in found)
    return [each["params"]["uri"] for each in found if each["method"] == "notifications/resources/updated"]


def test_changes_of_the_records_that_a_client_watches_are_told_and_of_no_others(owner, watch):
    company, other = created(owner, "crm/company", name="A"), created(owner, "crm/company", name="B")
    uri = uri_of("crm/company", company)
    watcher = watch(owner, uri, "rowgate://crm/company/x", "file:///x")
    assert watcher.response.headers["Content-Type"].startswith("text/event-stream")
    assert watcher.response.headers["X-Accel-Buffering"] == "no"
    (first,) = watcher.heard()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"]["notifications"] == {"resourceSubscriptions": [uri]}
    assert first["params"]["_meta"] == {f"{PREFIX}subscriptionId": watcher.id}
    changed(owner, "crm/company", other, name="B2")
    assert updated(watcher) == []
    changed(owner, "crm/company", company, name="A2")
    assert updated(watcher) == [uri]
    assert owner.delete(f"/api/v1/crm/company/{company['id']}").status_code == 200
    assert updated(watcher) == [uri]


def test_a_stranger_hears_nothing_of_a_record(cast, owner, watch):
    company = created(owner, "crm/company", name="A")
    watcher = watch(cast.user(), uri_of("crm/company", company))
    watcher.heard()
    changed(owner, "crm/company", company, name="A2")
    assert updated(watcher) == []


def test_a_key_that_is_revoked_hears_nothing_more_and_its_stream_ends_in_words(app, cast, owner, watch):
    company, key = created(owner, "crm/company", name="A"), cast.key(owner, "read")
    watcher = watch(key, uri_of("crm/company", company))
    watcher.heard()
    (made,) = owner.get("/api/v1/auth/api-key").json["data"]
    assert owner.delete(f"/api/v1/auth/api-key/{made['id']}").status_code == 200
    changed(owner, "crm/company", company, name="A2")
    (last,) = watcher.heard()
    assert (last["id"], last["result"]["resultType"]) == (watcher.id, "complete")


@pytest.mark.parametrize("asked", [None, {"resourceSubscriptions": "x"}, {"resourceSubscriptions": [7]},
                                   {"resourceSubscriptions": ["x"] * (subscriptions.MAX_WATCHED + 1)}])  # fmt: skip
def test_what_is_no_subscription_is_refused(owner, asked):
    response = ask(owner, "subscriptions/listen", notifications=asked)
    assert (response.status_code, response.json["error"]["code"]) == (400, -32602)

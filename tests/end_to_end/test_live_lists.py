"""Lists that the TypeScript client keeps true, in browsers: after any writes what is shown is what the list says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.testing.waiting import await_true
from tests.end_to_end.packages import CLIENTS

pytestmark = pytest.mark.full

COMPANY, DEAL = "/api/v1/crm/company", "/api/v1/crm/deal"
CLIENT = CLIENTS / "typescript"
MODULES = {
    "@rowgate/client": "/live/dist/index.js",
    "eventsource-parser": "/live/node_modules/eventsource-parser/dist/index.js",
    "eventsource-parser/stream": "/live/node_modules/eventsource-parser/dist/stream.js",
    "openapi-fetch": "/live/node_modules/openapi-fetch/dist/index.mjs",
}
QUERIES = {
    "food": {"where": {"industry": "food"}, "sort": ["name"], "take": 5},
    "latest": {"sort": ["-createdAt"], "take": 3, "fields": ["name"]},
    "named": {"where": {"name": {"startsWith": "A"}}, "count": "exact"},
    "with deals": {"where": {"deals": {"some": {"stage": "won"}}}, "sort": ["name"], "fields": ["name"]},
}
PAGE = """<!doctype html><meta charset="utf-8"><script type="importmap">%s</script><script type="module">
import { createRowgate } from "@rowgate/client";
const { crm } = createRowgate({ baseUrl: location.origin, token: %s });
window.shown = {};
const onError = (error) => (window.failed = String(error));
for (const [name, query] of Object.entries(%s))
  crm.company.live(query, (page) => (window.shown[name] = page.data), { onError });
</script>"""
INDUSTRIES, STAGES = ("food", "shipping", None), ("lead", "qualified", "won")


class Tab:
    """A page that shows the lists."""

    def __init__(self, context, service, actor, queries=QUERIES):
        self.streams = 0
        self.page = context.new_page()
        text = PAGE % (json.dumps({"imports": MODULES}), json.dumps(actor.token), json.dumps(queries))
        self.page.route("**/live/**", lambda route: self._serve(route, text))
        self.page.on("request", self._note)
        self.page.goto(f"{service.url}/live/page")

    def _serve(self, route, text):
        path = urlsplit(route.request.url).path
        if path == "/live/page":
            return route.fulfill(body=text, content_type="text/html")
        file = CLIENT / Path(path).relative_to("/live")
        return route.fulfill(body=file.read_bytes(), content_type="text/javascript")

    def _note(self, request):
        self.streams += "/_changes/stream" in request.url

    def shown(self):
        assert self.page.evaluate("() => window.failed") is None
        return self.page.evaluate("() => window.shown")

    def shows(self, wanted):
        """Wait until the page shows what is wanted; the browser goes on meanwhile."""
        await_true(lambda: self.page.wait_for_timeout(50) or self.shown() == wanted(), 30)


def listed(actor):
    found = {name: actor.post(f"{COMPANY}/_query", query).json["data"] for name, query in QUERIES.items()}
    return json.loads(json.dumps(found))


def write_at_random(actor, chance, companies):
    kind = chance.choice(("create", "update", "update", "delete", "deal"))
    if kind == "create" or not companies:
        values = {"name": f"{chance.choice('ABC')}{chance.randrange(1000)}", "industry": chance.choice(INDUSTRIES)}
        companies.append(actor.post(COMPANY, values).json["id"])
    elif kind == "update":
        values = {"name": f"{chance.choice('ABC')}{chance.randrange(1000)}", "industry": chance.choice(INDUSTRIES)}
        actor.patch(f"{COMPANY}/{chance.choice(companies)}", values)
    elif kind == "deal":
        deal = {"name": "Deal", "amount": 1, "companyId": chance.choice(companies), "stage": chance.choice(STAGES)}
        actor.post(DEAL, deal)
    else:
        actor.delete(f"{COMPANY}/{companies.pop(chance.randrange(len(companies)))}")


@pytest.fixture
def context(made, browser):
    return browser.new_context()


def test_what_is_shown_is_what_the_lists_say_after_any_writes(context, shared_service, owner, request):
    tab, chance, companies = Tab(context, shared_service, owner), random.Random(1), []
    tab.shows(lambda: listed(owner))
    for _ in range(request.config.getoption("--fuzz-histories")):
        for _ in range(10):
            write_at_random(owner, chance, companies)
        tab.shows(lambda: listed(owner))
    assert tab.streams == 1


def test_records_along_a_relation_decide_as_well(context, shared_service, owner):
    company = owner.post(COMPANY, {"name": "Works"}).json["id"]
    tab = Tab(context, shared_service, owner)
    tab.shows(lambda: listed(owner))
    owner.post(DEAL, {"name": "Deal", "amount": 1, "companyId": company, "stage": "won"})
    tab.shows(lambda: listed(owner))
    assert len(tab.shown()["with deals"]) == 1


def test_tabs_share_a_stream_and_another_takes_it_over(context, shared_service, owner):
    first, second = (Tab(context, shared_service, owner) for _ in range(2))
    for tab in (first, second):
        tab.shows(lambda: listed(owner))
    owner.post(COMPANY, {"name": "Among both"})
    for tab in (first, second):
        tab.shows(lambda: listed(owner))
    assert (first.streams, second.streams) == (1, 0)
    first.page.close()
    owner.post(COMPANY, {"name": "After one has gone"})
    second.shows(lambda: listed(owner))
    assert second.streams == 1


def test_a_network_that_comes_back_brings_what_was_missed(context, shared_service, owner):
    tab = Tab(context, shared_service, owner)
    tab.shows(lambda: listed(owner))
    context.set_offline(True)
    owner.post(COMPANY, {"name": "Meanwhile"})
    tab.page.wait_for_timeout(200)
    context.set_offline(False)
    tab.shows(lambda: listed(owner))


def test_pages_take_the_place_of_streams_that_are_held_back(context, shared_service, owner):
    context.route("**/_changes/stream*", lambda route: None)  # a proxy that waits for the end of the answer
    tab = Tab(context, shared_service, owner)
    tab.shows(lambda: listed(owner))
    owner.post(COMPANY, {"name": "By pages"})
    tab.shows(lambda: listed(owner))


def test_another_caller_in_the_same_browser_is_told_of_their_own(context, shared_service, owner, cast):
    other = cast.user()
    mine, theirs = Tab(context, shared_service, owner), Tab(context, shared_service, other)
    owner.post(COMPANY, {"name": "Mine"})
    other.post(COMPANY, {"name": "Theirs"})
    mine.shows(lambda: listed(owner))
    theirs.shows(lambda: listed(other))
    assert (mine.streams, theirs.streams) == (1, 1)

"""The TypeScript client on a page of another origin, in a real browser, behind a proxy that cuts answers off."""

from __future__ import annotations

import json
from http.server import SimpleHTTPRequestHandler
from uuid import uuid4

import pytest

from tests.end_to_end.cutting import cutting
from tests.end_to_end.packages import CLIENTS
from tests.end_to_end.shared import Quiet

pytestmark = pytest.mark.full

IMPORTS = {
    "@rowgate/client": "/dist/index.js",
    "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs",
    "eventsource-parser/stream": "/node_modules/eventsource-parser/dist/stream.js",
}
PAGE = f'<!doctype html><script type="importmap">{json.dumps({"imports": IMPORTS})}</script>'
WRITES = """async ([baseUrl, body]) => {
    const { createClient, createRowgate } = await import("@rowgate/client");
    const visitor = createClient({ baseUrl });
    const { token } = (await visitor.POST("/api/auth/signup", { body })).data;
    const { crm } = createRowgate({ baseUrl, token });
    const works = await crm.company.create({ name: "Works" });
    const api = createClient({ baseUrl, token });
    const docks = (await api.POST("/api/v1/crm/company", { body: { name: "Docks" } })).data;
    const mills = await crm.company.update(works, { name: "Mills" });
    const refused = await crm.company.update(works, { name: "Yards" }).catch((error) => error.code);
    const { data } = await crm.company.list({ sort: ["name"] });
    return [works.name, docks.name, mills.name, refused, data.map(({ name }) => name).join()];
}"""


class Page(Quiet, SimpleHTTPRequestHandler):
    """The built client, and a page that imports it."""

    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())


@pytest.fixture
def elsewhere(made, serve_elsewhere):
    """The origin of a server that has nothing but the page."""
    return serve_elsewhere(CLIENTS / "typescript", Page)


@pytest.fixture
def proxy(shared_service):
    """The service behind a proxy that cuts off the first answer to each idempotency key."""
    with cutting(shared_service.port) as found:
        yield found


def test_a_page_of_another_origin_writes_once_and_never_over_a_newer_version(browser, proxy, elsewhere):
    page = browser.new_context().new_page()
    page.goto(elsewhere)
    person = {"email": f"writes-{uuid4().hex[:8]}@example.com", "password": "correct horse battery"}
    said = page.evaluate(WRITES, [proxy.url, person])
    assert said == ["Works", "Docks", "Mills", "PRECONDITION_FAILED", "Docks,Mills"]
    assert [each.is_replay for each in proxy.passed] == [False, True, False, True, False, True, False, False]
    assert not any(each.in_header for each in proxy.passed)

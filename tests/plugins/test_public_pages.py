"""The page of ``docs/public-pages``, with the models that its description shows: on another origin, without a key, in a
real browser and behind a cache."""

from __future__ import annotations

import os
import random
import re

import httpx2
import pytest
from playwright.sync_api import expect

from config import ROOT
from tests.end_to_end.conftest import launched
from tests.end_to_end.proxies import program, running
from tests.end_to_end.service import free_port, gunicorn, started
from tests.plugins.test_combinations import MIGRATION

PAGE = (ROOT / "docs" / "public-pages.md").read_text()
(SHOWN,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(CACHE,) = re.findall(r"```nginx\n(.*?)```", PAGE, re.DOTALL)
MODELS = f"""
from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import CALLER_ORGANIZATION, IMMUTABLE, Organization, Policy, Record, enum, reference, string


{SHOWN}
"""
PLUGIN = """
from shop import models

from rowgate import Plugin

plugin = Plugin("shop", "A shop with a form.", version="1.0", models=(models,))
"""


@pytest.fixture(scope="module")
def service(project, var_dir, tmp_path_factory):
    """The address of a service with the shop, whose verifier of captchas is at ``/siteverify`` of ``verifier``."""
    folder = tmp_path_factory.mktemp("shop")
    files = {"__init__.py": "", "models.py": MODELS, "plugin.py": PLUGIN,
             "migrations/0001_shop.py": MIGRATION.replace("press", "shop")}  # fmt: skip
    (folder / "shop" / "migrations").mkdir(parents=True)
    for name, text in files.items():
        (folder / "shop" / name).write_text(text)
    start = project(folder)
    settings = {
        "PLUGINS": "shop.plugin", "ANONYMOUS_MODELS": "crm/company", "ANONYMOUS_LIMIT": "1000000 per minute",
        "ANONYMOUS_CREATE_LIMIT": "1000000 per minute",
    }  # fmt: skip
    upgraded = start("-m", "flask", "db", "upgrade", **settings)
    assert upgraded.returncode == 0, upgraded.stderr
    port = free_port()
    places = {"VAR_DIR": var_dir, "DATABASE_URL": start.url, "PYTHONPATH": start.path}
    with started(gunicorn(), port, folder / "log", **places, **settings):
        yield f"http://localhost:{port}"


@pytest.fixture(scope="module")
def signed_in(service):
    """Calls the service as somebody who is signed in."""
    person = {"email": "ada@shop.example", "password": "correct horse battery"}
    token = httpx2.post(f"{service}/api/auth/signup", json=person).json()["token"]

    def send(method, path, **body):
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx2.request(method, f"{service}/api/v1/{path}", json=body or None, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

    send.token = token
    return send


@pytest.mark.full
def test_anybody_sees_the_catalogue_and_writes_by_the_form(service, signed_in, serve_elsewhere):
    signed_in("POST", "crm/company", name="Pier", industry="ships", visibility="public")
    signed_in("POST", "crm/company", name="Plan")
    form = signed_in("POST", "shop/form", title="Ask us")["id"]
    elsewhere = serve_elsewhere(ROOT / "docs" / "public-pages")
    with launched() as browser:
        page = browser.new_page()
        page.goto(f"{elsewhere}/index.html?rowgate={service}&form={form}")
        expect(page.get_by_role("listitem")).to_have_text(["Pier, ships"])
        page.get_by_label("E-mail").fill("eve@example.com")
        page.get_by_label("Message").fill("Are you open on Sundays?")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("status")).to_have_text("Thank you. We have got your message.")
    (inquiry,) = signed_in("GET", "shop/inquiry")["data"]
    assert (inquiry["formId"], inquiry["text"]) == (form, "Are you open on Sundays?")


@pytest.fixture
def cache(service, tmp_path):
    """The address of nginx, which keeps what it may."""
    front, folders = free_port(), ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    kept, location = CACHE.replace("/var/cache/rowgate", f"{tmp_path}/kept").split("\n", 1)
    location = location.replace("http://127.0.0.1:3001", service.replace("localhost", "127.0.0.1"))
    configuration = [
        "user root;" if os.geteuid() == 0 else "",
        f"daemon off; pid {tmp_path}/pid; events {{}} http {{ access_log off;",
        *(f"{name}_temp_path {tmp_path}/{name};" for name in folders),
        f"{kept} server {{ listen 127.0.0.1:{front}; add_header X-Cache $upstream_cache_status always;",
        f"location /healthz {{ return 200; }} {location} }} }}",
    ]
    (tmp_path / "nginx.conf").write_text("\n".join(configuration))
    command = [program("nginx"), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "log")]
    with running(command, front, tmp_path / "log"):
        yield f"http://127.0.0.1:{front}"


@pytest.mark.full
def test_a_cache_in_front_never_mixes_what_callers_see(service, signed_in, cache):
    """Everybody, a member and a bad credential ask in any order; the cache answers each as the service would."""
    for number in range(6):
        signed_in("POST", "crm/company", name=f"C{number}", visibility=("public", "private")[number % 2])
    companies = [each["id"] for each in signed_in("GET", "crm/company")["data"]]
    paths = ["crm/company?sort=name", "crm/company?take=2", "shop/form", "crm/contact"]
    paths += [f"crm/company/{each}" for each in companies]
    tokens = {"member": signed_in.token, "wrong": "nonsense"}
    callers = {"nobody": {}} | {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
    expected, caches, chance = {}, set(), random.Random(36)
    with httpx2.Client() as client:
        for name, headers in callers.items():
            for path in paths:
                answer = client.get(f"{service}/api/v1/{path}", headers=headers)
                expected[name, path] = (answer.status_code, answer.content)
        for _ in range(2000):
            name, path = chance.choice(list(expected))
            answer = client.get(f"{cache}/api/v1/{path}", headers=callers[name])
            assert (answer.status_code, answer.content) == expected[name, path], (name, path)
            caches.add((name, answer.headers["X-Cache"]))
    assert ("nobody", "HIT") in caches
    assert not {("member", "HIT"), ("wrong", "HIT")} & caches

"""docs/guides.md, in a project of `rowgate new`: its Python does what the page says, with public names alone."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import indent

import pytest

from app.commands.new import write
from config import ROOT
from tests.end_to_end.service import environment

# A project that was made from this checkout has left here what names the kit to pytest a second time.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

PAGE = (ROOT / "docs" / "guides.md").read_text()
BLOCKS = re.findall(r"`shop/(\w+\.py)`[^`]*?:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
IMPORTED = {
    "models.py": {
        "from sqlalchemy.orm import Mapped": "from sqlalchemy import func\nfrom sqlalchemy.orm import Mapped",
        "    timestamp,\n)": "    timestamp,\n    virtual,\n)\nfrom rowgate.kinds import Boolean",
    },
    "plugin.py": {
        "import Periodic, Plugin": "import Job, Periodic, Plugin",
        "import hooks, jobs, models": "import hooks, jobs, mail, models",
    },
}
TESTS = """
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from app.crm.models import CrmContact, CrmDeal
from app.foundation.clock import now
from app.foundation.errors import Unavailable
from app.jobs.registry import PERIODIC
from rowgate.testing import transaction
from shop.mail import thank
from shop.models import ShopTask

DEALS, TASKS = CrmDeal.collection_path(), ShopTask.collection_path()


@pytest.fixture
def provider(app, loopback, monkeypatch):
    at = {"shop_mail_url": f"{loopback.url}/send", "shop_mail_private": True, "shop_mail_token": "secret"}
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **at))
    return loopback


def win(owner, workshop):
    contact = workshop.make(CrmContact, email="grace@example.com")
    deal = workshop.make(CrmDeal, companyId=contact["companyId"], contactId=contact["id"])
    return owner.patch(f"{DEALS}/{deal['id']}", {"stage": "won"}).json


def test_a_contact_is_thanked_once_a_deal_is_won(owner, workshop, do_jobs, provider):
    provider.answer("/send", status=202)
    deal = win(owner, workshop)
    owner.patch(f"{DEALS}/{deal['id']}", {"nextStep": "Deliver"})
    do_jobs()
    (asked,) = provider.requests
    assert (asked.method, asked.headers["authorization"]) == ("POST", "Bearer secret")
    assert asked.json == {
        "to": "grace@example.com", "subject": deal["name"], "text": f"Thank you for {deal['name']}.",
        "id": f"shop_thank-{deal['id']}",
    }


def test_a_provider_that_is_away_is_asked_again(app, owner, workshop, provider):
    provider.answer("/send", status=503)
    deal = win(owner, workshop)
    with app.app_context(), pytest.raises(Unavailable):
        thank(deal["id"])
    assert len(provider.requests) == 1


def test_old_tasks_are_removed_and_others_stay(app, owner, workshop):
    old, new = (workshop.make(ShopTask, state="done")["id"] for _ in range(2))
    with app.app_context(), transaction() as session:
        session.get(ShopTask, old).completed_at = now() - timedelta(days=366)
    (tidy,) = (each for each in PERIODIC if each.name == "shop_tidy")
    with app.app_context():
        tidy.work()
    assert [owner.get(f"{TASKS}/{each}").status_code for each in (old, new)] == [404, 200]


@pytest.mark.parametrize(
    ("days", "state", "late"), [(-1, "open", True), (1, "open", False), (-1, "done", False), (None, "open", False)]
)
def test_a_task_says_whether_it_is_late(owner, workshop, days, state, late):
    due = None if days is None else (datetime.now(UTC) + timedelta(days=days)).isoformat()
    made = workshop.make(ShopTask, dueAt=due, state=state)
    assert owner.get(f"{TASKS}/{made['id']}").json["late"] is made["late"] is late


def test_a_computed_field_is_no_condition(owner):
    assert owner.get(f"{TASKS}?late=true").status_code == owner.get(f"{TASKS}?sort=late").status_code == 400
"""


def told_by_the_page(folder):
    """Put into the files of the project what the page says of each, with what has to be imported: another plugin, a
    field of the last class, and else what comes at the end."""
    for name, block in BLOCKS:
        path = folder / "shop" / name
        text = path.read_text() if path.exists() else ""
        if name == "plugin.py":
            text = text[: text.index("plugin = Plugin(")]
        told = text + (indent(block, "    ") if name == "models.py" else block)
        for line, more in IMPORTED.get(name, {}).items():
            assert line in told
            told = told.replace(line, more)
        path.write_text(told)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guides") / "shop"
    folder.mkdir()
    write("shop", folder)
    assert [name for name, _ in BLOCKS] == ["mail.py", "jobs.py", "plugin.py", "models.py"]
    told_by_the_page(folder)
    (folder / "tests" / "test_guides.py").write_text(TESTS)
    return folder


def run(shop, *arguments, **settings):
    env = environment(PYTHONPATH=f"{ROOT}:{shop}", PYTHONDONTWRITEBYTECODE="1", **ALONE, **settings)
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=shop, env=env, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.full
def test_the_project_does_what_the_page_says(shop):
    kit = ("-p", "app.testing.plugin", "-p", "no:cacheprovider", "-o", "rowgate_plugins=shop.plugin")
    done = run(shop, "pytest", "-q", *kit)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


@pytest.mark.full
def test_it_uses_public_names_alone(shop, var_dir):
    checked = run(shop, "flask", "--app", "wsgi:app", "plugins", "check", PLUGINS="shop.plugin", VAR_DIR=var_dir)
    assert (checked.returncode, checked.stdout) == (0, "Every name that is used is public\n"), checked.stderr

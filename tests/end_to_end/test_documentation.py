"""The documentation: its examples run as they stand, it says what the code says, and it builds without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.engine.declare import catalogue
from app.engine.declare.catalogue import every_model
from config import ROOT
from tests.end_to_end import transcripts
from tests.end_to_end.service import FLASK, environment
from tests.end_to_end.transcripts import BLOCK

DOCS = ROOT / "docs"
TOUR = (DOCS / "tour.md").read_text()
# The first block of the tour: where the service is, who one is, and a key.
BEGINNING = next(block for kind, block in BLOCK.findall(TOUR) if kind == "sh")
# Pages whose commands are for a set-up of one's own.
NOT_RUN = ("deployment.md", "operations.md", "adding-a-model.md", "plugins.md")
PAGES = sorted(
    page.name for page in DOCS.glob("*.md") if "```sh" in page.read_text() and page.name not in NOT_RUN
)  # fmt: skip
# Where examples find what they ask to be installed.
WITH_PACKAGES = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

AUTHENTICATOR = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def port(shared_service, var_dir, tmp_path_factory):
    """A service with a worker of jobs."""
    with (tmp_path_factory.mktemp("documentation") / "worker").open("wb") as log:
        env = environment(VAR_DIR=var_dir, EMBEDDINGS="local")
        worker = subprocess.Popen([*FLASK, "jobs", "work"], cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        yield shared_service.port
    finally:
        worker.terminate()
        worker.wait(30)


def personal(text, page):
    """The same with people of its own, as all pages share a service."""
    return re.sub(r"(\w+)@example\.com", rf"\1-{page.removesuffix('.md')}@example.com", text)


@pytest.mark.variants
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_as_they_stand(page, port, var_dir):
    before = "" if page == "tour.md" else personal(BEGINNING, page)
    text = personal((DOCS / page).read_text(), page)
    shown = transcripts.run(text, port, before=before, VAR_DIR=var_dir, PATH=WITH_PACKAGES)
    assert shown
    for printed, expected in shown:
        transcripts.check(printed, expected)


def test_the_script_for_passkeys_runs_in_a_browser(browser, port):
    script = next(block for kind, block in BLOCK.findall((DOCS / "accounts.md").read_text()) if kind == "js")
    page = browser.new_page(base_url=f"http://localhost:{port}")
    page.goto("/account/forgot")
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    came_back = page.evaluate(f"""async () => {{
        {script}
        await post("signup", {{ email: "passkeys@example.com", password: "correct horse" }});
        const {{ name }} = await registerPasskey("Laptop");
        await post("signout");
        const {{ user }} = await signInWithPasskey();
        return [name, user.email];
    }}""")
    assert came_back == ["Laptop", "passkeys@example.com"]


def test_every_route_family_has_a_page_with_examples():
    families = {
        "tour.md", "concepts.md", "data-api.md", "queries.md", "writing.md", "api-keys.md", "sign-in.md",
        "accounts.md", "authorization.md", "uploads.md", "chat.md", "knowledge.md", "notifications.md", "errors.md",
    }  # fmt: skip
    assert families <= set(PAGES)


def test_what_follows_from_the_code_is_what_is_written():
    from docs import generate

    different = [name for name, text in generate.pages().items() if (DOCS / name).read_text() != text]
    assert different == [], "run make tables"


@pytest.mark.full
def test_it_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    assert (tmp_path / "domains" / "crm.html").exists()


def test_what_the_pages_count_is_counted():
    models, domains = len(list(every_model())), len([each for each in catalogue.domains() if each.models])
    said = f"{models} models in {('nine', 'ten', 'eleven', 'twelve')[domains - 9]}"
    for page in (ROOT / "README.md", DOCS / "concepts.md"):
        assert said in " ".join(page.read_text().split()), page
    files = [file for room in ("app", "blueprints", "schemas", "rowgate") for file in (ROOT / room).rglob("*.py")]
    lines = sum(len(file.read_text().splitlines()) for file in files if "project" not in file.parts)
    assert f"about {round(lines / 5000) * 5000:,} lines of Python" in " ".join((ROOT / "README.md").read_text().split())

"""docs/adding-a-model.md, done to the letter in a copy of the project."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys

import psycopg
import pytest

from app.runtime.embedded import DATABASE, database_url
from config import ROOT
from tests.end_to_end.service import environment

pytestmark = pytest.mark.full

USE = """
from app.auth.credentials import sessions
from app.auth.accounts import users
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from wsgi import app

with app.app_context():
    user = run_unit(SYSTEM, users.register, email="a@example.com", password="correct horse")
    token = run_unit(SYSTEM, sessions.open_session, user).token
client, headers = app.test_client(), {"Authorization": f"Bearer {token}"}
call = lambda method, path, **rest: client.open(f"/api/v1/{path}", method=method, headers=headers, **rest)
company = call("POST", "crm/company", json={"name": "Acme"}).json["id"]
made = call("POST", "crm/note", json={"companyId": company, "title": "Hello", "body": "World"})
assert made.status_code == 201, made.json
assert made.json["priority"] == "low"
same = call("POST", "crm/note", json={"companyId": company, "title": "Echo", "body": "Echo"})
assert same.status_code == 400, same.json
bare = call("POST", "crm/note", json=[{"companyId": company, "title": title} for title in ("First", "Acme")])
assert [each["index"] for each in bare.json["details"]["items"]] == [1], bare.json
stale = call("PATCH", f"crm/note/{made.json['id']}", json={"body": "All"}, query_string={"ifMatch": "2"})
assert stale.status_code == 412, stale.json
listed = call("GET", "crm/note", query_string={"priority": "low"})
assert listed.json["meta"]["count"] == 1
changed = call("PUT", f"crm/note/{made.json['id']}", json={"priority": "high"})
assert changed.json["priority"] == "high"
assert changed.headers["ETag"].startswith('"2-'), changed.headers
assert call("PUT", f"crm/note/{made.json['id']}", json={"companyId": made.json["id"]}).status_code == 400
assert call("DELETE", f"crm/note/{made.json['id']}").json["deleted"] is True
document = client.get("/api/v1/openapi.json").json
assert document["paths"]["/api/v1/crm/note"]["post"]["operationId"] == "createCrmNote"
print("done")
"""


@pytest.fixture
def copy(app, var_dir, tmp_path):
    """A copy of the project, on an empty database of its own."""
    ignored = shutil.ignore_patterns(".git", ".venv", "var", "build", "dist", "node_modules", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, tmp_path / "copy", ignore=ignored)
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        connection.execute("CREATE DATABASE extended TEMPLATE template0")
        yield tmp_path / "copy", database_url(var_dir).replace(f"/{DATABASE}?", "/extended?")
        connection.execute("DROP DATABASE extended WITH (FORCE)")


def test_the_page_leads_to_a_working_model(copy, var_dir):
    folder, url = copy
    page = (ROOT / "docs" / "adding-a-model.md").read_text()
    files = re.findall(r"`(app/[\w/]+\.py)`", page)
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    command = re.search(r"```sh\n\.venv/bin/flask (.*?)\n```", page)[1]
    env = environment(VAR_DIR=var_dir, DATABASE_URL=url)

    def run(*words):
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "flask", "db", "upgrade")
    for name, block in zip(files, blocks, strict=True):
        with (folder / name).open("a") as file:
            file.write(f"\n\n{block}")
    run("-m", "flask", *shlex.split(command))
    run("-m", "flask", "db", "upgrade")
    run("-m", "flask", "db", "check")
    assert run("-c", USE) == "done\n"

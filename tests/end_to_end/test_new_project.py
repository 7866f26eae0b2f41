"""A project with a plugin of its own, outside of the tree, as docs/plugins.md tells it: made, run, tested, given a
model, upgraded with Rowgate, and taken out."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import requests

from app.testing.waiting import await_true
from config import ROOT, VERSION
from tests.end_to_end.service import free_port, started
from tests.end_to_end.wheels import build_wheel, run

pytestmark = pytest.mark.full

PAGE, REFERENCE = ((ROOT / "docs" / name).read_text() for name in ("plugins.md", "extending.md"))
LATER = "99.0.0"
TRUNK_MIGRATION = '''"""What a later release brings."""

from alembic import op

revision, down_revision, branch_labels, depends_on = "0999", "{last}", None, None


def upgrade():
    op.execute("CREATE TABLE later (id int)")


def downgrade():
    op.execute("DROP TABLE later")
'''


def blocks(kind, page=PAGE):
    return re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)


class Project:
    """The folder of the project, and what is done in it."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.wheel, self.port = folder, wheel, free_port()
        # An index of another kind of machine is set in the configuration of pip, which belongs to its user.
        self.settings = {"PORT": str(self.port), "WORKERS": "1"}

    def make(self, *arguments, **more):
        done = run("make", *arguments, cwd=self.folder, seconds=580, **self.settings | more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def serve(self, **more):
        command = ["make", "serve"]
        settings = {name: value for name, value in (self.settings | more).items() if name != "PORT"}
        return started(command, self.port, self.folder / "log", folder=self.folder, **settings)

    def rowgate(self, *arguments, plugins="shop"):
        command = str(self.folder / ".venv" / "bin" / "rowgate")
        return run(command, *arguments, cwd=self.folder, PLUGINS=plugins)

    def shell(self, text):
        """What a block of the page says, while the service runs."""
        done = run("sh", "-ec", text, cwd=self.folder)
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def key(self):
        """The key that the first start showed."""
        return re.search(r"rg_key_\w+", (self.folder / "first").read_text())[0]

    def call(self, method, path, **options):
        headers = {"Authorization": f"Bearer {self.key}"}
        return requests.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=20, **options)

    @property
    def paths(self):
        return requests.get(f"http://127.0.0.1:{self.port}/api/v1/openapi.json", timeout=60).json()["paths"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Made by the command of the page in a checkout, in an environment that the Makefile of the project makes of it."""
    folder = tmp_path_factory.mktemp("released")
    wheel = build_wheel(folder)
    assert ".venv/bin/rowgate new ../shop" in blocks("sh")[0]
    command = "import wsgi; wsgi.main()"
    made = run(sys.executable, "-c", command, "new", "../shop", cwd=folder / "source")
    assert made.returncode == 0, made.stderr
    made = Project(folder / "shop", wheel)
    made.make(".venv/installed")
    return made


def test_it_is_a_repository_with_what_the_page_lists(project):
    tracked = run("git", "ls-files", cwd=project.folder).stdout.splitlines()
    listed = re.findall(r"^\| `(shop/\w+\.py)` \|", PAGE, re.MULTILINE)
    assert len(listed) == 5
    assert {*listed, ".env.example", "Makefile", "Containerfile", "README.md", "tests/test_tasks.py"} <= {*tracked}


def test_make_serve_serves_it_from_nothing(project):
    with project.serve():
        shutil.copy(project.folder / "log", project.folder / "first")
        made = project.call("POST", "/api/v1/shop/project", json={"name": "Bridge"})
        assert made.status_code == 201, made.text
        task = project.call(
            "POST", "/api/v1/shop/task", json={"projectId": made.json()["id"], "title": "Draw it"}
        ).json()
        done = project.call("POST", f"/api/v1/shop/task/{task['id']}/_complete")
        assert (done.json()["state"], done.status_code) == ("done", 200)
        assert {"/api/v1/shop/project", "/api/v1/shop/task/{id}/_complete"} <= project.paths.keys()
        assert requests.get(f"http://127.0.0.1:{project.port}/readyz", timeout=10).json()["migrations"] == "ok"


def test_make_test_passes_its_tests(project):
    assert re.search(r"\d+ passed", project.make("test"))


def test_a_model_is_added_by_the_words_of_the_page(project):
    models = project.folder / "shop" / "models.py"
    code = next(block for block in blocks("python") if "class ShopComment" in block)
    text = models.read_text().replace("    Organization,\n", "    Organization,\n    Parent,\n", 1)
    models.write_text(f"{text}\n\n{code}")
    commands = next(block for block in blocks("sh") if "db migrate" in block)
    with project.serve():
        project.shell(commands)
        await_true(lambda: "/api/v1/shop/comment" in project.paths)
    (written,) = (project.folder / "shop" / "migrations").glob("0002_*.py")
    assert "shop_comment" in written.read_text()
    with project.serve():
        task = project.call("GET", "/api/v1/shop/task").json()["data"][0]
        body = {"taskId": task["id"], "text": "Looks good"}
        assert project.call("POST", "/api/v1/shop/comment", json=body).status_code == 201
        told = project.call("GET", "/api/v1/shop/task?expand=shopComments").json()["data"][0]
        assert [each["text"] for each in told["shopComments"]] == ["Looks good"]
    assert "Every name that is used is public" in project.rowgate("plugins", "check").stdout


def test_a_route_is_added_as_the_page_has_it(project):
    code = next(block for block in blocks("python", REFERENCE) if "addShopComment" in block)
    (project.folder / "shop" / "comments.py").write_text(code)
    plugin = project.folder / "shop" / "plugin.py"
    plugin.write_text(plugin.read_text().replace('"shop.routes:build",', '"shop.routes:build", "shop.comments:build"'))
    with project.serve():
        task = project.call("GET", "/api/v1/shop/task").json()["data"][0]
        path = f"/api/shop/tasks/{task['id']}/comments"
        assert list(project.call("POST", path, json={"text": ""}).json()["details"]["fields"]) == ["text"]
        assert project.call("POST", path, json={"text": "By a route"}).status_code == 201
        assert "By a route" in [each["text"] for each in project.call("GET", f"{path}?take=50").json()]
        assert project.call("GET", f"{path}?page=1").status_code == 400
        assert {"get", "post"} <= project.paths["/api/shop/tasks/{id}/comments"].keys()


def test_rowgate_is_upgraded_with_migrations_of_both_and_goes_back(project, tmp_path_factory):
    def change(source):
        (source / "config.py").write_text((source / "config.py").read_text().replace(f'"{VERSION}"', f'"{LATER}"', 1))
        folder = source / "migrations" / "versions"
        last = max(each.name for each in folder.glob("0*.py")).partition("_")[0]
        (folder / "0999_later.py").write_text(TRUNK_MIGRATION.format(last=last))

    later = build_wheel(tmp_path_factory.mktemp("later"), change)
    project.settings["ROWGATE_SOURCE"] = str(later)
    project.make("-B", ".venv/installed")
    models = project.folder / "shop" / "models.py"
    models.write_text(f"{models.read_text()}    colour: Mapped[str | None] = string(max=20)\n")
    with project.serve():
        assert project.call("GET", "/api/v1/shop/comment").status_code == 500, "the column is not there yet"
        assert project.rowgate("db", "migrate", "--plugin", "shop", "-m", "colours").returncode == 0
        assert project.rowgate("db", "upgrade").returncode == 0
        assert project.call("GET", "/api/v1/shop/comment").json()["data"][0]["colour"] is None
        assert "0999, shop 0003" in project.rowgate("doctor").stdout
        assert project.rowgate("db", "downgrade", "--plugin", "shop", "0002").returncode == 0
        assert project.rowgate("db", "downgrade").returncode == 0
    models.write_text(models.read_text().rpartition("    colour:")[0])
    next((project.folder / "shop" / "migrations").glob("0003_*.py")).unlink()
    project.settings["ROWGATE_SOURCE"] = str(project.wheel)
    project.make("-B", ".venv/installed")
    with project.serve():
        kept = project.call("GET", "/api/v1/shop/comment?sort=createdAt").json()["data"]
        assert [each["text"] for each in kept] == ["Looks good", "By a route"]


def test_the_plugin_is_taken_out_and_its_tables_with_it(project):
    with project.serve(PLUGINS=""):
        told = "The plugin shop is not loaded and has left shop_project, shop_task, shop_comment"
        assert told in (project.folder / "log").read_text()
        assert project.call("GET", "/api/v1/shop/task").status_code == 404
        assert project.call("GET", "/api/v1/crm/contact").status_code == 200
        assert project.rowgate("plugins", "drop", "shop", "--yes", plugins="").returncode == 0
        assert "shop" not in project.rowgate("doctor", plugins="").stdout

"""Clients of a service with a plugin whose fields are of every kind: its programs, and what other people's generators
make, pass strict type checkers."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from config import ROOT
from tests.end_to_end.packages import BIN, CLIENTS, TSC, run
from tests.end_to_end.service import environment
from tests.end_to_end.test_generators import MODULES, PROGRAMS

pytestmark = pytest.mark.full

RENTAL = ROOT / "examples" / "rental"
MADE = shutil.ignore_patterns("node_modules", "dist", "build", "examples")


@pytest.fixture(scope="module")
def clients(made, tmp_path_factory):
    """The sources of both clients, generated of the description of a service that has the rental."""
    folder = tmp_path_factory.mktemp("clients") / "clients"
    shutil.copytree(CLIENTS, folder, ignore=MADE)
    (folder / "typescript" / "node_modules").symlink_to(CLIENTS / "typescript" / "node_modules")
    described = folder / "openapi.json"
    paths = {"PYTHONPATH": f"{ROOT}:{RENTAL}", "PLUGINS": "rental.plugin", "DESCRIPTION": str(described)}
    given = {"env": os.environ | paths | {"PYTHONDONTWRITEBYTECODE": "1"}}
    run(sys.executable, "-m", "flask", "--app", "wsgi:app", "openapi", "write", described, cwd=ROOT, **given)
    run(BIN / "node", "generate.mjs", cwd=folder / "typescript", **given)
    python = folder / "python"
    run(sys.executable, python / "generate.py", cwd=python, **given)
    client = ("--path", python / "openapi.json", "--output-path", python / "rowgate_client" / "openapi")
    options = ("--meta", "none", "--overwrite", "--config", python / "generator.yaml")
    assert "Warning" not in run(BIN / "openapi-python-client", "generate", *client, *options, cwd=ROOT, **given)
    return folder


def test_fields_of_every_kind_have_types_in_typescript(clients):
    folder = clients / "typescript"
    run(BIN / "node", TSC, cwd=folder)
    program = folder / "examples"
    program.mkdir()
    shutil.copy(CLIENTS / "typescript" / "examples" / "tsconfig.json", program)
    shutil.copy(RENTAL / "clients" / "rental.ts", program)
    run(BIN / "node", TSC, "--project", program, "--strict", "--noEmit", cwd=folder)


def test_fields_of_every_kind_have_types_in_python(clients, mypy):
    given = {"env": os.environ | {"MYPYPATH": str(clients / "python")}}
    run(*mypy, "--follow-imports=silent", RENTAL / "clients" / "rental.py", cwd=clients, **given)


@pytest.mark.parametrize(("tool", "arguments"), [
    ("@hey-api/openapi-ts/bin/run.js", ("--file", "openapi-ts.config.mjs")),
    ("orval/dist/bin/orval.mjs", ("--config", "orval.config.mjs")),
])  # fmt: skip
def test_clients_of_other_generators_compile_strictly(clients, tmp_path, tool, arguments):
    shutil.copy(clients / "openapi.json", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(MODULES)
    (name,) = (each for each in arguments if each.endswith(".mjs"))
    program = "orval" if "orval" in tool else "hey-api"
    for each in (name, "checks.ts", "tsconfig.json", f"{program}.ts"):
        shutil.copy(PROGRAMS / each, tmp_path)
    settings = environment(ADDRESS="http://localhost:3001")
    run(BIN / "node", MODULES / tool, *arguments, cwd=tmp_path, env=settings)
    run(BIN / "node", MODULES / "typescript/bin/tsc", "--project", tmp_path, cwd=tmp_path, env=settings)

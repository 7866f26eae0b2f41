"""The description as other people's generators read it: their clients compile strictly, and their calls are right."""

from __future__ import annotations

import re
import shutil
from uuid import uuid4

import pytest

from config import ROOT
from tests.end_to_end.packages import BIN, run
from tests.end_to_end.service import environment

PROGRAMS = ROOT / "tests" / "end_to_end" / "generators"
MODULES = ROOT / ".venv" / "node" / "node_modules"
# Without examples, which it would make up along relations that lead from every model to every other, and with the
# types of forms.
GENERATE = ("generate", "--skip-operation-example", "--global-property", "skipFormModel=false", "-i", "openapi.json")
NAMES = "prefixParameterInterfaces=true,importFileExtension=.js"
# Calls of all kinds: fewer are no proof.
AT_LEAST = 30


@pytest.fixture(scope="module")
def address(shared_service):
    return shared_service.url


@pytest.fixture
def workshop(tmp_path):
    """A folder with the description and the programs, in which clients are made."""
    shutil.copy(ROOT / "docs" / "openapi.json", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(MODULES)
    for name in ("checks.ts", "tsconfig.json"):
        shutil.copy(PROGRAMS / name, tmp_path)
    return tmp_path


def node(workshop, tool, *arguments, **settings):
    return run(BIN / "node", MODULES / tool, *arguments, cwd=workshop, env=environment(**settings))


@pytest.fixture
def openapi_generator(workshop, pytestconfig):
    """Makes a client in the workshop by openapi-generator."""
    jar = pytestconfig.getoption("--openapi-generator")
    if jar is None:
        pytest.skip("make generators tries them")

    def generate(kind, *options):
        run("java", "-jar", ROOT / jar, *GENERATE, "-g", kind, "-o", workshop / "client", *options, cwd=workshop)

    return generate


def right_calls(workshop, program, address):
    """Compile ``program`` strictly and run it; gives how many of its calls were right."""
    shutil.copy(PROGRAMS / f"{program}.ts", workshop)
    node(workshop, "typescript/bin/tsc", "--project", workshop)
    said = run(BIN / "node", workshop / "compiled" / f"{program}.js", address, f"{uuid4().hex[:8]}@example.com")
    return int(re.findall(r"^right: (\d+)$", said, re.MULTILINE)[0])


def test_a_client_of_hey_api_compiles_strictly_and_calls_rightly(workshop, address):
    shutil.copy(PROGRAMS / "openapi-ts.config.mjs", workshop)
    node(workshop, "@hey-api/openapi-ts/bin/run.js", "--file", "openapi-ts.config.mjs")
    assert right_calls(workshop, "hey-api", address) >= AT_LEAST


def test_a_client_of_orval_compiles_strictly_and_calls_rightly(workshop, address):
    shutil.copy(PROGRAMS / "orval.config.mjs", workshop)
    node(workshop, "orval/dist/bin/orval.mjs", "--config", "orval.config.mjs", ADDRESS=address)
    assert right_calls(workshop, "orval", address) >= AT_LEAST


def test_a_client_of_openapi_generator_for_typescript_compiles_strictly_and_calls_rightly(
    workshop, openapi_generator, address
):
    openapi_generator("typescript-fetch", "--additional-properties", NAMES)
    assert right_calls(workshop, "typescript-fetch", address) >= AT_LEAST

"""The description as other people's generators read it: their clients compile strictly, and their calls are right."""

from __future__ import annotations

import re
import shutil
from uuid import uuid4

import pytest

from config import ROOT
from tests.end_to_end.packages import BIN, run
from tests.end_to_end.service import environment

pytestmark = pytest.mark.full

PROGRAMS = ROOT / "tests" / "end_to_end" / "generators"
MODULES = ROOT / ".venv" / "node" / "node_modules"
# What ends within seconds needs no second compiler.
FAST = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# Without examples, which it would make up along relations that lead from every model to every other, with the types of
# forms, and without tests and pages.
PARTS = "skipFormModel=false,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
GENERATE = ("generate", "--skip-operation-example", "--global-property", PARTS, "-i", "openapi.json")
NAMES = "prefixParameterInterfaces=true,importFileExtension=.js"
FOR_JAVA = ("--library", "okhttp-gson", "--type-mappings", "DateTime=String")
MADE = "useSingleRequestParameter=static,containerDefaultToNull=true,hideGenerationTimestamp=true"
LIBRARIES = ("-q", "-B", "dependency:copy-dependencies", "-DincludeScope=compile")
# The generator's own code casts to and from what has no type parameters.
STRICTLY = ("-proc:none", "-Xlint:all", "-Werror")
GENERATED = ("-proc:none", "-Xlint:all,-rawtypes,-unchecked,-cast", "-Werror")
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
        pytest.skip("make generators and make test ALL=1 try it, where Java and Maven are")

    def generate(kind, *options):
        to = ("-g", kind, "-o", workshop / "client")
        run("java", *FAST, "-jar", ROOT / jar, *GENERATE, *to, *options, cwd=workshop)

    return generate


def javac(workshop, folder, *arguments):
    """Compile into ``folder`` what sees the libraries, and the client once that is there."""
    (workshop / "compiled").mkdir(exist_ok=True)
    compiler = ("javac", *(f"-J{each}" for each in FAST), "-J-Xmx2g")
    run(*compiler, "-d", folder, "-classpath", "compiled:libraries/*", *arguments, cwd=workshop)


def right_calls(workshop, program, address):
    """Compile ``program`` strictly and run it; gives how many of its calls were right."""
    shutil.copy(PROGRAMS / f"{program}.ts", workshop)
    node(workshop, "typescript/bin/tsc", "--project", workshop)
    return counted(run(BIN / "node", workshop / "compiled" / f"{program}.js", address, somebody()))


def counted(said):
    """How many calls a program says were right."""
    return int(re.findall(r"^right: (\d+)$", said, re.MULTILINE)[0])


def somebody():
    return f"{uuid4().hex[:8]}@example.com"


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


def test_a_client_of_openapi_generator_for_java_compiles_strictly_and_calls_rightly(
    workshop, openapi_generator, address
):
    openapi_generator("java", *FOR_JAVA, "--additional-properties", MADE)
    run("mvn", *LIBRARIES, "-f", "client/pom.xml", f"-DoutputDirectory={workshop / 'libraries'}", cwd=workshop)
    sources = "\n".join(map(str, (workshop / "client" / "src" / "main").rglob("*.java")))
    (workshop / "sources").write_text(sources)
    javac(workshop, "compiled", *GENERATED, "@sources")
    javac(workshop, "program", *STRICTLY, PROGRAMS / "Calls.java")
    program = ("java", *FAST, "-classpath", "program:compiled:libraries/*", "Calls")
    assert counted(run(*program, address, somebody(), cwd=workshop)) >= AT_LEAST

"""make dist: everything that is published, built of a commit."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from config import ROOT, VERSION
from publishing.changelog import release_text

pytestmark = pytest.mark.full

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "var", "build", "dist", "node_modules", "__pycache__", ".*_cache")
AS = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
AGAIN = """
import sys; from pathlib import Path; from publishing.dist import Build
build = Build.of_last_commit(Path(sys.argv[1]))
build.wheel(); build.source_archive(); build.image()
"""


def run(*command, cwd, **options):
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A repository of its own with what is here now as its only commit."""
    folder = tmp_path_factory.mktemp("checkout") / "rowgate"
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED, symlinks=True)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    run("git", *AS, "commit", "--quiet", "--message", "All of it", cwd=folder)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


@pytest.fixture(scope="module")
def built(checkout):
    (checkout / "left-out.txt").write_text("not committed")
    done = run(sys.executable, "-m", "publishing.dist", cwd=checkout)
    assert "what is not committed is not in it" in done.stderr
    return checkout / "dist"


@pytest.fixture(scope="module")
def names():
    stem, wheel = f"rowgate-{VERSION}", f"{VERSION}-py3-none-any.whl"
    return {
        "RELEASE.md", f"rowgate-{wheel}", f"{stem}.tar.gz", f"{stem}-image.tar.gz", f"{stem}.cdx.json",
        f"rowgate-client-{VERSION}.tgz", f"rowgate-client-{VERSION}.cdx.json", f"rowgate_client-{wheel}",
        f"rowgate-studio-{VERSION}.cdx.json",
    }  # fmt: skip


def test_everything_is_there_with_checksums_that_hold(built, names):
    assert {path.name for path in built.iterdir()} == {*names, "SHA256SUMS"}
    checked = run("sha256sum", "--check", "SHA256SUMS", cwd=built).stdout
    assert {line.removesuffix(": OK") for line in checked.splitlines()} == names


def test_the_section_of_the_changelog_is_the_text_of_the_release(built):
    text = (built / "RELEASE.md").read_text()
    assert text == release_text((ROOT / "CHANGELOG.md").read_text(), VERSION)
    assert text.startswith(f"# Rowgate {VERSION} - 20")


def test_the_source_archive_has_what_is_committed_and_no_more(built, checkout):
    committed = run("git", "ls-files", cwd=checkout).stdout.splitlines()
    with tarfile.open(built / f"rowgate-{VERSION}.tar.gz") as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
        assert f"\nVersion: {VERSION}\n" in archive.extractfile(f"rowgate-{VERSION}/PKG-INFO").read().decode()
    assert packed == {*committed, "PKG-INFO"}
    assert {"tests/migrations/dumps/0.1.0.sql.gz", "tests/conftest.py", "requirements-dev.lock"} <= packed


def test_the_image_finds_everything_that_it_copies(built):
    with tarfile.open(built / f"rowgate-{VERSION}-image.tar.gz") as archive:
        packed = archive.getnames()
        file = archive.extractfile("Containerfile").read().decode()
    copied = [source for line in re.findall(r"^COPY (.+)$", file, re.MULTILINE) for source in line.split()[:-1]]
    assert copied
    assert all(fnmatch.filter(packed, source) for source in copied), copied
    into = re.search(r"^COPY .* (\S+)$", file, re.MULTILINE)[1]
    installed = [word.removeprefix(into) for word in re.findall(rf"{into}\S+", file)]
    assert sorted(installed) == sorted(copied)


def test_the_npm_package_has_the_built_client(built):
    with tarfile.open(built / f"rowgate-client-{VERSION}.tgz") as archive:
        assert json.load(archive.extractfile("package/package.json"))["version"] == VERSION
        assert {"package/dist/index.js", "package/dist/index.d.ts", "package/README.md"} <= {*archive.getnames()}


def test_the_python_client_has_the_generated_modules(built):
    held = zipfile.ZipFile(built / f"rowgate_client-{VERSION}-py3-none-any.whl").namelist()
    assert {"rowgate_client/models.py", "rowgate_client/openapi/client.py"} <= {*held}


def test_the_bills_of_materials_name_what_they_are_of(built):
    purls = {"rowgate": "pkg:pypi/rowgate"}
    for own in ("client", "studio"):
        purls[f"rowgate-{own}"] = f"pkg:npm/%40rowgate/{own}"
    for stem, purl in purls.items():
        made = json.loads((built / f"{stem}-{VERSION}.cdx.json").read_text())
        assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
        assert made["metadata"]["component"]["purl"] == f"{purl}@{VERSION}"
        assert made["components"]


def test_the_same_commit_gives_the_same_bytes(built, checkout, tmp_path):
    environ = {**os.environ, "TZ": "Asia/Tokyo"}
    run(sys.executable, "-c", AGAIN, tmp_path, cwd=checkout, env=environ, umask=0o027)
    again = sorted((tmp_path / "dist").iterdir())
    assert len(again) == 3
    for path in again:
        assert path.read_bytes() == (built / path.name).read_bytes(), path.name

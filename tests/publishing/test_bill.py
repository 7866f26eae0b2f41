"""Bills of materials: everything that the lock files pin, with what is known of it."""

from __future__ import annotations

import base64
import json
import re

from config import ROOT
from publishing import bill

WHEN = "2026-11-22T10:00:00Z"
A, B = "a" * 64, "b" * 64
LOCK = f"""
flask==3.1.3 \\
    --hash=sha256:{A} \\
    --hash=sha256:{B}
    # via
    #   flask-login
    #   rowgate (setup.cfg)
flask-login==0.6.3 \\
    --hash=sha256:{A}
    # via rowgate (setup.cfg)
tzdata==2026.6 ; sys_platform == 'win32' \\
    --hash=sha256:{A}
    # via flask
"""
FLASK, LOGIN, TZDATA = "pkg:pypi/flask@3.1.3", "pkg:pypi/flask-login@0.6.3", "pkg:pypi/tzdata@2026.6"


def parts(made):
    return {each["bom-ref"]: each for each in made["components"]}


def test_every_pin_of_the_lock_file_is_there_with_all_of_its_hashes():
    text = (ROOT / "requirements.lock").read_text()
    made = parts(bill.of_python("rowgate", "0.2.0", text, WHEN))
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)
    assert set(made) == {f"pkg:pypi/{name}@{version}" for name, version in pins}
    assert len(pins) > 90
    assert sum(len(each["hashes"]) for each in made.values()) == text.count("--hash=sha256:")


def test_a_component_has_a_name_a_version_an_address_and_its_hashes():
    flask = parts(bill.of_python("rowgate", "0.2.0", LOCK, WHEN))[FLASK]
    assert (flask["name"], flask["version"], flask["purl"]) == ("flask", "3.1.3", FLASK)
    assert [each["content"] for each in flask["hashes"]] == [A, B]


def test_what_only_some_machines_install_is_optional_and_says_which():
    made = parts(bill.of_python("rowgate", "0.2.0", LOCK, WHEN))
    assert made[TZDATA]["scope"] == "optional"
    assert made[TZDATA]["properties"] == [{"name": "rowgate:marker", "value": "sys_platform == 'win32'"}]
    assert "scope" not in made[FLASK]


def test_who_needs_what_is_told():
    made = bill.of_python("rowgate", "0.2.0", LOCK, WHEN)
    assert {each["ref"]: each["dependsOn"] for each in made["dependencies"]} == {
        "pkg:pypi/rowgate@0.2.0": [LOGIN, FLASK], FLASK: [TZDATA], LOGIN: [FLASK], TZDATA: [],
    }  # fmt: skip


def test_licences_are_those_of_the_installed_packages():
    made = parts(bill.of_python("rowgate", "0.2.0", (ROOT / "requirements.lock").read_text(), WHEN))
    licences = {each["name"]: each.get("licenses") for each in made.values()}
    assert licences["flask"] == [{"expression": "BSD-3-Clause"}]
    assert licences["psycopg"] == [{"expression": "LGPL-3.0-only"}]
    # What has a name, but none that SPDX knows.
    assert [{"license": {"name": "BSD"}}] in licences.values()
    unknown = {each["name"] for each in made.values() if "licenses" not in each and "scope" not in each}
    assert unknown == set()


def test_the_npm_client_has_what_its_users_install_and_nothing_of_its_makers():
    digest = base64.b64encode(bytes(64)).decode()
    package = {"version": "1.0.0", "integrity": f"sha512-{digest}", "license": "MIT"}
    lock = {
        "name": "@rowgate/client", "version": "0.2.0",
        "packages": {
            "": {"dependencies": {"@a/fetch": "^1"}, "devDependencies": {"compiler": "^1"}, "license": "MIT"},
            "node_modules/@a/fetch": {**package, "dependencies": {"types": "^1"}},
            "node_modules/types": package,
            "node_modules/compiler": {**package, "dev": True},
        },
    }  # fmt: skip
    made = bill.of_npm(lock, WHEN)
    assert set(parts(made)) == {"pkg:npm/%40a/fetch@1.0.0", "pkg:npm/types@1.0.0"}
    assert parts(made)["pkg:npm/types@1.0.0"]["hashes"] == [{"alg": "SHA-512", "content": "00" * 64}]
    assert made["dependencies"][1] == {"ref": "pkg:npm/%40a/fetch@1.0.0", "dependsOn": ["pkg:npm/types@1.0.0"]}


def test_a_package_needs_the_version_that_lies_nearest():
    package = {"integrity": f"sha512-{base64.b64encode(bytes(64)).decode()}", "license": "MIT"}
    lock = {
        "name": "@rowgate/studio", "version": "0.3.0",
        "packages": {
            "": {"dependencies": {"react": "^19", "theme": "^1"}},
            "node_modules/react": {**package, "version": "19.0.0"},
            "node_modules/theme": {**package, "version": "1.0.0", "dependencies": {"react": "^18", "shade": "^1"}},
            "node_modules/theme/node_modules/react": {**package, "version": "18.0.0"},
            "node_modules/shade": {**package, "version": "1.0.0", "dependencies": {"react": "^19"}},
        },
    }  # fmt: skip
    made = bill.of_npm(lock, WHEN)
    needed = {each["ref"].rpartition("/")[2]: each["dependsOn"] for each in made["dependencies"]}
    assert needed["studio@0.3.0"] == ["pkg:npm/react@19.0.0", "pkg:npm/theme@1.0.0"]
    assert needed["theme@1.0.0"] == ["pkg:npm/react@18.0.0", "pkg:npm/shade@1.0.0"]
    assert needed["shade@1.0.0"] == ["pkg:npm/react@19.0.0"]


def test_every_package_of_the_studio_is_in_its_bill_once():
    lock = json.loads((ROOT / "studio" / "package-lock.json").read_text())
    made = bill.of_npm(lock, WHEN)
    assert len(parts(made)) == len(made["components"]) > 300
    assert {ref for each in made["dependencies"] for ref in each["dependsOn"]} <= set(parts(made))


def test_the_same_lock_makes_the_same_bill():
    assert bill.of_python("rowgate", "0.2.0", LOCK, WHEN) == bill.of_python("rowgate", "0.2.0", LOCK, WHEN)

"""Signing in against a directory of OpenLDAP."""

from __future__ import annotations

import shutil
import socket
import subprocess
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from rowgate.testing import await_true

SLAPD = shutil.which("slapd") or shutil.which("slapd", path="/usr/sbin")
pytestmark = pytest.mark.skipif(SLAPD is None, reason="There is no slapd here")
ROUTE = "/api/auth/signin/company"
BASE, READER, SECRET = "dc=example,dc=com", "cn=reader,dc=example,dc=com", "read only"
CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile {folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix "{base}"
rootdn "{reader}"
rootpw "{secret}"
directory {folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{reader}" read by * none
"""
TREE = """
dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people
"""
PERSON = """
dn: uid={uid},ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: {uid}
cn: Ada
sn: Byron
displayName: Ada Byron
userPassword: {password}
"""
numbers = count(1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """The address of a directory with three people."""
    folder: Path = tmp_path_factory.mktemp("ldap")
    (folder / "data").mkdir()
    (folder / "slapd.conf").write_text(CONFIGURATION.format(folder=folder, base=BASE, reader=READER, secret=SECRET))
    people = [PERSON.format(uid=uid, password=f"secret of {uid}") for uid in ("ada", "bob", "eve*")]
    people[0] += "mail: ada@directory.example\n"
    people[2] += "mail: eve@directory.example\n"
    (folder / "tree.ldif").write_text("\n".join([TREE, *people]))
    filled = [SLAPD, "-T", "add", "-f", str(folder / "slapd.conf"), "-l", str(folder / "tree.ldif")]
    subprocess.run(filled, check=True, capture_output=True, timeout=60)
    url = f"ldap://127.0.0.1:{free_port()}"
    served = subprocess.Popen([SLAPD, "-d", "0", "-h", url, "-f", str(folder / "slapd.conf")])
    try:
        await_true(lambda: is_open(url))
        yield url
    finally:
        served.terminate()
        served.wait(30)


def is_open(url):
    try:
        socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def enter(app, directory, monkeypatch):
    """Signs in, each time from another network."""
    found = {"directory_url": directory, "directory_base": BASE, "directory_reader": READER,
             "directory_reader_password": SECRET}  # fmt: skip
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **found))

    def post(login, password):
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = f"198.18.7.{next(numbers)}"
        return client.post(ROUTE, json={"login": login, "password": password})

    return post


def test_a_name_and_its_password_open_a_session(enter):
    first, again = enter("ada", "secret of ada"), enter("ADA", "secret of ada")
    assert (first.status_code, again.status_code) == (200, 200), first.json
    user = first.json["user"]
    assert (user["email"], user["name"], user["emailVerified"]) == ("ada@directory.example", "Ada Byron", True)
    assert again.json["user"]["id"] == user["id"]


@pytest.mark.parametrize(
    ("login", "password"),
    [
        ("ada", "guess"),
        ("ada", ""),
        ("nobody", "secret of ada"),
        ("*", "secret of ada"),
        ("ada)(uid=*", "secret of ada"),
        ("ada\x00", "secret of ada"),
        ("bob", "secret of bob"),  # who has no address
    ],
)
def test_anything_else_is_refused_alike(enter, login, password):
    refused = enter(login, password)
    assert refused.status_code == (400 if "\x00" in login else 401), refused.json


def test_a_name_may_have_letters_that_filters_use(enter):
    assert enter("eve*", "secret of eve*").status_code == 200


def test_a_name_is_locked_however_it_is_written(app, enter):
    for written in ("bob", " bob", "BOB ", "  b\u00adob", "bob\u200b"):
        assert enter(written, "guess").status_code == 401
    assert enter("bob", "secret of bob").status_code == 401


@pytest.mark.parametrize("login", ["ada", "nobody"])
def test_a_password_that_no_directory_takes_is_a_wrong_one(enter, login):
    assert enter(login, "\u00ad").status_code == 401


def test_a_directory_that_is_away_is_said_to_be(app, enter, monkeypatch):
    away = replace(app.config["SETTINGS"], directory_url=f"ldap://127.0.0.1:{free_port()}")
    monkeypatch.setitem(app.config, "SETTINGS", away)
    assert enter("ada", "secret of ada").status_code == 503


def test_a_reader_that_is_not_known_is_no_wrong_password(app, enter, monkeypatch):
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], directory_reader_password="wrong"))
    assert enter("ada", "secret of ada").status_code == 503

"""flask teams: the app package and the look at the settings."""

from __future__ import annotations

import json
import struct
import zipfile

import pytest

from app.teams import tokens
from tests.teams.microsoft import APP_ID


@pytest.fixture
def run(teams):
    return lambda *arguments, app=teams: app.test_cli_runner().invoke(args=["teams", *arguments])


def test_the_package_has_a_manifest_for_the_host_and_icons_of_the_right_size(run, tmp_path):
    package = tmp_path / "app.zip"
    made = run("manifest", "--host", "app.example.test", "--output", str(package))
    assert made.exit_code == 0, made.output
    with zipfile.ZipFile(package) as opened:
        manifest = json.loads(opened.read("manifest.json"))
        sizes = {name: struct.unpack(">II", opened.read(name)[16:24]) for name in manifest["icons"].values()}
    assert sizes == {"color.png": (192, 192), "outline.png": (32, 32)}
    assert (manifest["id"], manifest["bots"][0]["botId"]) == (APP_ID, APP_ID)
    assert manifest["validDomains"] == ["app.example.test"]
    tab = manifest["configurableTabs"][0]
    assert tab["configurationUrl"] == "https://app.example.test/api/integrations/teams/tab/config"
    assert manifest["webApplicationInfo"]["resource"] == f"api://app.example.test/botid-{APP_ID}"
    assert len(manifest["name"]["short"]) <= 30
    assert len(manifest["description"]["short"]) <= 80


@pytest.mark.parametrize("arguments", [("--host", "https://x"), ("--host", "a b"), ("--host", "a.b", "--app-id", "x")])
def test_a_package_for_nobody_is_refused(run, tmp_path, arguments):
    package = tmp_path / "app.zip"
    assert run("manifest", *arguments, "--output", str(package)).exit_code == 2
    assert not package.exists()


def test_the_doctor_says_what_is_missing(run, app):
    looked = run("doctor", "--json", app=app)
    assert looked.exit_code == 1
    states = {each["setting"]: each["state"] for each in json.loads(looked.output)}
    assert (states["TEAMS_APP_ID"], states["TEAMS_APP_SECRET"], states["BASE_URL"]) == ("missing",) * 3


def test_the_doctor_is_content_with_what_is_set_up(run, build, teams, tmp_path):
    (tmp_path / "cert-1.pem").write_text("x")
    names = ("teams_app_id", "teams_app_secret", "teams_tenant_id", "microsoft_authority", "teams_bot_metadata_url")
    settings = {name: getattr(teams.config["SETTINGS"], name) for name in names}
    well = build(base_url="https://app.example.test", teams_certificates=str(tmp_path), **settings)
    looked = run("doctor", "--json", app=well)
    assert looked.exit_code == 0, looked.output
    assert {each["state"] for each in json.loads(looked.output)} == {"ok"}


def test_the_doctor_says_once_that_keys_are_away(run, build, caplog):
    away = build(teams_bot_metadata_url="http://127.0.0.1:9/keys")
    looked = run("doctor", app=away)
    assert looked.output.count("cannot be fetched") == 1
    assert [record for record in caplog.records if record.name.startswith("app.teams")] == []


def test_keys_that_are_away_are_asked_for_once(ms, monkeypatch):
    asked = []
    monkeypatch.setattr(tokens, "_read", lambda url: asked.append(url) or {})
    with pytest.raises(tokens.KeysAway):
        tokens.KeySet("https://keys.example.test").find("")
    assert asked == ["https://keys.example.test"]


def test_the_doctor_notices_credentials_that_microsoft_refuses(run, ms):
    ms.refuse_token = True
    states = {each["setting"]: each["state"] for each in json.loads(run("doctor", "--json").output)}
    assert states["MICROSOFT_AUTHORITY"] == "wrong"

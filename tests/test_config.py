"""Settings: read from the environment, typed, and refused by name."""

from __future__ import annotations

import pytest

from config import DECLARED, Setting, SettingError, Settings, declare, misspelt


def test_an_empty_environment_gives_the_defaults():
    assert Settings.from_environment({}) == Settings()


def test_values_are_typed():
    read = Settings.from_environment({"PORT": "4000", "QUERY_KEY_SAFE_ONLY": "on", "DATABASE_POOL_TIMEOUT": "1.5"})
    assert (read.port, read.query_key_safe_only, read.database_pool_timeout) == (4000, True, 1.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "many"),
        ("PORT", "0"),
        ("WORKERS", "0"),
        ("QUERY_KEY_SAFE_ONLY", "perhaps"),
        ("DATABASE_POOL_TIMEOUT", "soon"),
        ("DATABASE_URL", "mysql://x"),
        ("REDIS_URL", "http://x"),
        ("ENVIRONMENT", "staging"),
        ("SECRET_KEY", "short"),
        ("DEFAULT_LIMIT", "lots"),
        ("MAX_JSON_BYTES", "1"),
        ("PRODUCT_LOGO", "logo.svg"),
        ("PASSKEY_ORIGINS", "https://app.example.com/"),
        ("PRODUCT_LOGO", "https://cdn.example; script-src *"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(name, value):
    with pytest.raises(SettingError, match=name):
        Settings.from_environment({name: value})


def test_production_needs_a_secret_key():
    with pytest.raises(SettingError, match="SECRET_KEY is required"):
        Settings.from_environment({"ENVIRONMENT": "production"})
    assert Settings.from_environment({"ENVIRONMENT": "production", "SECRET_KEY": "x" * 32}).production


def test_the_hosts_are_those_of_the_setting_and_in_production_the_one_of_the_base_url():
    assert Settings().hosts == []
    assert Settings(base_url="https://a.example").hosts == []
    live = {"environment": "production", "secret_key": "x" * 32}
    assert Settings(**live, base_url="https://a.example:8443").hosts == ["a.example", "localhost", "127.0.0.1"]
    assert Settings(**live, base_url="https://a.example", allowed_hosts="b.example, .c.example").hosts == [
        "b.example", ".c.example", "localhost", "127.0.0.1"
    ]  # fmt: skip


@pytest.mark.parametrize(("host", "status"), [("a.example", 401), ("a.example:8443", 401), ("b.example", 400)])
def test_a_request_that_names_another_host_is_refused(build, host, status):
    app = build(allowed_hosts="a.example")
    response = app.test_client().get("/api/v1/crm/contact", headers={"Host": host})
    assert response.status_code == status
    assert response.json["code"] == ("UNAUTHENTICATED" if status == 401 else "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"), ("SECRETKEY", "SECRET_KEY"), ("CORS_ORIGIN", "CORS_ORIGINS"),
        ("DATABASE_URL", None), ("DATABASE_USER", None), ("HOSTNAME", None), ("PORTS", None),
    ],
)  # fmt: skip
def test_a_variable_that_is_nearly_a_setting_is_named(variable, meant):
    said = misspelt({variable: "x", "PATH": "/bin"})
    assert said == ([f"{variable} is no setting; did you mean {meant}?"] if meant else [])


def test_a_setting_that_is_there_is_not_what_another_variable_means():
    assert misspelt({"DATABSE_URL": "x", "DATABASE_URL": "y"}) == []


@pytest.mark.parametrize(
    ("low", "high", "value", "text"),
    [(1, None, "0", "at least 1"), (None, 9, "10", "at most 9"), (1, 9, "10", "between 1 and 9")],
)
def test_each_bound_of_a_setting_of_a_plugin_counts(monkeypatch, low, high, value, text):
    monkeypatch.setitem(DECLARED, "gizmos", Setting("gizmos", 5, "how many", low=low, high=high))
    assert Settings.from_environment({}).gizmos == 5
    with pytest.raises(SettingError, match=f"GIZMOS must be {text}"):
        Settings.from_environment({"GIZMOS": value})


def test_a_setting_that_no_plugin_brings_is_refused():
    with pytest.raises(SettingError, match="GIZMOS"):
        Settings(gizmos=5).check()
    with pytest.raises(SettingError, match="declared twice"):
        declare([Setting("port", 1, "taken")])

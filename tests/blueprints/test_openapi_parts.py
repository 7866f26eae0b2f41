"""The description in parts: each holds the paths of one domain, and what they refer to."""

from __future__ import annotations

import re

import pytest

from blueprints.openapi import api

DESCRIPTION = "/api/v1/openapi.json"
DOMAINS = [
    "ai", "ai-agent", "ai-rag", "ai-research", "analytics", "auth", "crm", "storage", "notification", "platform",
    "webhooks", "teams",
]  # fmt: skip
BY_HAND = {
    "/api/chat/history": "ai",
    "/api/auth/signin": "auth",
    "/api/auth/oauth/{provider}": "auth",
    "/api/v1/auth/api-key/{id}/rotate": "auth",
    "/api/v1/crm/company": "crm",
    "/api/upload/{id}/content": "storage",
    "/api/documents": "storage",
    "/api/integrations/teams/notifications/stream": "notification",
    "/api/integrations/teams/webhooks": "teams",
    "/api/integrations/teams/tab/session": "teams",
    "/api/teams/meetings": "teams",
}
REFERENCE = re.compile(r'"\$ref":"#/components/(\w+)/([^"]+)"')


@pytest.fixture(scope="module")
def whole(cast):
    return cast.nobody.get(DESCRIPTION).json


@pytest.fixture(scope="module")
def parts(cast):
    return {domain: cast.nobody.get(f"{DESCRIPTION}?domain={domain}").json for domain in DOMAINS}


def test_every_path_is_in_exactly_one_part(whole, parts):
    assert sorted(path for part in parts.values() for path in part["paths"]) == sorted(whole["paths"])


def test_a_part_says_of_its_paths_what_the_whole_says(whole, parts):
    for part in parts.values():
        assert part["paths"].items() <= whole["paths"].items()
        assert {name: part[name] for name in ("openapi", "info", "security", "servers")} == {
            name: whole[name] for name in ("openapi", "info", "security", "servers")
        }


def test_the_paths_of_models_are_in_the_part_of_their_domain(parts):
    for domain, part in parts.items():
        assert {path.split("/")[3] for path in part["paths"] if path.startswith("/api/v1/")} - {
            "_access",
            "_batch",
            "_catalogue",
            "_changes",
            "_dashboards",
            "_history",
            "_imports",
            "_jobs",
            "_webhooks",
            "_shared",
            "_undo",
            "_views",
            "{domain}",
        } <= {domain}


@pytest.mark.parametrize(("path", "domain"), BY_HAND.items())
def test_routes_written_by_hand_are_in_the_part_of_the_plugin_that_brings_them(parts, path, domain):
    assert path in parts[domain]["paths"]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_part_holds_the_components_that_its_paths_reach_and_no_others(cast, parts, domain):
    text = cast.nobody.get(f"{DESCRIPTION}?domain={domain}").text
    kinds = parts[domain]["components"]
    held = {(kind, name) for kind, found in kinds.items() if kind != "securitySchemes" for name in found}
    assert held == set(REFERENCE.findall(text))


def test_components_that_refer_to_each_other_alone_are_left_out(parts):
    assert not [name for name in parts["teams"]["components"]["schemas"] if name.endswith("Where")]


def test_a_part_keeps_the_ways_to_authenticate(whole, parts):
    for part in parts.values():
        assert part["components"]["securitySchemes"] == whole["components"]["securitySchemes"]


def test_a_part_has_the_tags_of_its_operations(parts):
    for part in parts.values():
        verbs = [verb for each in part["paths"].values() for name, verb in each.items() if name != "parameters"]
        used = {tag for verb in verbs for tag in verb["tags"]}
        assert used <= {tag["name"] for tag in part["tags"]}
    assert [tag["name"] for tag in parts["crm"]["tags"]] == ["crm", "company"]


def test_a_part_is_built_once(build, monkeypatch):
    client = build().test_client()
    first = client.get(f"{DESCRIPTION}?domain=crm").data
    monkeypatch.delattr(api, "part")
    assert client.get(f"{DESCRIPTION}?domain=crm").data == first


def test_a_domain_that_is_not_there_is_not_found(cast):
    response = cast.nobody.get(f"{DESCRIPTION}?domain=nowhere")
    assert (response.status_code, response.json["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("query", ["part=crm", "domain=crm&domain=auth"])
def test_what_else_is_asked_of_the_description_is_refused(cast, query):
    response = cast.nobody.get(f"{DESCRIPTION}?{query}")
    assert (response.status_code, response.json["code"]) == (400, "INVALID_FILTER")


def test_the_ui_offers_every_part(cast):
    page = cast.nobody.get("/api/v1/docs").text
    assert re.findall(r"docs\?domain=([\w-]+)", page) == DOMAINS


def test_the_ui_of_a_domain_that_is_not_there_is_not_found(cast):
    assert cast.nobody.get("/api/v1/docs?domain=nowhere").status_code == 404

"""Whoever may create a record may import it, and an import tells nothing that a GET or a single create would not."""

from __future__ import annotations

import pytest

from app.engine.declare.catalogue import every_model
from app.engine.declare.scope import Rule
from app.testing.workshop import Workshop
from tests.storage.imports.files import COMPANIES, CONTACTS, all_of, array, faults, lines, meta, send, table
from tests.writes import created

MODELS = [model for model in every_model() if not model.has_custom_routes]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
NONE = ["Refers to a record that does not exist."]


@pytest.fixture(scope="module")
def callers(cast):
    owner = cast.user()
    return {
        "owner": owner, "colleague": cast.colleague(owner), "stranger": cast.user(), "admin": cast.admin,
        "anonymous": cast.anonymous, "reading key": cast.key(owner, "read"), "writing key": cast.key(owner, "write"),
        "nobody": cast.nobody,
    }  # fmt: skip


@pytest.fixture(scope="module")
def workshop(cast, callers):
    return Workshop(cast, callers["owner"])


@every
def test_an_import_is_allowed_exactly_where_a_single_create_is(model, workshop, callers):
    path = model.collection_path()
    if model.policy.create is Rule.NONE:
        assert callers["admin"].send(
            "POST", f"{path}/_import", data=b"[]", content_type="application/json"
        ).status_code in (404, 405)
        return
    body = workshop.body(model)
    for name, actor in callers.items():
        imported = send(actor, path.removeprefix("/api/v1/"), array(body), "json", dryRun=True)
        single = actor.post(path, body)
        if imported.status_code != 200:
            assert imported.status_code == single.status_code, (name, imported.json, single.json)
            continue
        refused = imported.json["data"]
        assert bool(refused) == (single.status_code != 201), (name, refused, single.json)
        if refused and "code" in single.json:
            assert refused[0]["code"] == single.json["code"], name
        if single.status_code == 201 and name != "owner":
            workshop.cast.admin.delete(f"{path}/{single.json['id']}")


GRACE = {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com"}


@pytest.mark.parametrize("dry", [False, True])
def test_a_record_of_others_is_as_missing_as_one_that_is_not_there(owner, cast, dry):
    other = cast.user()
    theirs = created(other, COMPANIES, name="Secret Works")["id"]
    missing = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
    for one, another in ((theirs, missing), (theirs.upper(), missing.upper())):
        told = [
            send(owner, CONTACTS, table(GRACE | {"companyId": each}), dryRun=dry, partial=True).json
            for each in (one, another)
        ]
        assert told[0] == told[1]
    named = [
        faults(send(owner, CONTACTS, table(GRACE | {f"company.{name}": each}), dryRun=dry))
        for name, pair in {"name": ("Secret Works", "Nothing"), "id": (theirs, missing)}.items()
        for each in pair
    ]
    assert named == 2 * [{2: {"company.name": NONE}}] + 2 * [{2: {"company.id": NONE}}]


@pytest.mark.parametrize("dry", [False, True])
def test_what_others_have_taken_in_their_organization_is_free_in_ours(owner, cast, dry):
    other = cast.user()
    created(other, CONTACTS, **GRACE, companyId=created(other, COMPANIES, name="Works")["id"])
    own = created(owner, COMPANIES, name="Works")["id"]
    for options in ({}, {"onConflict": "email"}, {"onConflict": "email", "resolution": "ignore"}):
        answer = send(owner, CONTACTS, table(GRACE | {"companyId": own}), dryRun=True, **options)
        assert meta(answer) == {"rows": 1, "created": 1}
    assert meta(send(owner, CONTACTS, table(GRACE | {"companyId": own}), dryRun=dry)) == {"rows": 1, "created": 1}


def test_fields_of_public_records_that_only_their_own_see_find_nothing(owner, cast):
    other = cast.user()
    created(other, COMPANIES, name="Open Works", industry="espionage", visibility="public")
    for lookup in ({"company.name": "Open Works"}, {"company.industry": "espionage"}):
        assert faults(send(owner, CONTACTS, table(GRACE | lookup), dryRun=True)) == {2: {next(iter(lookup)): NONE}}


@pytest.mark.parametrize("column", ["owner.email", "owner.name", "createdBy.email", "organization.slug"])
def test_people_and_organizations_are_met_by_what_their_lists_can_be_asked_by(owner, cast, column):
    stranger = cast.admin.get(f"/api/v1/auth/user/{cast.user().user_id}").json
    value = stranger.get(column.partition(".")[2], "anything")
    company = created(owner, COMPANIES, name="Works")["id"]
    answer = send(
        owner, "crm/deal", lines({"name": "Deal", "companyId": company, column: value}), "ndjson", dryRun=True
    )
    assert list(faults(answer)[1].values()) in (["Unknown column."], [["Unknown column."]], [NONE])


def test_a_dry_run_leaves_no_trace(owner):
    before = owner.get("/api/v1/notification/notification").json["meta"]["count"]
    project = {"title": "Cranes", "objective": "To know."}
    assert meta(send(owner, "ai-research/project", array(project), "json", dryRun=True)) == {"rows": 1, "created": 1}
    assert all_of(owner, "ai-research/project") == []
    assert owner.get("/api/v1/notification/notification").json["meta"]["count"] == before

"""The description of the API: complete, consistent, and built only when asked for."""

from __future__ import annotations

import gc
import re
import time

import jsonschema
import pytest

from app.engine.declare.catalogue import every_model
from app.engine.declare.dictionary import dictionary
from app.foundation.errors import CODES
from blueprints.http.examples import EXAMPLE_ID
from config import ROOT
from docs import generate

APART = "/company|/auth/api-key(/|$)"
ENTRIES = [entry for domain in dictionary()["domains"] for entry in domain["models"]]
VERBS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
NOTHING, SUFFIXES = {"properties": {}}, ("", "Create", "Update")
# A method takes 255 parameters, itself among them, and long numbers count twice.
MOST_IN_JAVA = 240
EXPOSED = [model for model in every_model() if not model.has_custom_routes]


@pytest.fixture(scope="module")
def document(cast):
    return cast.nobody.get("/api/v1/openapi.json").json


def test_it_is_openapi_3_1_and_says_how_to_authenticate(document):
    assert document["openapi"] == "3.1.0"
    assert set(document["components"]["securitySchemes"]) == {"bearer", "cookie", "apiKey"}
    assert document["security"] == [{"bearer": []}, {"apiKey": []}]


def test_it_holds_a_hundred_and_six_explicit_paths_providers_and_company(document):
    published = [path for path in document["paths"] if "/_" not in path]
    generic = [path for path in published if path.startswith("/api/v1/") and not re.search(APART, path)]
    assert len([path for path in generic if path.removesuffix("/{id}") != "/api/v1/ai"]) == 106
    assert {"/api/v1/ai", "/api/v1/ai/{id}", "/api/v1/crm/company", "/api/v1/crm/company/{id}"} <= set(
        document["paths"]
    )


@pytest.mark.parametrize("model", EXPOSED, ids=lambda model: model.qualified_name())
def test_every_operation_of_a_model_is_described(document, model):
    collection = document["paths"][model.collection_path()]
    item = document["paths"][model.collection_path() + "/{id}"]
    verbs = {
        "list": collection.get("get"),
        "create": collection.get("post"),
        "read": item.get("get"),
        "update": item.get("put"),
        "patch": item.get("patch"),
        "delete": item.get("delete"),
    }
    for verb, operation in verbs.items():
        rule = getattr(model.policy, "update" if verb == "patch" else verb)
        assert (operation is None) == (rule.value == "none"), verb
        if operation is not None:
            assert operation["operationId"] == verb + model.__name__
            assert {"401", "403", "429", "500", "503"} <= set(operation["responses"])


@pytest.mark.parametrize(
    "entry", [model for domain in dictionary()["domains"] for model in domain["models"]], ids=lambda e: e["class"]
)
def test_the_schemas_hold_every_field_of_the_dictionary(document, entry):
    schemas = document["components"]["schemas"]
    for field in entry["fields"]:
        shown = field["access"] in ("normal", "readOnly", "immutable") and not field.get("returnedOnce")
        assert (field["name"] in schemas[entry["class"]]["properties"]) == shown, field["name"]
        if entry["operations"]["create"] != "none" and field["required"]:
            assert field["name"] in schemas[entry["class"] + "Create"]["required"]
        if shown and field["type"].startswith("enum["):
            described = schemas[entry["class"]]["properties"][field["name"]]
            assert described.get("enum") or described["examples"]


def test_operation_ids_are_unique_and_references_lead_somewhere(document):
    operations = [each for path in document["paths"].values() for verb, each in path.items() if verb != "parameters"]
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))
    for reference in _references(document):
        found = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_every_body_has_an_example_and_every_error_its_codes(document):
    operations = [each for path in document["paths"].values() for verb, each in path.items() if verb != "parameters"]
    for operation in operations:
        body = operation.get("requestBody")
        described = body and body["content"].get("application/json")  # a form needs no example
        assert not described or described["example"] is not None
    for response in document["components"]["responses"].values():
        assert response["content"]["application/json"]["example"]
    assert set(document["components"]["schemas"]["Error"]["properties"]["code"]["enum"]) == set(CODES)


def test_examples_of_plain_models_are_accepted_as_they_stand(document, cast):
    owner = cast.user()
    for path in ("/api/v1/ai/chat", "/api/v1/crm/company", "/api/v1/storage/document", "/api/v1/storage/upload"):
        example = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"]
        assert owner.post(path, example).status_code == 201, path


def cost(do):
    """Seconds of work that something takes, and what it gives."""
    started = time.process_time()
    given = do()
    return time.process_time() - started, given


@pytest.fixture
def tidy():
    """What the tests before have left is not looked through while something is measured."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def test_building_the_application_is_quick_and_leaves_the_description_for_later(build, tidy):
    applications = [cost(build) for _ in range(3)]
    assert min(seconds for seconds, _ in applications) < 1.5
    application = applications[0][1]
    first, _ = cost(lambda: application.test_client().get("/api/v1/openapi.json"))
    again, _ = cost(lambda: application.test_client().get("/api/v1/openapi.json"))
    assert again < first / 5


def _references(value):
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "$ref":
                yield each
            else:
                yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def test_the_description_that_is_kept_is_the_one_that_is_served():
    kept = (ROOT / "docs" / "openapi.json").read_text()
    assert kept == generate.openapi(), "run make tables"


def test_routes_of_people_take_the_bearer_or_the_cookie_and_no_key_in_the_query(document):
    taken = {
        tuple(sorted(name for each in operation["security"] for name in each))
        for path, operations in document["paths"].items()
        if not path.startswith("/api/v1/")
        for operation in operations.values()
        if isinstance(operation, dict) and operation.get("security")
    }
    assert taken == {("bearer", "cookie")}


def test_what_addresses_and_names_have_to_be_is_said(document):
    fields = document["components"]["schemas"]["CrmContactCreate"]["properties"]
    assert fields["email"]["format"] == "email"
    assert fields["firstName"]["pattern"] == r"\S"
    assert document["components"]["schemas"]["CrmCompanyCreate"]["properties"]["website"]["format"] == "uri"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["class"])
def test_update_types_hold_what_can_be_changed_and_read_only_fields_say_so(document, entry):
    schemas = document["components"]["schemas"]
    fields = {field["name"]: field for field in entry["fields"]}
    fixed = {name for name, field in fields.items() if field["access"] != "normal" and not field.get("writableBy")}
    shown, made, changed = (schemas.get(entry["class"] + suffix, NOTHING)["properties"] for suffix in SUFFIXES)
    assert not changed.keys() & (fixed & shown.keys() | {"id", "createdAt", "updatedAt"})
    for name, field in ((name, shown[name]) for name in shown.keys() & {"id", "createdAt", "updatedAt", *fields}):
        assert field.get("readOnly", False) <= (name not in changed), name
        if name in ("id", "createdAt", "updatedAt") or fields[name]["access"] == "readOnly":
            assert field.get("readOnly", False) or name in made, name


def test_the_bodies_of_the_sign_in_routes_say_their_rules(document):
    fields = document["components"]["schemas"]["SignUp"]["properties"]
    assert fields["email"]["format"] == "email"
    assert (fields["password"]["minLength"], fields["password"]["maxLength"]) == (8, 128)
    assert re.fullmatch(fields["callbackURL"]["pattern"], "/welcome")
    assert not re.fullmatch(fields["callbackURL"]["pattern"], "//evil.example")


def test_every_path_allows_what_is_described_and_refuses_the_rest(app, document):
    client = app.test_client()
    for path, operations in document["paths"].items():
        described = {method.upper() for method in operations if method != "parameters"} | {"OPTIONS"}
        allowed = described | ({"HEAD"} if "GET" in described else set())
        # OpenAPI 3.1 knows no QUERY; it is served where its POST twin is described, and on the collection.
        allowed |= {"QUERY"} if f"{path}/_query" in document["paths"] or path.endswith("/_aggregate") else set()
        filled = re.sub(r"\{[^}]*\}", EXAMPLE_ID, path)
        answers = [client.open(filled, method=method) for method in VERBS - allowed] + [client.options(filled)]
        assert [set(answer.headers["Allow"].split(", ")) for answer in answers] == [allowed] * len(answers), path
        assert {answer.status_code for answer in answers[:-1]} <= {405}, path


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["class"])
def test_the_schema_of_a_query_says_what_is_searched(document, entry):
    assert document["components"]["schemas"][entry["class"] + "Query"].get("x-searchable") == entry.get("searchable")


def test_members_that_expand_adds_are_described_beside_the_fields(document):
    for name, schema in document["components"]["schemas"].items():
        for relation, to in schema.get("x-relations", {}).items():
            record = document["components"]["schemas"][name.removesuffix("Query")]
            assert relation not in record["required"]
            said = record["properties"][relation]
            assert (said["items"] if to["many"] else said["anyOf"][0])["$ref"].endswith(f"/{to['model']}"), relation


def fits(document, schema, answer):
    """Refuse an answer that is not as ``schema`` of the document says."""
    assert answer.status_code < 300, answer.json
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(answer.json)


def schema_of(document, path, method, answer):
    operation = document["paths"][path][method]
    return operation["responses"][str(answer.status_code)]["content"]["application/json"]["schema"]


def test_an_expanded_record_fits_the_schema_of_its_answer(document, cast):
    owner = cast.user()
    company = owner.post("/api/v1/crm/company", {"name": "Harbour Works"}).json["id"]
    owner.post("/api/v1/crm/deal", {"name": "Cranes", "companyId": company})
    deals = owner.get("/api/v1/crm/deal?expand=company.deals,contact,owner")
    assert deals.json["data"][0]["company"]["deals"][0]["name"] == "Cranes"
    fits(document, schema_of(document, "/api/v1/crm/deal", "get", deals), deals)
    one = owner.get(f"/api/v1/crm/company/{company}?expand=deals,contacts")
    fits(document, schema_of(document, "/api/v1/crm/company/{id}", "get", one), one)


@pytest.mark.parametrize(
    ("query", "many", "status"),
    [
        ("", False, 201), ("", True, 201), ("?return=minimal", False, 201), ("?return=minimal", True, 201),
        ("?onConflict=email", False, 200), ("?onConflict=email&resolution=ignore", True, 200),
        ("?onConflict=email&return=minimal", True, 200),
    ],
)  # fmt: skip
def test_each_form_of_making_records_is_sent_and_answered_as_described(document, cast, query, many, status):
    owner, path = cast.user(), "/api/v1/crm/contact"
    company = owner.post("/api/v1/crm/company", {"name": "Harbour Works"}).json["id"]
    contact = {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com", "companyId": company}
    if status == 200:
        owner.post(path, contact)
    body = [contact] if many else contact
    sent = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**sent, "components": document["components"]}).validate(body)
    answer = owner.post(path + query, body)
    assert answer.status_code == status
    fits(document, schema_of(document, path, "post", answer), answer)


@pytest.mark.parametrize("query", ["", "?return=minimal"])
def test_changes_of_many_records_are_answered_as_described(document, cast, query):
    owner, path = cast.user(), "/api/v1/crm/company"
    company = owner.post(path, {"name": "Harbour Works"}).json["id"]
    answer = owner.patch(path + query, [{"id": company, "name": "Dock Works"}])
    fits(document, schema_of(document, path, "patch", answer), answer)


def test_an_export_as_json_is_described_as_records(document, cast):
    owner = cast.user()
    owner.post("/api/v1/crm/company", {"name": "Harbour Works"})
    answer = owner.get("/api/v1/crm/company/_export?as=json")
    assert answer.json[0]["name"] == "Harbour Works"
    fits(document, schema_of(document, "/api/v1/crm/company/_export", "get", answer), answer)


def test_equality_and_one_hop_to_one_record_are_parameters_of_lists(document, cast):
    parameters = document["components"]["parameters"]
    listed = document["paths"]["/api/v1/crm/deal"]["get"]["parameters"]
    names = {(parameters[each["$ref"].rpartition("/")[2]] if "$ref" in each else each)["name"] for each in listed}
    assert {"amount", "amount[eq]", "stage[eq]", "company.industry", "owner.name", "contact.email"} <= names


def test_parameters_of_one_name_for_generators_are_described_once(document):
    parameters = document["components"]["parameters"]
    for path, operations in document["paths"].items():
        listed = [each for each in operations.get("get", {}).get("parameters", ()) if each != "parameters"]
        names = [(parameters[each["$ref"].rpartition("/")[2]] if "$ref" in each else each)["name"] for each in listed]
        written = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
        assert len(written) == len(set(written)), path
        assert len(written) < MOST_IN_JAVA, path


@pytest.mark.parametrize("name", ["AccessList", "AuthApiKey", "AuthApiKeyCreate", "AuthInvitationCreate"])
def test_a_list_of_grants_says_what_it_holds(document, name):
    described = document["components"]["schemas"][name]["properties"]["access"]
    assert described["type"] == ["array", "null"]
    assert described["items"] == {"$ref": "#/components/schemas/Grant"}

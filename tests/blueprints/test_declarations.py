"""Routes by hand: what is declared of one decides its guard, its query, its body and its description."""

from __future__ import annotations

import pytest

from app.auth.credentials.access import credentials_required, open_to_all, session_welcome
from app.auth.credentials.login import login_required
from app.factory import create_app
from app.testing.parts import close_application
from blueprints.http.base import Blueprint
from blueprints.http.base import answer as respond
from blueprints.http.declarations import ANY_QUERY, Answer, Body, Operation, serve
from schemas.content.documents import DocumentCreate

ALWAYS = {"429", "500", "503"}
ACCESS = {
    "open": open_to_all("a test"),
    "optional": session_welcome("a test"),
    "data": credentials_required(),
    "people": login_required(),
}
SORT = [{"name": "sort", "in": "query", "schema": {"type": "string"}}]


# By name: method, path below it, access, what else is declared, and the statuses of failures that follow.
ROUTES = {
    "open": ("GET", "", "open", {}, set()),
    "open-post": ("POST", "", "open", {}, {"400"}),
    "optional": ("GET", "", "optional", {}, {"400", "403"}),
    "data": ("GET", "", "data", {}, {"400", "401", "403"}),
    "item": ("GET", "/<string:id>", "people", {}, {"400", "401", "403", "404"}),
    "people": ("GET", "", "people", {}, {"400", "401", "403"}),
    "body": ("POST", "", "data", {"takes": Body(DocumentCreate)}, {"400", "401", "403", "413", "415"}),
    "conflict": ("DELETE", "/<string:id>", "data", {"fails": (409,)}, {"400", "401", "403", "404", "409"}),
    "sorted": ("GET", "", "data", {"query": SORT}, {"400", "401", "403"}),
    "any": ("GET", "", "data", {"query": ANY_QUERY}, {"400", "401", "403"}),
    "made": (
        "POST", "", "data",
        {
            "takes": Body(DocumentCreate, example={"title": "A"}),
            "gives": Answer(example={"id": 1}, status=201),
        },
        {"400", "401", "403", "413", "415"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def client(app, settings):
    """An application with these routes besides."""
    application = create_app(settings)
    blp = Blueprint("gizmos", __name__, url_prefix="/api/v1/gizmos", description="Gizmos.")
    for name, (method, path, access, declared, _) in ROUTES.items():
        operation = Operation(name, "Use a gizmo", access=ACCESS[access], **declared)
        serve(blp, method, f"/{name}{path}", operation)(lambda given=None, id=None: respond({"given": given, "id": id}))
    application.extensions["flask-smorest"]["apis"][""]["ext_obj"]._api.register_blueprint(blp, domain="gadgets")
    yield application.test_client()
    close_application(application)


@pytest.fixture(scope="module")
def described(client):
    paths = client.get("/api/v1/openapi.json").json["paths"]
    found = {path.split("/")[4]: methods for path, methods in paths.items() if path.startswith("/api/v1/gizmos/")}
    return {name: found[name][method.lower()] for name, (method, *_) in ROUTES.items()}


@pytest.mark.parametrize(("name", "statuses"), [(name, route[4]) for name, route in ROUTES.items()])
def test_the_statuses_of_failures_follow_from_the_declaration(described, name, statuses):
    success = "201" if name == "made" else "200"
    assert described[name]["responses"].keys() == {success} | ALWAYS | statuses


@pytest.mark.parametrize(("access", "security"), [("open", []), ("optional", [{}, {"bearer": []}, {"cookie": []}])])
def test_the_description_says_which_credential_is_needed(described, access, security):
    assert described[access]["security"] == security


def test_examples_and_the_status_of_success_are_described(described):
    made = described["made"]
    assert made["requestBody"]["content"]["application/json"]["example"] == {"title": "A"}
    assert made["responses"]["201"]["content"]["application/json"]["example"] == {"id": 1}


@pytest.mark.parametrize(
    ("name", "sent", "status"),
    [
        ("data", "", 200),
        ("data", "?sort=name", 400),
        ("sorted", "?sort=name", 200),
        ("sorted", "?sort=name&sort=id", 400),
        ("any", "?whatever=1", 200),
        ("people", "?api_key=x", 400),
        ("open", "?x=1", 400),
    ],
)
def test_query_parameters_that_are_not_declared_are_refused(client, cast, name, sent, status):
    headers = {"Authorization": f"Bearer {cast.user().token}"}
    response = client.get(f"/api/v1/gizmos/{name}{sent}", headers=headers)
    assert response.status_code == status, response.json
    if status == 400:
        assert response.json["code"] == "INVALID_FILTER"


def test_a_body_is_read_by_its_schema(client, cast):
    headers = {"Authorization": f"Bearer {cast.user().token}"}
    assert client.post("/api/v1/gizmos/body", json={"title": "A"}, headers=headers).json["given"] == {"title": "A"}
    assert client.post("/api/v1/gizmos/body", json={"titel": "A"}, headers=headers).status_code == 400


@pytest.mark.parametrize(("name", "status"), [("data", 401), ("people", 401), ("open", 200), ("optional", 200)])
def test_a_route_is_guarded_as_it_declares(client, name, status):
    assert client.get(f"/api/v1/gizmos/{name}").status_code == status

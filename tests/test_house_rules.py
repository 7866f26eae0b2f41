"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.auth.credentials.access import Access
from app.engine.declare.catalogue import every_model
from app.engine.declare.dictionary import dictionary
from app.engine.declare.policy import Policy
from app.foundation.errors import CODES, Failure
from config import ROOT, every_setting

SOURCES = [
    path
    for folder in ("rowgate", "app", "blueprints", "schemas", "tests", "bench", "publishing")
    for path in sorted((ROOT / folder).rglob("*.py"))
] + [ROOT / "config.py", ROOT / "wsgi.py", ROOT / "gunicorn.conf.py"]
OURS = [path for path in SOURCES if not {"tests", "bench", "publishing"} & {*path.relative_to(ROOT).parts[:1]}]
# Pages of secrets in mails; without one they say so.
LINKED_TO = ("verify", "reset", "revert", "invitation")
FORBIDDEN = re.compile(r"^(utils?|helpers?|common|misc|core|lib)$")


def test_every_route_declares_who_may_call_it(app):
    undeclared = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if not isinstance(getattr(app.view_functions[rule.endpoint], "access", None), Access)
    ]
    assert undeclared == []


def test_a_route_without_a_declaration_is_refused(build, cast):
    application = build()
    application.add_url_rule("/api/v1/forgotten", "forgotten", lambda: "x")
    response = application.test_client().get(
        "/api/v1/forgotten", headers={"Authorization": f"Bearer {cast.admin.token}"}
    )
    assert response.status_code == 403


def test_open_routes_say_why(app):
    rules = [(rule, app.view_functions[rule.endpoint].access) for rule in app.url_map.iter_rules()]
    rules = [(rule, access) for rule, access in rules if not rule.endpoint.startswith("account.")]
    assert {rule.rule for rule, access in rules if access.open} == {
        "/", "/healthz", "/readyz", "/api/v1/openapi.json", "/api/v1/docs", "/api/v1/docs/<path:name>",
        "/static/<path:filename>", "/api/auth/signup", "/api/auth/signin", "/api/auth/signin/<string:way>",
        "/api/auth/oauth/<string:provider>/callback",
        "/api/integrations/teams/webhooks", "/api/integrations/teams/tab/session", "/api/integrations/teams/tab/config",
        "/teams-tab", "/metrics", "/console", "/console/", "/console/<path:page>", "/console/assets/<path:name>",
        "/console/extensions/<string:plugin>/<path:name>", "/mailbox", "/mailbox/<uuid:id>", "/mailbox/<uuid:id>/html",
        "/api/v1/_shared/<string:token>",
        "/api/auth/verify-email/resend", "/api/auth/forgot-password", "/api/auth/reset-password",
        "/api/auth/change-email/revert", "/api/auth/two-factor/challenge", "/api/auth/passkey/sign-in/options",
        "/api/auth/passkey/sign-in/verify", "/api/auth/invitation", "/api/auth/invitation/reject",
        "/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
    }  # fmt: skip
    optional = {(rule.rule, *(rule.methods - {"HEAD", "OPTIONS"})) for rule, access in rules if access.optional}
    assert optional == {
        ("/api/v1/auth/api-key", "POST"), ("/api/auth/session", "GET"), ("/api/auth/signout", "POST"),
        ("/api/auth/oauth/<string:provider>", "POST"), ("/api/auth/verify-email", "POST"),
        ("/api/auth/invitation/accept", "POST"),
    }  # fmt: skip


def test_account_pages_know_who_is_signed_in_and_but_for_the_ways_in_lead_there(app):
    client = app.test_client()
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("account.")]
    # Programs for mail know the link that ends notifications, and nobody's session; clients send browsers to one page,
    # which leads to another that asks who is signed in.
    open_ones = [rule.endpoint for rule in rules if app.view_functions[rule.endpoint].access.open]
    assert sorted(open_ones) == ["account.authorize", "account.end_mail"]
    rules = [rule for rule in rules if rule.endpoint not in open_ones]
    assert len(rules) > 20
    answered = {}
    for rule in rules:
        assert app.view_functions[rule.endpoint].access.optional, rule.rule
        path = re.sub(r"<[^>]*>", "01a1fedd-47f3-7536-a333-810773c4a6d4", rule.rule)
        for method in rule.methods - {"OPTIONS"}:
            response = client.open(path, method=method)
            leads = response.headers.get("Location", "").startswith("/account/sign-in?next=/account")
            answered[rule.rule, method] = "leads" if leads else response.status_code
    others = {place: answer for place, answer in answered.items() if answer != "leads"}
    assert others == {
        ("/account/sign-in", "GET"): 200, ("/account/sign-in", "HEAD"): 200, ("/account/sign-in", "POST"): 400,
        ("/account/sign-up", "GET"): 200, ("/account/sign-up", "HEAD"): 200, ("/account/sign-up", "POST"): 400,
        ("/account/sign-in/<string:way>", "GET"): 404, ("/account/sign-in/<string:way>", "HEAD"): 404,
        ("/account/sign-in/<string:way>", "POST"): 404,
        ("/account/providers/<string:provider>", "POST"): 400,
        # The second step of a sign-in leads to its first, and a link in a mail says who acts.
        ("/account/second-factor", "GET"): 303, ("/account/second-factor", "HEAD"): 303,
        ("/account/second-factor", "POST"): 303, ("/account/second-factor/ask", "POST"): 400,
        ("/account/forgot", "GET"): 200, ("/account/forgot", "HEAD"): 200, ("/account/forgot", "POST"): 400,
        ("/account/forgot/sent", "GET"): 200, ("/account/forgot/sent", "HEAD"): 200,
        **{(f"/account/{page}", method): 400 for page in LINKED_TO for method in ("GET", "HEAD", "POST")
           if (page, method) != ("invitation", "POST")},
        ("/account/verify/resend", "POST"): 400, ("/account/invitation/join", "POST"): 400,
        ("/account/invitation/decline", "POST"): 400, ("/account/invitation/sign-out", "POST"): 400,
        ("/account/unsubscribe", "GET"): 404, ("/account/unsubscribe", "HEAD"): 404,
    }  # fmt: skip


def test_routes_of_people_that_need_a_login_refuse_whoever_has_none(app):
    client = app.test_client()
    asked = [
        (method, re.sub(r"<[^>]*>", "01a1fedd-47f3-7536-a333-810773c4a6d4", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"OPTIONS"}
        if (access := app.view_functions[rule.endpoint].access).people and not access.optional
    ]
    assert len(asked) > 20
    assert {(method, path): client.open(path, method=method).status_code for method, path in asked} == dict.fromkeys(
        asked, 401
    )


def test_cookies_count_on_consumer_routes_and_account_pages_only(app):
    rules = [(rule.rule, app.view_functions[rule.endpoint].access) for rule in app.url_map.iter_rules()]
    counting = [path for path, access in rules if access.people]
    assert all(re.match(r"/api/(?!v1)|/account(/|\Z)", path) for path in counting)


def test_the_catalogue_has_the_published_totals():
    assert dictionary()["totals"] == {"domains": 10, "models": 55, "guideModels": 1, "explicitRoutes": 106}
    counts = {
        domain["name"]: len([m for m in domain["models"] if "routes" not in m]) for domain in dictionary()["domains"]
    }
    assert counts == {
        "ai": 11, "ai-agent": 5, "ai-rag": 7, "ai-research": 6, "analytics": 4, "auth": 13, "crm": 2, "storage": 3,
        "notification": 2, "platform": 2,
    }  # fmt: skip


@pytest.mark.every_model
@pytest.mark.parametrize("model", list(every_model()), ids=lambda model: model.__name__)
def test_every_model_has_a_policy_a_text_and_fields_of_one_kind(model):
    assert isinstance(model.__dict__["policy"], Policy)
    assert model.model_summary().endswith(".")
    for field in model.fields().values():
        marks = [mark for mark in field.spec.flags if mark.value in ("readOnly", "writeOnly", "immutable", "hidden")]
        assert len(marks) <= 1, field.name
        assert field.column is None or field.column.info["spec"] is field.spec
    for name in model.transitions:
        assert set(model.transitions[name]) <= set(model.fields()[name].spec.kind.values)


def test_modules_are_named_for_something_have_a_sentence_and_fit_a_sitting():
    def breaks(path):
        text = path.read_text()
        needs_sentence = path.name != "__init__.py" or path in OURS
        if FORBIDDEN.match(path.stem) or len(text.splitlines()) > 300:
            return True
        return needs_sentence and not ast.get_docstring(ast.parse(text))

    assert [str(path.relative_to(ROOT)) for path in SOURCES if breaks(path)] == []


@pytest.fixture(scope="module")
def nodes():
    """The parts of our modules, each beside the file that it is in."""
    return [(path, node) for path in OURS for node in ast.walk(ast.parse(path.read_text()))]


def test_functions_fit_a_screen(nodes):
    functions = ((path, node) for path, node in nodes if isinstance(node, ast.FunctionDef))
    assert [(path.name, node.name) for path, node in functions if node.end_lineno - node.lineno >= 40] == []


def test_the_environment_is_read_in_one_place(nodes):
    # A child process inherits the environment whole; the library for metrics is told its folder by it.
    # The test kit is loaded where the service is none of the project's.
    places = ("config.py", "serve.py", "gunicorn.conf.py")
    others = ((path, node) for path, node in nodes if path.name not in places and path.parent.name != "testing")
    attributes = ((path, node) for path, node in others if isinstance(node, ast.Attribute))
    reads = [path.name for path, node in attributes if ast.unparse(node) in ("os.getenv", "os.environ")]
    assert reads == []


def test_every_setting_is_documented():
    text = (ROOT / "docs" / "settings.md").read_text()
    missing = [name for name, _, _ in every_setting() if f"`{name}`" not in text]
    assert missing == []


def test_every_error_code_is_documented_and_used_or_announced():
    text = (ROOT / "docs" / "errors.md").read_text()
    assert [code for code in CODES if f"`{code}`" not in text] == []
    failures = [failure for failure in subclasses(Failure) if failure.__module__ == "app.foundation.errors"]
    assert {failure.code for failure in failures} <= set(CODES)
    others = "".join(path.read_text() for path in OURS if path.name != "errors.py")
    unused = {each.__name__ for each in failures if not each.__subclasses__() and each.__name__ not in others}
    assert unused == set()


def subclasses(of):
    return [each for direct in of.__subclasses__() for each in (direct, *subclasses(direct))]


def test_the_readme_tells_how_many_lines_there_are_to_read():
    told = int(re.search(r"about\s+([\d,]+) lines of Python", (ROOT / "README.md").read_text())[1].replace(",", ""))
    modules = [path for folder in ("rowgate", "app", "blueprints", "schemas") for path in (ROOT / folder).rglob("*.py")]
    lines = sum(len(path.read_text().splitlines()) for path in [*modules, ROOT / "config.py", ROOT / "wsgi.py"])
    assert abs(lines - told) < told / 10


def test_text_in_the_project_speaks_of_the_project_only():
    folders = ("rowgate", "app", "blueprints", "schemas", "docs", "bench", "publishing", "tests")
    texts = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".html")
    ]
    for path in [*texts, ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "Makefile"]:
        named = path.name != Path(__file__).name and re.search(r"/work/|/root/|\.\./shared", path.read_text())
        assert not named, path


def test_one_place_commits():
    """Units of work do, so that no write misses the retry, the hooks and the audit log of its transaction. The steps
    of migrations are no writes of records."""
    ending = re.compile(r"\b(session|connection|database)\.(commit|rollback|begin)\(|\battempt\(|\bsessionmaker\b")
    running = [path for path in OURS if "testing" not in path.parts]
    found = [str(path.relative_to(ROOT)) for path in running if ending.search(path.read_text())]
    assert found == ["app/engine/write/unit_of_work.py", "app/schema/online.py"]

"""Builds the application with gadgets, as PLUGINS names them, and uses all that they bring; prints what came of it."""

from __future__ import annotations

import json

from gadgets.models import Gadget, GadgetPart

from app.auth.accounts import users
from app.auth.credentials import sessions
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.jobs import registry
from wsgi import app

PERIOD = {"periodStart": "2026-01-01T00:00:00Z", "periodEnd": "2026-12-31T00:00:00Z"}

with app.app_context():
    for table in (Gadget.__table__, GadgetPart.__table__):
        table.create(db.engine)
    people = [run_unit(SYSTEM, users.register, email=f"{n}@example.com", password="correct horse") for n in "ab"]
    tokens = [run_unit(SYSTEM, sessions.open_session, each).token for each in people]


def call(method, path, token=tokens[0], **options):
    headers = {"Authorization": f"Bearer {token}"}
    return app.test_client().open(path, method=method, headers=headers, **options)


found = {}
gadget = call("POST", "/api/v1/gadgets/gadget", json={"name": "Lever"}).json
part = {"gadgetId": gadget["id"], "name": "Arm"}
found["parts"] = [call("POST", "/api/v1/gadgets/part", json=part).status_code for _ in range(4)]
found["refusal"] = call("POST", "/api/v1/gadgets/part", json=part).json
found["report"] = call("POST", "/api/v1/analytics/report", json={"name": "R", "kind": "gadgets", **PERIOD}).status_code
registry.work(app, concurrency=1, until_empty=True)
found["gadget"] = call("GET", f"/api/v1/gadgets/gadget/{gadget['id']}").json
found["stranger"] = call("GET", f"/api/v1/gadgets/gadget/{gadget['id']}", tokens[1]).status_code
found["notifications"] = [
    (each["type"], each["title"]) for each in call("GET", "/api/v1/notification/notification").json["data"]
]
report = call("GET", "/api/v1/analytics/report").json["data"][0]
found["rows"] = call("GET", f"/api/v1/analytics/report/{report['id']}").json["data"]
found["count"] = call("GET", "/api/v1/gadgets-count").json
found["unnamed"] = app.test_client().get("/api/v1/gadgets-count").status_code
found["preferences"] = call("GET", "/api/integrations/teams/notifications/preferences").json["types"]["GADGET_TESTED"]
document = app.test_client().get("/api/v1/openapi.json").json
found["paths"] = sorted(path for path in document["paths"] if "gadget" in path)
found["codes"] = [
    code for code in document["components"]["schemas"]["Error"]["properties"]["code"]["enum"] if "GADGET" in code
]
runner = app.test_cli_runner()
found["command"] = runner.invoke(args=["gadgets"]).output
found["plugins"] = [
    each for each in json.loads(runner.invoke(args=["plugins", "--json"]).output) if each["name"] == "gadgets"
]
print(json.dumps(found))

"""Uses what plain_flask brings, as PLUGINS names it; prints what came of it."""

from __future__ import annotations

import json

from flask import g

from app.auth.accounts import users
from app.auth.credentials import sessions
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from wsgi import app

with app.app_context():
    user = run_unit(SYSTEM, users.register, email="reader@example.com", password="correct horse")
    token, user_id = run_unit(SYSTEM, sessions.open_session, user).token, str(user.id)
client = app.test_client()
bearer = {"Authorization": f"Bearer {token}"}
with client:
    home = client.get("/library/")
    noted = g.noted
answers = {name: client.get(f"/library/{name}") for name in ("mine", "old", "late", "broken", "forgotten")}
print(json.dumps({
    "home": [home.status_code, home.text, home.headers["X-Library"], noted],
    "closed": client.get("/library/?closed=1").text,
    "mine": client.get("/library/mine", headers=bearer).json == {"user": user_id},
    "nobody": answers["mine"].status_code,
    "old": [answers["old"].status_code, answers["old"].headers["Location"]],
    "late": [answers["late"].status_code, answers["late"].json],
    "broken": [answers["broken"].status_code, answers["broken"].json],
    "forgotten": answers["forgotten"].status_code,
}))  # fmt: skip

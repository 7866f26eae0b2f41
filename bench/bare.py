"""The least a Flask service can do: one route with a constant answer, the measure of everything else."""

from __future__ import annotations

from flask import Flask, Response

PATH = "/"

app = Flask(__name__)


@app.get(PATH)
def constant() -> Response:
    return Response(b'{"status":"ok"}', content_type="application/json")

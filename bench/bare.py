"""The least a Flask service can do: one route with a constant answer, the measure of everything else."""

from __future__ import annotations

from flask import Flask, Response

from config import Settings

PATH = "/"

app = Flask(__name__)
app.config["SETTINGS"] = Settings.from_environment()  # of the worker that serves it


@app.get(PATH)
def constant() -> Response:
    return Response(b'{"status":"ok"}', content_type="application/json")

"""Short forms for the tests of what follows writes."""

from __future__ import annotations


def created(actor, path, **body):
    """Create a record that has to be accepted, and return it."""
    response = actor.post(f"/api/v1/{path}", body)
    assert response.status_code == 201, response.json
    return response.json


def changed(actor, path, record, **body):
    """Send changes of a record and return the answer."""
    return actor.put(f"/api/v1/{path}/{record['id']}", body)


def messages(response, field):
    """The messages about ``field`` of an answer that has to be a refusal."""
    assert response.status_code == 400, response.json
    return response.json["details"]["fields"][field]

"""The steps that the project of ``rowgate new`` answers, whatever it is written with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.peers.beside import Service

PAST = "2000-01-01T00:00:00Z"


def steps(service: Service) -> Iterator[str]:
    """The names of the steps, each once it has held."""
    project = _made(service, "owner", "projects", {"name": "Bridge"})["id"]
    theirs = _made(service, "stranger", "projects", {"name": "Tunnel"})["id"]
    task = _made(service, "owner", "tasks", {"project": project, "title": "Draw it", "due_at": PAST})
    _made(service, "colleague", "tasks", {"project": project, "title": "Build it"})
    assert task["state"] == "open"
    assert not task["completed_at"]
    yield "create"
    status, page = service.ask("colleague", "GET", service.chosen(project, "open"))
    assert status == 200
    assert ([each["title"] for each in page[service.items]], page[service.total]) == (["Build it"], 2)
    yield "list with a filter, a sort, a page and a count"
    where = service.path("tasks", task["id"])
    asked: list[tuple[str, str, Any]] = [
        ("GET", where, None), ("PATCH", where, {"title": "x"}), ("DELETE", where, None),
        ("POST", service.completion(task["id"]), None), ("GET", service.path("projects", project), None),
    ]  # fmt: skip
    assert [service.ask("stranger", *each)[0] for each in asked] == [404] * 5
    assert service.ask("stranger", "GET", service.path("tasks"))[1][service.total] == 0
    yield "refuse a stranger"
    for given in ({"title": ""}, {"title": "x" * 201}, {"state": "gone"}, {"project": theirs}):
        status, _ = service.ask("owner", "PATCH", where, given)
        assert status == 400, given
    assert service.ask("owner", "POST", service.path("tasks"), {"project": theirs, "title": "x"})[0] == 400
    yield "refuse what is not valid, and a project of others"
    service.remind()
    service.remind()
    assert service.told("owner") == ["TASK_OVERDUE"]
    yield "remind once"
    first = service.ask("colleague", "POST", service.completion(task["id"]))
    assert (first[0], first[1]["state"]) == (200, "done")
    assert first[1]["completed_at"]
    assert service.told("owner") == ["TASK_COMPLETED", "TASK_OVERDUE"]
    second = service.ask("owner", "POST", service.completion(task["id"]))
    assert (second[0], second[1]["completed_at"]) == (200, first[1]["completed_at"])
    assert service.told("owner") == ["TASK_COMPLETED", "TASK_OVERDUE"]
    yield "complete twice"
    opened = service.ask("owner", "PATCH", where, {"state": "open"})
    assert (opened[0], bool(opened[1]["completed_at"])) == (200, False)
    service.ask("owner", "PATCH", where, {"completed_at": PAST})
    assert not service.ask("owner", "GET", where)[1]["completed_at"]
    yield "open again, with completed_at the server's alone"
    assert service.ask("owner", "DELETE", where)[0] == 204
    assert service.ask("owner", "GET", where)[0] == 404
    yield "delete"


def _made(service: Service, who: str, collection: str, given: dict[str, Any]) -> dict[str, Any]:
    status, body = service.ask(who, "POST", service.path(collection), given)
    assert status in (200, 201), (status, body)
    made: dict[str, Any] = body
    return made

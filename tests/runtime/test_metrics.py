"""What Prometheus reads: who may, and that the numbers are those of the requests."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from app.extensions import READS, db
from app.jobs import queue
from app.testing.cast import Actor
from app.testing.database import unit_of_work

LIST = "/api/v1/crm/deal"


def measured(app, **options):
    """Every sample, by name and labels."""
    response = app.test_client().get("/metrics", **options)
    assert response.status_code == 200
    assert response.content_type.startswith("text/plain")
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def of(samples, name, **labels):
    return samples.get((name, *sorted(labels.items())), 0)


def test_requests_are_counted_by_route_and_status(app, owner):
    before = measured(app)
    for _ in range(3):
        owner.get(LIST)
    Actor(app).get(LIST)
    after = measured(app)

    def more(name, **labels):
        return of(after, name, **labels) - of(before, name, **labels)

    assert more("rowgate_requests_total", method="GET", route=LIST, status="200") == 3
    assert more("rowgate_requests_total", method="GET", route=LIST, status="401") == 1
    assert more("rowgate_request_seconds_count", method="GET", route=LIST) == 4
    assert more("rowgate_request_seconds_bucket", method="GET", route=LIST, le="+Inf") == 4


def test_a_part_that_nobody_has_set_up_is_no_failure_in_metrics_and_logs(app, owner, caplog):
    before, route = measured(app), "/api/integrations/teams/messages"
    answer = owner.post(route, {"channelId": "19:x", "message": "Hello"})
    assert (answer.status_code, answer.json["code"]) == (503, "UNAVAILABLE")
    after = measured(app)
    counted = {"method": "POST", "route": route, "status": "not_set_up"}
    assert of(after, "rowgate_requests_total", **counted) - of(before, "rowgate_requests_total", **counted) == 1
    assert of(after, "rowgate_requests_total", **{**counted, "status": "503"}) == 0
    assert [each for each in caplog.records if each.name == "rowgate"] == []


def test_addresses_and_methods_that_are_made_up_make_no_series(app):
    for name in ("one", "two"):
        app.test_client().open(f"/nowhere/{name}", method="BREW")
    routes = {dict(key[1:]).get("route") for key in measured(app) if key[0] == "rowgate_requests_total"}
    assert "unmatched" in routes
    assert not any("nowhere" in route for route in routes if route)
    methods = {dict(key[1:]).get("method") for key in measured(app) if key[0] == "rowgate_requests_total"}
    assert "BREW" not in methods


def test_identifiers_are_in_no_route(app, owner):
    owner.get(f"{LIST}/00000000-0000-7000-8000-000000000000")
    routes = {dict(key[1:]).get("route") for key in measured(app)}
    assert f"{LIST}/<string:id>" in routes


def test_refusals_of_limits_are_counted_by_their_name(build, app):
    limited = build(default_limit="1 per minute")
    before = of(measured(app), "rowgate_limit_refusals_total", limit="default")
    for _ in range(3):
        limited.test_client().get(LIST, environ_base={"REMOTE_ADDR": "192.0.2.77"})
    assert of(measured(app), "rowgate_limit_refusals_total", limit="default") == before + 2


def test_waiting_jobs_are_counted(app, owner):
    before = of(measured(app), "rowgate_jobs", task="compute_report", status="todo")
    with app.app_context(), unit_of_work() as unit:
        queue.defer(unit, "compute_report", owner.user_id)
        unit.session.execute(
            text("UPDATE procrastinate_events SET at = at - interval '1 minute' WHERE type = 'deferred'")
        )
    after = measured(app)
    assert of(after, "rowgate_jobs", task="compute_report", status="todo") == before + 1
    assert of(after, "rowgate_job_wait_seconds", task="compute_report") >= 60


def test_the_rest_is_told_while_the_database_is_away(build):
    samples = measured(build(database_url="postgresql://nobody@127.0.0.1:1/none"))
    assert any(name == "rowgate_open_streams" for name, *_ in samples)
    assert not any(name == "rowgate_jobs" for name, *_ in samples)


def test_connections_count_while_they_are_in_use(app, owner):
    owner.get(LIST)
    before = of(measured(app), "rowgate_database_connections_in_use", pool="reads")
    with app.app_context(), db.engines[READS].connect():
        assert of(measured(app), "rowgate_database_connections_in_use", pool="reads") == before + 1
    assert of(measured(app), "rowgate_database_connections_in_use", pool="reads") == before


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"])
def test_what_came_through_a_proxy_is_not_answered(app, header):
    assert app.test_client().get("/metrics", headers={header: "127.0.0.1"}).status_code == 404


def test_other_machines_are_not_answered_even_when_they_say_they_are_here(build):
    app = build(trusted_proxies=1)
    far = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}
    assert app.test_client().get("/metrics", **far).status_code == 404
    assert app.test_client().get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}, **far).status_code == 404


def test_the_token_opens_them_from_anywhere(build):
    app = build(metrics_token="scrape-me", metrics=False)
    far = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}
    assert measured(app, headers={"Authorization": "Bearer scrape-me"}, **far)
    assert app.test_client().get("/metrics", headers={"Authorization": "Bearer scrape-you"}, **far).status_code == 404
    assert app.test_client().get("/metrics").status_code == 404


def test_without_a_token_an_empty_one_opens_nothing(build):
    app = build(metrics=False)
    assert app.test_client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404

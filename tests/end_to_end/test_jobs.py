"""The worker of background jobs, and what a web worker still writes when it is stopped."""

from __future__ import annotations

import http.client
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text

from app.auth.keys.key_usage.models import AuthApiKeyUsage
from app.auth.models.keys import AuthApiKey, AuthApiKeyAnalytics
from app.extensions import db
from app.foundation.clock import now
from app.jobs import registry
from app.testing.database import transaction
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started

DEFER = text(
    "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('default', :task, 0, NULL, NULL, jsonb_build_object('timestamp', 0), "
    "NULL)::procrastinate_job_to_defer_v1])"
)
LEFT = text("SELECT count(*) FROM procrastinate_jobs WHERE args ->> 'timestamp' = '0' AND task_name LIKE '%key_use'")


def own_key(owner):
    return select(AuthApiKey.id).where(AuthApiKey.user_id == owner.user_id).scalar_subquery()


def counted(app, query):
    with app.app_context(), transaction() as session:
        return session.scalar(query) or 0


def test_the_periodic_tasks_have_their_hours(app):
    periodic = registry.procrastinate_app(app).periodic_registry.periodic_tasks
    assert {task.task.name: task.cron for task in periodic.values()} == {
        "sum_key_use": "5 * * * *",
        "expire_key_use": "25 3 * * *",
        "forget_expired": "45 * * * *",
        "forget_shares": "35 3 * * *",
        "forget_client_requests": "40 * * * *",
        "sweep_record_files": "20 3 * * *",
        "sweep_uploads": "50 3 * * *",
        "close_abandoned_streams": "* * * * * */20",
        "queue_due_reports": "15 * * * *",
        "expire_inbound_events": "35 3 * * *",
        "remind_of_meetings": "* * * * *",
        "resume_stalled": "* * * * *",
        "expire_analytics": "30 3 * * *",
        "renew_graph_subscriptions": "*/10 * * * *",
        "deliver_due_mail": "* * * * *",
        "expire_mail": "15 3 * * *",
        "delete_accounts": "50 * * * *",
        "tell_of_ending_keys": "20 * * * *",
        "expire_exports": "40 * * * *",
        "expire_imports": "45 * * * *",
        "sweep_comments": "10 4 * * *",
        "expire_jobs": "20 4 * * *",
        "remove_expired_answers": "23 * * * *",
        "number_changes": "* * * * *",
        "keep_partitions_of_changes": "41 * * * *",
        "switch_off_overflowing_webhooks": "* * * * *",
        "expire_webhook_deliveries": "*/10 * * * *",
        "remove_entries_left": "47 * * * *",
        "embed_left_over": "17 * * * *",
        "embed_records": "* * * * * */10",
        "refresh_pages": "* * * * *",
        "index_vectors": "*/10 * * * *",
    }


@pytest.mark.variants
@pytest.mark.parametrize("task", ["sum_key_use", "expire_key_use"])
def test_the_worker_does_what_waits(app, cast, var_dir, task):
    owner = cast.user()
    cast.key(owner, "read")
    with app.app_context(), transaction() as session:
        identifier = session.scalar(select(own_key(owner)))
        session.add(
            AuthApiKeyAnalytics(
                key_id=identifier,
                user_id=owner.user_id,
                time=now() - timedelta(hours=1),
                method="GET",
                status_code=200,
                request_id="planted-request",
                latency_ms=1,
            )
        )
        session.execute(DEFER, {"task": task})
    run = subprocess.run(
        [*FLASK, "jobs", "work", "--until-empty"], cwd=ROOT, env=environment(VAR_DIR=var_dir),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    summed = select(AuthApiKeyUsage.request_count).where(AuthApiKeyUsage.key_id == own_key(owner))
    assert counted(app, summed) == 1
    assert counted(app, LEFT) == 0, "what has been done is not kept"


@pytest.mark.full
def test_a_worker_that_is_told_to_stop_ends_cleanly(app, var_dir, tmp_path):
    log = tmp_path / "log"
    with app.app_context(), transaction() as session:
        session.execute(DEFER, {"task": "sum_key_use"})
    with log.open("wb") as output:
        command = [*FLASK, "jobs", "work"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment(VAR_DIR=var_dir), stdout=output, stderr=output)
    try:
        await_true(lambda: counted(app, LEFT) == 0)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


def ask(port, token):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/api/v1/crm/contact", headers={"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.full
def test_a_graceful_stop_loses_no_row_of_key_use(app, cast, var_dir, tmp_path):
    owner = cast.user()
    key = cast.key(owner, "read")
    port = free_port()
    with started(gunicorn(2), port, tmp_path / "log", VAR_DIR=var_dir) as process:
        with ThreadPoolExecutor(10) as pool:
            assert set(pool.map(lambda _: ask(port, key.token), range(300))) == {200}
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    recorded = select(func.count()).select_from(AuthApiKeyAnalytics)
    assert counted(app, recorded.where(AuthApiKeyAnalytics.user_id == owner.user_id)) == 300
    with app.app_context():
        db.session.remove()

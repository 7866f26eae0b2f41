"""Jobs and the connections that break under them."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from procrastinate import JobContext
from sqlalchemy import text

from app.foundation.errors import RateLimited
from app.jobs import queue, registry, worker
from app.testing.database import transaction

DOCUMENTS = "/api/v1/storage/document"
BODY = {"title": "Plan", "content": "First this."}


@pytest.fixture
def waiting(app):
    """The jobs about a row: task, status and attempts."""

    def found(row_id):
        wanted = text("SELECT task_name, status::text, attempts FROM procrastinate_jobs WHERE args->>'row_id' = :row")
        with app.app_context(), transaction() as session:
            return [tuple(row) for row in session.execute(wanted, {"row": str(row_id)})]

    return found


def test_a_write_whose_job_cannot_be_stored_is_503_and_changes_nothing(owner, unlucky, proxy):
    proxy.reset_on(b"procrastinate_defer")
    answer = unlucky.post(DOCUMENTS, BODY)
    assert (answer.status_code, answer.json["code"]) == (503, "UNAVAILABLE")
    assert owner.get(DOCUMENTS).json["meta"]["count"] == 0


def test_a_job_whose_connection_breaks_while_it_stores_another_is_done_again(app, owner, proxied, proxy, waiting):
    document = owner.post(DOCUMENTS, BODY).json["id"]
    proxy.reset_on(b"procrastinate_defer_jobs_v1(")
    registry.work(proxied, concurrency=1, until_empty=True)
    assert waiting(document) == [("enter_document", "todo", 1)]
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = now()"))
    registry.work(app, concurrency=1, until_empty=True)
    entries = owner.get("/api/v1/ai-rag/document").json["data"]
    assert [entry["status"] for entry in entries] == ["indexed"]


def test_a_users_later_jobs_do_not_wait_for_one_that_is_tried_again(app, owner, proxied, proxy, waiting):
    first = owner.post(DOCUMENTS, BODY).json["id"]
    proxy.reset_on(b"procrastinate_defer_jobs_v1(")
    registry.work(proxied, concurrency=1, until_empty=True)
    assert waiting(first) == [("enter_document", "todo", 1)]
    second = owner.post(DOCUMENTS, BODY | {"title": "Next"}).json["id"]
    registry.work(app, concurrency=1, until_empty=True)
    assert (waiting(first), waiting(second)) == ([("enter_document", "todo", 1)], [])


def test_one_users_jobs_are_done_one_at_a_time_beside_those_of_others(app, cast):
    people = [cast.user() for _ in range(2)]
    for person in people:
        for _ in range(3):
            person.post(DOCUMENTS, BODY)
    fetched = text("SELECT lock FROM procrastinate_fetch_job_v2(NULL, NULL)")
    with app.app_context(), transaction() as session:
        mine = [f"user {person.user_id}" for person in people]
        locks = [session.scalar(fetched) for _ in range(4)]
        session.rollback()
    assert (set(locks[:2]), locks[2:]) == (set(mine), [None, None])


def test_a_user_for_whom_too_many_jobs_wait_is_told_to_wait(owner, monkeypatch):
    monkeypatch.setattr(queue, "MAX_WAITING", 2)
    assert [owner.post(DOCUMENTS, BODY).status_code for _ in range(3)] == [201, 201, 429]
    assert int(owner.post(DOCUMENTS, BODY).headers["Retry-After"]) >= 1


def test_a_job_asks_for_another_one_however_many_of_its_user_wait(app, owner, monkeypatch):
    documents = [owner.post(DOCUMENTS, BODY | {"title": title}).json["id"] for title in ("First", "Second", "Third")]
    monkeypatch.setattr(queue, "MAX_WAITING", 1)
    registry.work(app, concurrency=1, until_empty=True)
    entries = owner.get("/api/v1/ai-rag/document").json["data"]
    assert {entry["storageDocumentId"] for entry in entries} == set(documents)
    assert {entry["status"] for entry in entries} == {"indexed"}


def test_a_job_that_meets_a_bound_waits_and_is_done_again(app, owner, waiting, monkeypatch):
    document = owner.post(DOCUMENTS, BODY).json["id"]

    def refuse(row_id):
        raise RateLimited

    monkeypatch.setitem(registry.JOBS, "enter_document", registry.Job(refuse))
    registry.work(app, concurrency=1, until_empty=True)
    assert waiting(document) == [("enter_document", "todo", 1)]


def test_a_job_that_a_worker_was_given_without_hearing_of_it_is_done_again(app, owner, waiting):
    document = owner.post(DOCUMENTS, BODY).json["id"]

    async def lose_a_job():
        opened = registry.procrastinate_app(app, worker.connector(app.config["SETTINGS"]))
        async with opened.open_async(), asyncio.timeout(30):
            deaf = worker.Worker(opened, queues=[queue.DEFAULT_QUEUE])
            deaf.worker_id = await opened.job_manager.register_worker()
            await opened.job_manager.fetch_job(queues=deaf.queues, worker_id=deaf.worker_id)
            looking = asyncio.create_task(deaf.requeue_lost_jobs(0.05))
            while await opened.job_manager.list_jobs_async(status="doing", worker_id=deaf.worker_id):
                await asyncio.sleep(0.05)
            looking.cancel()

    asyncio.run(lose_a_job())
    assert waiting(document) == [("enter_document", "todo", 1)]


def test_a_connection_of_the_queue_waits_for_news_and_not_for_ever_for_an_answer(proxied, proxy):
    queue_ = worker.connector(proxied.config["SETTINGS"])

    async def asked():
        await queue_.open_async()
        async with queue_.pool.connection() as connection:
            connection.patience = 0.5
            assert [news async for news in connection.notifies(timeout=1.0)] == []
            proxy.silence(existing_only=True)
            with pytest.raises(psycopg.OperationalError):
                await asyncio.wait_for(connection.execute("SELECT 1"), 10)
        await queue_.close_async()

    asyncio.run(asyncio.wait_for(asked(), 30))


def test_a_users_next_job_is_done_when_the_one_before_it_ends(app, owner):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Wharf"}).json["id"]
    for number in range(30):  # more than there are periodic jobs, of which a worker is told as well
        body = {"indexId": index, "title": "Plan", "content": f"Part {number}."}
        assert owner.post("/api/v1/ai-rag/document", body).status_code == 201
    waiting = text("SELECT count(*) FROM procrastinate_jobs WHERE args ? 'row_id'")

    async def served():
        opened = registry.procrastinate_app(app, worker.connector(app.config["SETTINGS"]))
        async with opened.open_async(), asyncio.timeout(30):
            patient = worker.Worker(
                opened, concurrency=20, fetch_job_polling_interval=5.0, additional_context={"application": app},
                install_signal_handlers=False, delete_jobs="successful",
            )  # fmt: skip
            patient.siblings = [patient]
            doing = asyncio.create_task(patient.run())
            while await asyncio.to_thread(left):
                await asyncio.sleep(0.05)
            doing.cancel()

    def left():
        with app.app_context(), transaction() as session:
            return session.scalar(waiting)

    asyncio.run(served())


def test_a_job_that_was_begun_too_often_is_given_up(app, owner, waiting):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Wharf"}).json["id"]
    entry = owner.post("/api/v1/ai-rag/document", {"indexId": index, "title": "Plan", "content": "First."}).json["id"]
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE procrastinate_jobs SET attempts = :tries"), {"tries": registry.TRIES})
    registry.work(app, concurrency=1, until_empty=True)
    assert waiting(entry) == [("index_document", "failed", registry.TRIES + 1)]
    assert owner.get(f"/api/v1/ai-rag/document/{entry}").json["status"] == "failed"


def test_a_worker_that_stops_by_itself_ends_its_process(app, monkeypatch):
    async def stop_at_once(self):
        return None

    monkeypatch.setattr(worker.Worker, "run", stop_at_once)
    with pytest.raises(ExceptionGroup, match="TaskGroup"):
        registry.work(app, concurrency=1)


def test_a_job_that_is_handed_back_was_not_tried_in_vain(app, owner, waiting):
    document = owner.post(DOCUMENTS, BODY).json["id"]

    async def interrupted():
        opened = registry.procrastinate_app(app, worker.connector(app.config["SETTINGS"]))
        async with opened.open_async():
            stopped = worker.Worker(opened, queues=[queue.DEFAULT_QUEUE])
            stopped.worker_id = await opened.job_manager.register_worker()
            job = await opened.job_manager.fetch_job(queues=stopped.queues, worker_id=stopped.worker_id)
            stopped._running_jobs = {
                None: JobContext(app=opened, job=job, start_timestamp=0.0, abort_reason=lambda: None)
            }
            await worker.requeue_running_jobs([stopped])

    asyncio.run(interrupted())
    assert waiting(document) == [("enter_document", "todo", 0)]

"""Whatever many write at once, by requests and past them, the log is what is there; positions follow commits."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random

import psycopg

from app.ai.models.chats import AiChat, AiMessage
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from tests.engine.changes.replay import differences

WRITERS = 50
NUMBER, LAST = "SELECT rowgate_number_changes()", "SELECT position FROM platform_change_sequencer"
NEW = "SELECT position, xact, seq FROM platform_change_position WHERE position > %s ORDER BY position"
# Each change has one position, and those of one record are in the order of its versions.
UNNUMBERED = """
SELECT c.seq FROM platform_change AS c LEFT JOIN platform_change_position AS p ON p.xact = c.xact AND p.seq = c.seq
WHERE c.seq > %s GROUP BY c.xact, c.seq HAVING count(p.position) <> 1
"""
OUT_OF_ORDER = """
SELECT record_id FROM (
    SELECT c.record_id, c.version, lag(c.version) OVER (PARTITION BY c.record_id ORDER BY p.position) AS before
    FROM platform_change_position AS p JOIN platform_change AS c ON c.xact = p.xact AND c.seq = p.seq
    WHERE p.position > %s
) AS told WHERE version < before
"""
COLUMNS = """
SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER' AND column_name <> 'id'
"""
COPIED = {"crm_contact": ("email", "gen_random_uuid() || '@example.com'"), "crm_deal": ("name", "gen_random_uuid()")}
CHANGED = {
    "crm_contact": "title = %s", "crm_deal": "next_step = %s", "ai_chat": "title = %s", "ai_message": "content = %s",
    "crm_company": "industry = %s",
}  # fmt: skip
REMOVED = ("crm_contact", "crm_deal", "ai_message", "ai_chat")


class Writer:
    """Somebody at psql, whose transactions are long and short, whole, in part or not at all."""

    def __init__(self, connection, chance, columns, shared):
        self.connection, self.chance, self.columns, self.shared = connection, chance, columns, shared

    def transaction(self):
        with suppress(psycopg.errors.DeadlockDetected, psycopg.errors.IntegrityError, psycopg.errors.LockNotAvailable):
            for _ in range(self.chance.choice((1, 1, 2, 5, 12))):
                self.chance.choice((self.copy, self.copy, self.change, self.change, self.remove, self.dither))()
            if self.chance.random() < 0.85:
                self.connection.commit()
        self.connection.rollback()

    def copy(self):
        table = self.chance.choice(list(COPIED))
        name, value = COPIED[table]
        columns = self.columns[table]
        values = ", ".join(value if each == name else each for each in columns.split(", "))
        made = self.connection.execute(
            f"INSERT INTO {table} (id, {columns}) SELECT gen_random_uuid(), {values} FROM {table} LIMIT 1 RETURNING id"
        ).fetchall()
        self.shared[table].extend(row[0] for row in made)

    def change(self):
        table = self.chance.choice(list(CHANGED))
        self.on_some(f"UPDATE {table} SET {CHANGED[table]} WHERE id = %s", table, f"Of {self.chance.random()}")

    def remove(self):
        table = self.chance.choice(REMOVED)
        self.on_some(f"DELETE FROM {table} WHERE id = %s", table)

    def dither(self):
        with suppress(ZeroDivisionError), self.connection.transaction():
            self.change()
            self.chance.choice((self.copy, self.remove))()
            raise ZeroDivisionError

    def on_some(self, statement, table, *values):
        known = self.shared[table]
        if known:
            self.connection.execute(statement, [*values, self.chance.choice(known)])


def over_http(owner, chance, shared, workshop):
    """Make a chat with messages, and change or delete what may be gone."""
    chat = owner.post(AiChat.collection_path(), {"title": "Quay"}).json
    shared["ai_chat"].append(chat["id"])
    for _ in range(chance.randint(0, 3)):
        body = {"chatId": chat["id"], "role": "user", "content": "Two cranes"}
        answer = owner.post(AiMessage.collection_path(), body)
        if answer.status_code == 201:
            shared["ai_message"].append(answer.json["id"])
    gone = chance.choice(shared["ai_chat"])
    path = f"{AiChat.collection_path()}/{gone}"
    answer = owner.delete(path) if chance.random() < 0.3 else owner.put(path, {"title": f"Pier {chance.random()}"})
    assert answer.status_code in (200, 204, 404, 409, 412, 503), answer.json


def follow(connection, since, is_over):
    """Read positions while they are given: they have no gaps, and none comes in before one that was seen."""
    seen = since
    while True:
        ends = is_over.is_set()
        given = connection.execute(NUMBER).fetchone()
        for position, _, _ in connection.execute(NEW, [seen]).fetchall():
            assert position == seen + 1
            seen = position
        if ends and given is not None and given[0] == 0:
            return seen


def test_the_log_has_all_that_many_have_written_at_once(app, owner, workshop, connect, sql, pytestconfig):
    workshop.make(CrmDeal)
    contact = workshop.make(CrmContact)
    shared = {table: [] for table in CHANGED}
    shared["crm_contact"].append(contact["id"])
    shared["crm_company"] = [workshop.make(CrmCompany)["id"] for _ in range(5)]
    columns = {table: sql(COLUMNS, table)[0][0] for table in COPIED}
    sql(NUMBER)
    (since,), (first,) = sql(LAST)[0], sql("SELECT coalesce(max(seq), 0) FROM platform_change")[0]
    left = itertools.count(pytestconfig.option.fuzz_changes, -1)

    def write(number):
        chance = Random(number)
        connection = connect()
        connection.execute("SET lock_timeout = '5s'")
        connection.commit()
        writer = Writer(connection, chance, columns, shared)
        while next(left) > 0:
            if number % 10 == 0:
                over_http(owner, chance, shared, workshop)
            else:
                writer.transaction()

    is_over = threading.Event()
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        following = pool.submit(follow, connect(autocommit=True), since, is_over)
        try:
            writing = [pool.submit(write, number) for number in range(WRITERS)]
            for each in writing:
                each.result()
        finally:
            is_over.set()
        assert following.result() == sql(LAST)[0][0] > since
    assert sql(UNNUMBERED, first) == []
    assert sql(OUT_OF_ORDER, since) == []
    assert differences(sql) == []

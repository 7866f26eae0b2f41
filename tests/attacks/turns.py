"""How long a web worker's thread computes between two switches of its green threads, for the largest bodies that
routes let in. A process of its own, patched as gunicorn's workers are: ``python -m tests.attacks.turns DATABASE VAR``.
"""

from gevent import monkey

monkey.patch_all()

import gc  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from functools import partial  # noqa: E402
from io import BytesIO  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
import greenlet  # noqa: E402

from app.engine.declare.catalogue import every_model  # noqa: E402
from app.engine.declare.record import Record  # noqa: E402
from app.engine.write.plan import MAX_RECORDS  # noqa: E402
from app.factory import create_app  # noqa: E402
from app.foundation.strict_json import MAX_VALUES  # noqa: E402
from app.runtime.turns import yield_if_overdue  # noqa: E402
from app.testing import cast as cast_of_tests  # noqa: E402
from app.testing.cast import Cast  # noqa: E402
from app.testing.workshop import Workshop  # noqa: E402
from config import Settings  # noqa: E402

NOBODY_ID = "01a1fedd-47f3-7536-a333-810773c4a6d4"
METHODS = {"POST", "PUT", "PATCH", "DELETE", "QUERY"}
JSON, MEBIBYTE = "application/json", 1024 * 1024
# Models with a hook of many, with one of each, below a parent, audited.
SHAPES = ("crm/contact", "ai-agent/config", "ai-rag/metadata", "storage/upload")
TRIES = 4
# In the time of counting to a million, which takes 25 ms where the bound of 50 ms was set. What exceeds it is held
# against a count of the same moment, as a machine that others use is slower now and then.
MOST = 2.0

Sent = tuple[str, str, str, dict[str, Any]]


class Arriving(BytesIO):
    """A body as it comes over a connection, which gives way with each piece that is read, as Werkzeug reads it."""

    def readinto(self, buffer: Any) -> int:
        yield_if_overdue()
        return super().readinto(buffer)


class Turns:
    """Measures the longest time that the thread computes between two switches."""

    def __init__(self) -> None:
        self._longest = self._begun = 0.0
        greenlet.settrace(self._note)

    def _note(self, event: str, between: Any) -> None:
        now = time.thread_time()
        self._longest, self._begun = max(self._longest, now - self._begun), now

    def of(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """Return the longest turn of ``work``, in processor seconds, and what it returned."""
        gevent.sleep(0)
        self._longest = 0.0
        result = work()
        gevent.sleep(0)
        return self._longest, result


def arriving(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a request whose file, if it has one, comes as over a connection."""
    content = options.get("data")
    if not isinstance(content, bytes):
        return options
    rest = {name: value for name, value in options.items() if name != "data"}
    return {**rest, "input_stream": Arriving(content), "content_length": len(content)}


def count_to_a_million() -> float:
    """Return the processor seconds that this takes here and now, the median of three."""
    found = []
    for _ in range(3):
        begun, number = time.thread_time(), 0
        while number < 1_000_000:
            number += 1
        found.append(time.thread_time() - begun)
    return sorted(found)[1]


def requests_of(shop: Workshop) -> Iterator[Sent]:
    """The requests with the largest bodies: what these are, method, path and options."""
    texts = {
        "members": json.dumps({f"m{number}": number for number in range(MAX_VALUES - 10)}),
        "arrays": json.dumps([[]] * (MAX_VALUES - 10)),
        "numbers": json.dumps(list(range(MAX_VALUES - 10))),
        "text": json.dumps({"name": "x" * (MEBIBYTE - 50)}),
        "escapes": json.dumps({"name": "\n" * (MEBIBYTE // 2 - 50)}),
        "broken": '{"a": "' + "\\u0041" * (MEBIBYTE // 6 - 20),
    }
    for rule in sorted(shop.cast.app.url_map.iter_rules(), key=lambda rule: rule.rule):
        path = re.sub(r"<[^>]*>", NOBODY_ID, rule.rule)
        for method in sorted(rule.methods & METHODS):
            if not path.endswith("/_import"):
                yield "members", method, path, {"data": texts["members"], "content_type": JSON}
    deals = "/api/v1/crm/deal"
    for name, text in texts.items():
        for path in (deals, f"{deals}/_query", f"{deals}/_aggregate", f"{deals}/_matching/_delete", "/api/v1/_batch"):
            yield name, "POST", path, {"data": text, "content_type": JSON}
    for model in every_model():
        if model.qualified_name() in SHAPES:
            yield from _records_of(shop, model)
    yield from _files()
    yield "the description", "GET", "/api/v1/openapi.json", {}


def _records_of(shop: Workshop, model: type[Record]) -> Iterator[Sent]:
    body, path = shop.body(model), model.collection_path()
    number = min(MAX_RECORDS, MEBIBYTE // (len(json.dumps(body)) + 60))
    ids = [f"{NOBODY_ID[:-4]}{place:04x}" for place in range(number)]
    for what, one in (("records", body), ("faulty records", {"none": 1})):
        yield what, "POST", path, {"json": [one] * number}
        yield f"changes, {what}", "PATCH", path, {"json": [{"id": each, **one} for each in ids]}
    yield "removals", "DELETE", path, {"json": {"ids": ids}}


def _files() -> Iterator[Sent]:
    faulty = b"name,revenue\n" + b"a,x\n" * 9_999
    tables = (
        ("line ends", "", b"name\n" + b"\n" * 24_000_000),
        ("a long cell", "", b'name\n"' + b'""' * 24_000_000),
        ("faulty lines", "", faulty),
        ("faulty lines one by one", "&partial=true", faulty),
        ("good lines", "", b"name\n" + b"a\n" * 9_999),
    )
    path = "/api/v1/crm/company/_import"
    for what, query, content in tables:
        yield what, "POST", f"{path}?as=csv{query}", {"data": content, "content_type": "text/csv"}
    objects = b'{"name": "a", "none": 1}\n' * 9_999
    yield "faulty objects", "POST", f"{path}?as=ndjson", {"data": objects, "content_type": "application/x-ndjson"}


def main() -> None:
    """Print, as JSON, the longest turn of each request, as a share of how long one may last."""
    url, var_dir = sys.argv[1:3]
    limits = {"default_limit": "1000000 per minute", "query_seconds": 86_400.0}
    app = create_app(Settings(database_url=url, var_dir=var_dir, **limits))
    cast_of_tests.numbers = itertools.count(1_000_000)  # who started this has people in the same database
    cast = Cast(app)
    shop, actor = Workshop(cast, cast.user(role="admin")), cast.user(role="admin")
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)
    turns, unit, found = Turns(), count_to_a_million(), []
    for what, method, path, options in requests_of(shop):
        tries = []
        # The first of its kind compiles what the others use, and the collector may come in between. The description is
        # made once.
        while len(tries) < (1 if method == "GET" else TRIES):
            seconds, response = turns.of(partial(actor.send, method, path, **arriving(options)))
            if seconds > MOST * unit:
                unit = count_to_a_million()
            tries.append(seconds / unit / MOST)
            if response.status_code == 401:  # who asked was signed out, or removed
                actor = cast.user(role="admin")
            elif tries[-1] <= 1:
                break
        found.append([min(tries), response.status_code, f"{method} {path}: {what}"])
    print(json.dumps(sorted(found, reverse=True)))


if __name__ == "__main__":
    main()

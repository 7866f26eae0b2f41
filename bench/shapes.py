"""python -m bench.shapes: what operations cost on models of four shapes, beside those of a plain one, and what three
grants add to reads. Two take turns within one process; told are ratios of the medians of its processor time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

import orjson
from flask import Flask

from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.schema.histories import upgrade
from bench import documentation
from bench.gate.operations import ADDRESS, SINCE, Client, Work, operations
from bench.servers import NO_LIMIT, private_parts
from config import Settings

ROUNDS, BATCH, TAKE = 300, 5, 20

Prepare = Callable[[], Work]


class Shape(NamedTuple):
    """A model, and what its writes are called among the operations of the gate."""

    path: str
    create: str
    update: str

    @property
    def model(self) -> str:
        return self.path.removeprefix("/api/v1/")


SHAPES = {
    "plain": Shape("/api/v1/crm/contact", "create", "update"),
    "hooked": Shape("/api/v1/crm/deal", "hooked create", "hooked update"),
    "below a parent": Shape("/api/v1/ai-research/source", "create below a parent", "update below a parent"),
    "audited": Shape("/api/v1/auth/team", "audited create", "audited update"),
}


def main() -> None:
    """Measure, print and keep a line for each shape."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        with app.app_context():
            upgrade()
        made = operations(app)
        for shape in SHAPES.values():
            for _ in range(TAKE):
                made[shape.create]()()
        told = _measure(app, made)
    print(told)
    documentation.fill("bench-shapes", told)


def _measure(app: Flask, made: Mapping[str, Prepare]) -> str:
    whole, narrow = _keys(app)
    lines = [
        f"Measured on {datetime.now(UTC).date()}, {ROUNDS} rounds.",
        "",
        "| | item | list of 20 | create | update | item, three grants | list, three grants |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    plain = SHAPES["plain"]
    base, cells = _reads(app, whole, plain), {}
    for name, shape in SHAPES.items():
        reads = _reads(app, whole, shape)
        cells[name] = _ratios(base, reads), _ratios(reads, _reads(app, narrow[shape], shape))
    # Afterwards, as more rows would be there to count.
    for name, shape in SHAPES.items():
        written = _ratios((made[plain.create], made[plain.update]), (made[shape.create], made[shape.update]))
        lines.append(f"| {' | '.join((name, cells[name][0], written, cells[name][1]))} |")
    return "\n".join(lines)


def _ratios(ones: tuple[Prepare, Prepare], others: tuple[Prepare, Prepare]) -> str:
    return " | ".join(f"{ratios(*pair)[0]:.2f}" for pair in zip(ones, others, strict=True))


def _reads(app: Flask, key: str, shape: Shape) -> tuple[Prepare, Prepare]:
    """An item of a model, and a list."""
    client, listed = Client(app, key), f"{shape.path}?take={TAKE}"
    first = orjson.loads(client.ready("GET", listed)())["data"][0]["id"]
    return (lambda: client.ready("GET", f"{shape.path}/{first}")), (lambda: client.ready("GET", listed))


def ratios(one: Prepare, other: Prepare, rounds: int = ROUNDS, batch: int = BATCH) -> tuple[float, float]:
    """The cost of ``other`` by that of ``one``: of this process, and of the whole."""
    measured: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
    for _ in range(rounds):
        for place, prepare in enumerate((one, other)):
            for clock, taken in zip((process_time, perf_counter), measured[place], strict=True):
                taken.append(_timed([prepare() for _ in range(batch)], clock))
    pairs = zip(measured[1], measured[0], strict=True)
    own, together = (median(dearer) / median(plain) for dearer, plain in pairs)
    return own, together


def _timed(batch: list[Work], clock: Callable[[], float]) -> float:
    begun = clock()
    for work in batch:
        work()
    return clock() - begun


def _keys(app: Flask) -> tuple[str, dict[Shape, str]]:
    """A key without grants, and for each shape one with three."""
    with app.app_context(), attempt(SYSTEM) as unit:
        user = unit.session.query(AuthUser).filter_by(email=ADDRESS).one()
        _, whole = api_keys.issue(unit, user, scopes=("read",), rate_limit_enabled=False)
        narrow = {}
        for shape in SHAPES.values():
            access = [{"models": [shape.model], "where": {"createdAt": {"gt": since}}} for since in SINCE]
            _, narrow[shape] = api_keys.issue(unit, user, scopes=("read",), access=access, rate_limit_enabled=False)
    return whole, narrow


if __name__ == "__main__":
    main()

"""What grants cost: reads by a key with three grants, each with a condition, beside the same reads by a key without, on
models of four shapes. The two take turns within one process; told are ratios of medians, of its own time and of all."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

import orjson
from flask_migrate import upgrade

from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from bench.gate.operations import ADDRESS, SINCE, Client, Work, operations
from bench.servers import NO_LIMIT, private_parts
from config import Settings

ROUNDS, BATCH, TAKE = 300, 5, 20
SHAPES = {
    "plain": ("/api/v1/crm/contact", "crm/contact", "create"),
    "hooked": ("/api/v1/crm/deal", "crm/deal", "hooked create"),
    "below a parent": ("/api/v1/ai-research/source", "ai-research/source", "create below a parent"),
    "audited": ("/api/v1/auth/team", "auth/team", "audited create"),
}


def main() -> None:
    """Measure, and print a line for each shape and read."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        with app.app_context():
            upgrade()
        made = operations(app)
        for _ in range(TAKE):
            for _, _, create in SHAPES.values():
                made[create]()()
        whole, narrow = _keys(app)
        print(f"{'':24}{'own time':>10}{'all':>8}")
        for shape, (path, model, _) in SHAPES.items():
            rows = orjson.loads(Client(app, whole).ready("GET", f"{path}?take={TAKE}")())
            item = f"{path}/{rows['data'][0]['id']}"
            for name, asked in (("item", item), ("list", f"{path}?take={TAKE}")):
                one, other = (Client(app, key).ready("GET", asked) for key in (whole, narrow[model]))
                own, together = ratios(one, other)
                print(f"{shape + ' ' + name:24}{own:10.2f}{together:8.2f}")


def ratios(one: Work, other: Work, rounds: int = ROUNDS, batch: int = BATCH) -> tuple[float, float]:
    """The cost of ``other`` by that of ``one``: of this process, and of the whole."""
    measured: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
    for _ in range(rounds):
        for place, work in enumerate((one, other)):
            for clock, taken in zip((process_time, perf_counter), measured[place], strict=True):
                taken.append(_timed(work, clock, batch))
    pairs = zip(measured[1], measured[0], strict=True)
    own, together = (median(narrowed) / median(whole) for narrowed, whole in pairs)
    return own, together


def _timed(work: Work, clock: Callable[[], float], batch: int) -> float:
    begun = clock()
    for _ in range(batch):
        work()
    return clock() - begun


def _keys(app: Any) -> tuple[str, dict[str, str]]:
    """A key without grants, and for each model one with three."""
    with app.app_context(), attempt(SYSTEM) as unit:
        user = unit.session.query(AuthUser).filter_by(email=ADDRESS).one()
        _, whole = api_keys.issue(unit, user, scopes=("read",), rate_limit_enabled=False)
        narrow = {}
        for _, model, _ in SHAPES.values():
            access = [{"models": [model], "where": {"createdAt": {"gt": since}}} for since in SINCE]
            _, narrow[model] = api_keys.issue(unit, user, scopes=("read",), access=access, rate_limit_enabled=False)
    return whole, narrow


if __name__ == "__main__":
    main()

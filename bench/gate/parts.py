"""The servers of the counted process, with a tap in front of each; and how that process finds them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.factory import create_app
from app.runtime.embedded import database_url, redis_url
from app.schema.histories import upgrade
from bench.servers import NO_LIMIT, private_parts
from bench.tap import Reading, Tap, counts_file
from config import Settings

# How often an operation is run where instructions are counted from outside.
STEPS = 10
POSTGRES, REDIS = ".s.PGSQL.5432", "redis.sock"


@contextmanager
def parts() -> Iterator[dict[str, str]]:
    """A migrated PostgreSQL and a Redis behind taps; gives the environment of the counted process."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder))
        with app.app_context():
            upgrade()
        tapped = Path(folder) / "tapped"
        tapped.mkdir()
        sockets = database_url(folder).partition("host=")[2]
        opened = (
            Tap(tapped / POSTGRES, f"{sockets}/{POSTGRES}", is_postgres=True),
            Tap(tapped / REDIS, redis_url(folder).removeprefix("unix://"), is_postgres=False),
        )
        yield {
            "PATH": os.environ["PATH"],
            "PYTHONHASHSEED": "0",
            "VAR_DIR": folder,
            "DATABASE_URL": f"postgresql://postgres@/rowgate?host={tapped}",
            "REDIS_URL": f"unix://{tapped / REDIS}",
            "DEFAULT_LIMIT": NO_LIMIT,
            # As under gunicorn, where the processes add up what they measure.
            "PROMETHEUS_MULTIPROC_DIR": str(tapped),
        }
        for tap in opened:
            tap.close()


def taps() -> tuple[Reading, Reading]:
    """In the counted process: what has gone to PostgreSQL and to Redis."""
    tapped = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    return Reading(counts_file(tapped / POSTGRES)), Reading(counts_file(tapped / REDIS))

"""What pytest says of a run while it goes on, in the file ROWGATE_WATCHED: which test it is at, which failed, and
whether all were asked. The run ends after ROWGATE_SECONDS, or once there is a file ROWGATE_REACHED."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

BEGAN = time.monotonic()
told = {"at": "", "failed": "", "tests": 0, "is_whole": True}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep to the order in which files were given, whatever else orders tests."""
    places = {file: place for place, file in enumerate(session.config.args)}
    session.items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], 0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    _tell(at=item.nodeid, tests=told["tests"] + 1)
    done = yield
    is_late = time.monotonic() - BEGAN > float(os.environ["ROWGATE_SECONDS"])
    if is_late or Path(os.environ["ROWGATE_REACHED"]).exists():
        item.session.shouldstop = "nothing more is asked"
        _tell(is_whole=False)
    return done


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _tell(failed=told["failed"] or report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _tell(failed=told["failed"] or report.nodeid)


def _tell(**values: object) -> None:
    told.update(values)
    path = Path(os.environ["ROWGATE_WATCHED"])
    path.with_suffix(".new").write_text(json.dumps(told))
    path.with_suffix(".new").replace(path)

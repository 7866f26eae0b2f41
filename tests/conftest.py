"""What the product's own suite has besides the test kit: made-up input, and plugins that are loaded at once."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
from flask import Flask

from app import plugins
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import Record
from config import Settings
from tests import durations
from tests.shapes import covering, showing

pytest_plugins = ["app.testing.plugin", "tests.end_to_end.shared"]

# Next to nothing of what is made before the first test can go again.
gc.disable()
# Tests are made for every model when they are collected.
plugins.load()

# Made-up requests for each operation of the description, from each caller.
USUAL_EXAMPLES = 2
# However long an example takes: machines are slow at times.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": list(hypothesis.HealthCheck)}
# Made-up queries over a world of rows, and transactions that the log of changes is held against: in the full run, and
# in the usual one.
ALL_QUERIES, USUAL_QUERIES = 500, 60
ALL_CHANGES, USUAL_CHANGES = 2000, 500
# A test of more models than these shows a mechanism, one of fewer has chosen them.
MANY_MODELS = 20
# New objects after which the collector looks through them, looks after which it goes through older ones, and those
# after which through all: applications, which are large, are found that way before there are many.
LOOKS = (50_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-models", action="store_true", help="Show mechanisms on all models, not on their shapes.")
    parser.addoption("--fewest-models", action="store_true", help="Show mechanisms on as few models as show them.")
    parser.addoption("--durations-file", action="store_true", help="Measure how long tests take.")
    parser.addoption("--fuzz-examples", type=int, default=USUAL_EXAMPLES, help="Requests made up for each operation.")
    parser.addoption("--fuzz-queries", type=int, help="Queries made up over each world of rows.")
    parser.addoption("--fuzz-worlds", type=int, default=1, help="Worlds of rows that queries are made up over.")
    parser.addoption("--fuzz-starts", type=int, default=0, help="Milliseconds between the signals at starts; 0: none.")
    parser.addoption("--fuzz-changes", type=int, help="Transactions that the log of changes is held against.")
    parser.addoption("--fuzz-histories", type=int, default=20, help="Histories after which lists that live are read.")
    parser.addoption("--openapi-generator", help="The jar of openapi-generator; without it, its clients are not tried.")


def pytest_configure(config: pytest.Config) -> None:
    full = config.getoption("--all-models")
    if config.option.fuzz_queries is None:
        config.option.fuzz_queries = ALL_QUERIES if full else USUAL_QUERIES
    if config.option.fuzz_changes is None:
        config.option.fuzz_changes = ALL_CHANGES if full else USUAL_CHANGES
    if config.getoption("--durations-file") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(durations.Recorder())
    # The suite tries the same made-up input every time; `make fuzz` looks for more.
    examples = config.getoption("--fuzz-examples")
    hypothesis.settings.register_profile("suite", derandomize=examples == USUAL_EXAMPLES, **PATIENT)
    hypothesis.settings.load_profile("suite")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have a mechanism that is shown on model after model shown on those that have its shapes, unless all are asked."""
    items[:] = durations.in_order(items)
    asked = defaultdict(set)
    for each in items:
        asked[_function(each)].add(_model(each))
    mechanical = {function for function, models in asked.items() if len(models) > MANY_MODELS}
    for each in items:
        told = {durations.MECHANICAL: _function(each) in mechanical, durations.SERVERLESS: not _needs_servers(each)}
        each.user_properties.extend((name, True) for name, holds in told.items() if holds)
    if config.getoption("--all-models") or any("::" in each for each in config.args):
        return
    cover = showing if config.getoption("--fewest-models") else covering
    chosen: set[Any] = {None, *cover(every_model())}
    left = {each for each in items if _function(each) in mechanical and _model(each) not in chosen}
    left = {each for each in left if each.get_closest_marker("every_model") is None}
    if not any(each.endswith(".py") for each in config.args):
        left |= {each for each in items if each.get_closest_marker("full")} | _further_variants(items)
    config.hook.pytest_deselected(items=list(left))
    items[:] = [each for each in items if each not in left]


def _further_variants(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return all but the first of what shows one thing in several ways."""
    shown: set[str] = set()
    further = set()
    for each in items:
        if each.get_closest_marker("variants"):
            further |= {each} if _function(each) in shown else set()
            shown.add(_function(each))
    return further


def pytest_collection_finish() -> None:
    """Have the collector look for what tests leave, and not through the tests and models, which stay to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*LOOKS)
    gc.enable()


@pytest.fixture(scope="module")
def build_once(app: Flask, settings: Settings) -> Iterator[Callable[..., Flask]]:
    """Builds applications for the tests of a file: who names the same settings again gets the same application."""
    from app.testing import parts  # which pytest is to rewrite before

    with parts.further_applications(settings) as build:
        built: dict[Any, Flask] = {}

        def find_or_build(**changes: Any) -> Flask:
            key = frozenset(changes.items())
            if key not in built:
                built[key] = build(**changes)
            return built[key]

        yield find_or_build


def _needs_servers(item: pytest.Item) -> bool:
    return "var_dir" in getattr(item, "fixturenames", ())


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _model(item: pytest.Item) -> type[Record] | None:
    """The model that a test is made for."""
    values = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return next((each for each in values if isinstance(each, type) and issubclass(each, Record)), None)

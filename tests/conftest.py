"""What the product's own suite has besides the test kit: made-up input, and plugins that are loaded at once."""

from __future__ import annotations

import gc

import hypothesis
import pytest

from app import plugins

pytest_plugins = ["app.testing.plugin"]

# Tests are made for every model when they are collected.
plugins.load()

# Made-up requests for each operation of the description, from each caller.
USUAL_EXAMPLES = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-examples", type=int, default=USUAL_EXAMPLES, help="Requests made up for each operation.")
    parser.addoption("--fuzz-queries", type=int, default=500, help="Queries made up over each world of rows.")
    parser.addoption("--fuzz-worlds", type=int, default=1, help="Worlds of rows that queries are made up over.")
    parser.addoption("--fuzz-starts", type=int, default=0, help="Milliseconds between the signals at starts; 0: none.")
    parser.addoption("--openapi-generator", help="The jar of openapi-generator; without it, its clients are not tried.")


def pytest_configure(config: pytest.Config) -> None:
    # Applications are built by the hundred, and each has much that stays: to look through it all takes longer.
    gc.set_threshold(100_000, 20, 100)
    # The suite tries the same made-up input every time; `make fuzz` looks for more.
    examples = config.getoption("--fuzz-examples")
    patient = {"deadline": None, "suppress_health_check": list(hypothesis.HealthCheck)}
    hypothesis.settings.register_profile("suite", derandomize=examples == USUAL_EXAMPLES, **patient)
    hypothesis.settings.register_profile("contract", hypothesis.settings.get_profile("suite"), max_examples=examples)
    hypothesis.settings.load_profile("suite")

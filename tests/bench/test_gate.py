"""The gate: nothing costs another number of calls, statements, round trips or bytes than is recorded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.gate.comparison import differences
from config import ROOT

pytestmark = pytest.mark.full

RECORDED = {
    "item": {
        "calls": 30,
        "statements": 2,
        "bytes to PostgreSQL": 90,
        "functions": {"app.engine.read.records:get": 1, "app.foundation.clock:now": 9, "flask": 20},
        "instructions": 5,
    }
}


def changed(**figures):
    return {"item": {**RECORDED["item"], **figures}}


def test_operations_cost_what_is_recorded():
    done = subprocess.run([sys.executable, "-m", "bench.gate"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_costs_the_same_is_no_difference():
    assert differences(RECORDED, RECORDED) == []


def test_a_further_statement_is_named():
    assert differences(RECORDED, changed(statements=3)) == ["item: statements 2 -> 3 (+1)"]


def test_a_digit_more_in_the_name_of_each_statement_is_no_difference():
    assert differences(RECORDED, changed(**{"bytes to PostgreSQL": 88})) == []
    assert differences(RECORDED, changed(**{"bytes to PostgreSQL": 93})) == ["item: bytes to PostgreSQL 90 -> 93 (+3)"]


def test_further_calls_are_named_with_the_functions_that_grew_most_first():
    functions = {"app.engine.read.records:get": 2, "app.foundation.clock:now": 20, "flask": 20}
    assert differences(RECORDED, changed(calls=42, functions=functions)) == [
        "item: calls 30 -> 42 (+12)",
        "    app.foundation.clock:now 9 -> 20 (+11)",
        "    app.engine.read.records:get 1 -> 2 (+1)",
    ]


def test_as_many_calls_of_other_functions_are_no_difference():
    assert differences(RECORDED, changed(functions={"app.engine.read.records:find": 30})) == []


def test_calls_are_not_compared_with_those_of_another_python():
    assert differences(RECORDED, changed(calls=42), calls=False) == []


def test_instructions_are_recorded_and_not_judged():
    assert differences(RECORDED, changed(instructions=50)) == []


def test_an_operation_that_comes_or_goes_has_to_be_recorded():
    assert differences(RECORDED, {"list": RECORDED["item"]}) == [
        "item: is recorded, and counted no more",
        "list: is not recorded yet",
    ]

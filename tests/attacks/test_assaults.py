"""The assaults of `make attacks` on queries and locks ask for what they say, so that none is harmless by a mistake."""

from __future__ import annotations

import pytest

from tests.attacks.assaults import ASSAULTS, QUERIES, batch_changing_strangers
from tests.attacks.world import DEAL, make_world, with_newcomer

ROWS = 2000
pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def world(service):
    return make_world(service, ROWS)


@pytest.mark.parametrize("name", [name for name, each in ASSAULTS.items() if each.section == QUERIES])
def test_an_assault_on_queries_asks_what_is_answered(world, name):
    assert ASSAULTS[name].ask(world, 0).status == 200


def test_a_newcomer_has_the_rows_of_the_attacker(service, world):
    newcomer = with_newcomer(service, world)
    assert newcomer.attacker != world.attacker
    read = [each.caller(each.attacker).get(f"{DEAL}?take=1").json for each in (world, newcomer)]
    assert read[0] == read[1]
    assert read[1]["meta"]["count"] == ROWS


def test_batches_are_refused_for_their_changes_of_strangers_alone(world):
    refused = [batch_changing_strangers(world, number).json["details"] for number in range(2)]
    assert [(each["index"], each["status"]) for each in refused] == [(40, 403), (40, 403)]

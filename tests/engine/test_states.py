"""States move along the transitions of the dictionary, on every model that has some."""

from __future__ import annotations

import pytest

from app.engine.declare.catalogue import every_model
from app.engine.declare.scope import Rule
from app.testing.workshop import Workshop
from tests.writes import messages

STATEFUL = [
    (model, field)
    for model in every_model()
    if not (model.has_custom_routes or model.policy.create is Rule.NONE or model.policy.update is Rule.NONE)
    for field in model.transitions
    if model.fields()[field].spec.access == "normal"
]


@pytest.mark.parametrize(("model", "field"), STATEFUL, ids=lambda value: getattr(value, "__name__", value))
def test_a_state_moves_only_where_the_dictionary_lets_it(cast, owner, model, field):
    workshop = Workshop(cast, owner)
    actor = cast.admin if model.policy.update is Rule.ADMIN else owner
    made = workshop.make(model)
    path = f"{model.collection_path()}/{made['id']}"
    name = model.fields()[field].name
    steps = model.transitions[field]
    assert actor.put(path, {name: made[name]}).status_code == 200
    for state in set(steps) - set(steps[made[name]]) - {made[name]}:
        refused = actor.put(path, {name: state})
        assert f"Cannot go from {made[name]} to {state}." in messages(refused, name)

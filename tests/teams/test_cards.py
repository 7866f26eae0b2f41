"""Cards: prepared for version 1.2, with fallbacks for what is newer."""

from __future__ import annotations

import pytest

from app.foundation.errors import Invalid
from app.teams.cards import prepared


def card(*body, **more):
    return {"type": "AdaptiveCard", "version": "1.5", "body": list(body), **more}


def test_a_card_of_known_elements_is_capped_and_warns_of_nothing():
    made = prepared(card({"type": "TextBlock", "text": "Hi"}), "Hello")
    assert (made.content["version"], made.content["fallbackText"], made.warnings) == ("1.2", "Hello", ())
    assert made.content["body"] == [{"type": "TextBlock", "text": "Hi"}]


def test_data_that_is_no_card_becomes_facts():
    made = prepared({"Height": 40, "Safe": True, "Parts": []}, "The crane")
    text, facts = made.content["body"]
    assert (text["text"], made.content["version"]) == ("The crane", "1.2")
    assert facts["facts"] == [{"title": "Height", "value": "40"}, {"title": "Safe", "value": "True"}]


def test_a_table_falls_back_to_columns_and_says_so():
    cell = {"type": "TableCell", "items": [{"type": "TextBlock", "text": "40 m"}]}
    table = {"type": "Table", "rows": [{"type": "TableRow", "cells": [cell]}]}
    made = prepared(card(table), "Hello")
    (element,) = made.content["body"]
    assert element["type"] == "Table", "newer clients draw it"
    (row,) = element["fallback"]["items"]
    assert row["columns"][0]["items"] == cell["items"]
    assert made.warnings == ("Table is newer than version 1.2; older clients show its fallback",)


def test_an_execute_action_falls_back_to_submit_within_a_set():
    action = {"type": "Action.Execute", "title": "Approve", "verb": "approve", "data": {"id": 1}}
    made = prepared(card(action), "Hello")
    (container,) = made.content["body"]
    assert container["type"] == "ActionSet"
    assert container["actions"][0]["fallback"] == {
        "type": "Action.Submit", "title": "Approve", "data": {"id": 1, "verb": "approve"},
    }  # fmt: skip


def test_execute_actions_of_the_card_itself_come_in_a_set_too():
    action = {"type": "Action.Execute", "title": "Approve", "verb": "approve"}
    made = prepared({**card({"type": "TextBlock", "text": "Plan"}), "actions": [action]}, "Hello")
    assert "actions" not in made.content
    assert [each["type"] for each in made.content["body"]] == ["TextBlock", "ActionSet"]
    assert made.content["body"][1]["actions"][0]["fallback"]["type"] == "Action.Submit"
    shown = {"type": "Action.ShowCard", "title": "More", "card": {"type": "AdaptiveCard", "actions": [action]}}
    made = prepared({**card(), "actions": [shown]}, "Hello")
    assert [each["type"] for each in made.content["actions"][0]["card"]["body"]] == ["ActionSet"]


def test_the_authors_own_fallback_is_kept():
    own = {"type": "TextBlock", "text": "Mine"}
    made = prepared(card({"type": "CodeBlock", "codeSnippet": "x", "fallback": own}), "Hello")
    assert made.content["body"][0]["fallback"] == own


def test_a_label_is_shown_before_its_input():
    made = prepared(card({"type": "Input.Text", "id": "a", "label": "Name"}), "Hello")
    assert [each["type"] for each in made.content["body"]] == ["TextBlock", "Input.Text"]


def test_an_author_may_keep_the_version_with_a_fallback_text():
    made = prepared({"type": "AdaptiveCard", "fallbackText": "x"}, "Hello", keep_version=True)
    assert made.content["version"] == "1.2"
    made = prepared(card(fallbackText="Update Teams"), "Hello", keep_version=True)
    assert (made.content["version"], made.content["fallbackText"]) == ("1.5", "Update Teams")
    with pytest.raises(Invalid):
        prepared(card(), "Hello", keep_version=True)


@pytest.mark.parametrize("rows", [5, [5], [{"cells": 5}], [{"cells": [5]}]])
def test_an_odd_table_does_no_harm(rows):
    assert prepared(card({"type": "Table", "rows": rows}), "Hello").content["body"][0]["fallback"]


def nested(depth):
    inner = {"type": "TextBlock", "text": "x"}
    for _ in range(depth):
        inner = {"type": "Container", "items": [inner]}
    return card(inner)


@pytest.mark.parametrize(
    "bad",
    [[], "x", {"type": "AdaptiveCard", "version": "1.7"}, {"type": "AdaptiveCard", "version": 1}, nested(25),
     card(*[{"type": "TextBlock"}] * 600)],
)  # fmt: skip
def test_what_cannot_be_a_card_is_refused(bad):
    with pytest.raises(Invalid):
        prepared(bad, "Hello")

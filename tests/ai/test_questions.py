"""What may be asked: the forms of a conversation, and those that are refused before anything is stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ai.chains import CHAT, ask

HELLO = {"role": "user", "content": "Hello"}
REFUSED = {
    "no messages": {},
    "an empty list": {"messages": []},
    "no list": {"messages": "Hello"},
    "an entry that is no object": {"messages": ["Hello"]},
    "an unknown role": {"messages": [{"role": "robot", "content": "Hello"}]},
    "no role": {"messages": [{"content": "Hello"}]},
    "no text": {"messages": [{"role": "user"}]},
    "an empty text": {"messages": [{"role": "user", "content": ""}]},
    "a blank text": {"messages": [{"role": "user", "content": " \n"}]},
    "parts without text": {"messages": [{"role": "user", "parts": [{"type": "file", "url": "x"}]}]},
    "a text part without text": {"messages": [{"role": "user", "parts": [{"type": "text"}]}]},
    "a number for a text": {"messages": [{"role": "user", "content": 3}]},
    "an end that is not the user's": {"messages": [HELLO, {"role": "assistant", "content": "Hi"}]},
    "the system alone": {"messages": [{"role": "system", "content": "Be brief."}]},
    "too long a message": {"messages": [{"role": "user", "content": "x" * 100_001}]},
    "too many messages": {"messages": [HELLO] * 1001},
    "an id that is no text": {"messages": [HELLO], "id": 7},
    "an empty id": {"messages": [HELLO], "id": ""},
    "too long an id": {"messages": [HELLO], "id": "x" * 201},
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_bad_question_is_refused_and_changes_nothing(cast, why):
    owner = cast.user()
    response = owner.post(CHAT, REFUSED[why])
    assert (response.status_code, response.json["code"]) == (400, "VALIDATION_ERROR"), response.json
    assert list(response.json["details"]["fields"]) in (["messages"], ["id"])
    assert owner.get("/api/v1/ai/chat").json["meta"]["count"] == 0


def test_an_oversized_body_is_413(cast):
    filler = [{"role": "user", "content": "x" * 90_000}] * 12
    assert cast.user().post(CHAT, {"messages": filler}).status_code == 413


def test_unknown_fields_and_query_parameters_are_ignored(cast):
    body = {"messages": [{**HELLO, "id": "m1", "metadata": {"a": 1}}], "model": "x", "webSearch": False}
    assert cast.user().post(f"{CHAT}?source=app", body, buffered=True).status_code == 200


def test_a_chat_that_is_not_there_is_404(cast):
    assert ask(cast.user(), id="01a1fd5b-533a-7399-99ee-9584cf7d1376").status_code == 404


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
names = st.sampled_from(["role", "content", "parts", "type", "text"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@given(messages=st.lists(json_values, max_size=3))
def test_whatever_comes_is_answered_or_refused(cast, messages):
    response = cast.user().post(CHAT, {"messages": messages}, buffered=True)
    assert response.status_code in (200, 400), response.data

"""Made-up requests for the operations of a description, sent by a process of their own: what they are made up from
takes as much memory as all other tests, and goes with it."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import hypothesis
import schemathesis
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def attack(document: dict[str, Any], tag: str, address: str, tokens: Sequence[str], settings: dict[str, Any]) -> str:
    """Send the operations with ``tag`` what their description allows, and what it does not; return what was found, as
    text, or none."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_attack_all, document, tag, address, tokens, settings).result()


def _attack_all(document: dict[str, Any], tag: str, address: str, tokens: Sequence[str], settings: Any) -> str:
    try:
        operations = operations_of(document, tag, address)
        assert operations
        for each in operations:
            _attack(each, tokens, hypothesis.settings(**settings))
    except BaseException:
        return traceback.format_exc()
    return ""


def operations_of(document: dict[str, Any], tag: str, address: str) -> list[Any]:
    """What the description says of the operations with ``tag``, without all the others that take memory."""
    paths = {
        path: {name: each for name, each in item.items() if not isinstance(each, dict) or each["tags"] == [tag]}
        for path, item in document["paths"].items()
    }
    found = schemathesis.openapi.from_dict({**document, "paths": paths})
    found.config.update(base_url=address)
    return [each.ok() for each in found.get_all_operations()]


def _attack(operation: Any, tokens: Sequence[str], settings: hypothesis.settings) -> None:
    for mode in schemathesis.GenerationMode:

        @settings
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def send(case: Any) -> None:
            for token in tokens:
                response = case.call(headers={"Authorization": f"Bearer {token}"})
                # gunicorn turns away request lines that are too long before the service sees them.
                if response.status_code != 414:
                    case.validate_response(response, checks=CHECKS)

        try:
            send()
        except Unsatisfiable:
            # What takes neither parameters nor a body cannot be asked wrongly.
            assert mode is schemathesis.GenerationMode.NEGATIVE
            assert not operation.body

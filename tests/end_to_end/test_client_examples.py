"""The examples of the generated clients: each does in both languages what it says."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from app.engine.changes.undoing import MAX_AT_ONCE
from app.testing.waiting import await_true
from tests.end_to_end.packages import BIN, run

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", params=["typescript", "python"])
def language(request):
    return request.param


def printed(request, language, example, service):
    """What an example prints, by the word that its lines begin with."""
    if language == "typescript":
        command = [BIN / "node", request.getfixturevalue("compiled") / f"{example}.js"]
    else:
        command = [request.getfixturevalue("interpreter"), request.getfixturevalue("checked") / f"{example}.py"]
    said = run(*command, service.url, f"{example}-{uuid4().hex[:8]}@example.com").splitlines()
    lines = defaultdict(list)
    for word, _, rest in (line.partition(": ") for line in said):
        lines[word].append(rest)
    return lines


@pytest.fixture(scope="module")
def told(request, language, shared_service):
    """What the example of lists prints."""
    return printed(request, language, "lists", shared_service)


def test_a_list_holds_what_its_conditions_say_in_the_order_of_its_keys(told):
    assert [line.split()[0] for line in told["large"]] == ["Cranes", "Docks", "Ferries"]
    assert told["counted"] == ["3"]


def test_relations_stand_beside_their_references_along_two_hops(told):
    assert told["large"][0] == "Cranes Harbour Works Harbour Works"


def test_a_relation_to_many_has_conditions_and_fields_of_its_own(told):
    assert told["company"] == ["Harbour Works, Buoys by Hopper"]


def test_companies_keep_their_envelope(told):
    assert told["total"] == ["1"]


def test_an_iterator_walks_all_pages_in_both_envelopes(told):
    assert told["each"] == ["Buoys", "Cranes", "Docks", "Ferries", "Harbour Works"]


def test_a_single_record_has_chosen_fields_and_relations(told):
    assert told["one"] == ["grace@example.com of Harbour Works"]


def test_sums_come_by_group_and_measure(told):
    assert told["sum"] == ["Harbour Works 4 6500 3000"]


def test_a_refused_list_is_an_exception_with_its_code(told):
    assert told["refused"] == ["400 INVALID_PAGINATION"]


def test_a_narrow_key_does_what_its_grants_open(request, language, shared_service):
    told = printed(request, language, "access", shared_service)
    assert told["deal"] == ["Cranes false"]
    assert told["may"] == ["crm/deal list,read id,name,stage"]
    assert told["refused"] == ["403 FORBIDDEN"]
    assert (told["update"], told["now"]) == (["false"], ["Docks"])


def test_changes_are_read_and_taken_back(request, language, shared_service):
    told = printed(request, language, "changes", shared_service)
    assert told["version 2"] == ["name Harbour Works to Harbour Foods"]
    assert told["version 1"] == [" nothing to Harbour Works"]
    assert told["then"] == told["reverted"] == told["restored"] == ["Harbour Works"]
    assert told["deleted"] == ["Harbour Works by a user"]
    assert (told["undone"], told["again"]) == (["2 deleted"], ["409"])
    assert told["heard"] == ["Heard"]
    assert told["live"] == ["1"]
    assert told["live on a loop"] == ([] if language == "typescript" else ["0"])
    assert told["subscribed"] == (["Heard"] if language == "typescript" else [])
    assert ",".join(told["changes"]) == (
        "create Harbour Works,update Harbour Works,update Harbour Works,delete,create Harbour Works,delete,delete"
    )


UNDO = {
    "typescript": """
import { createRowgate } from "@rowgate/client";
const [baseUrl, token, transaction] = process.argv.slice(2);
console.log((await createRowgate({ baseUrl, token }).undo(transaction)).deleted);
""",
    "python": """
import sys
from rowgate_client import AuthenticatedClient
from rowgate_client.models import Rowgate
address, token, transaction = sys.argv[1:]
print(Rowgate(AuthenticatedClient(address, token=token)).undo(transaction)["deleted"])
""",
}


def test_an_undo_that_a_job_does_is_waited_for(request, language, shared_service, owner, do_jobs):
    rows = "name\n" + "".join(f"Number {number}\n" for number in range(MAX_AT_ONCE + 1))
    asked = owner.send("POST", "/api/v1/crm/company/_import?as=csv", data=rows, content_type="text/csv")
    do_jobs()
    if language == "typescript":
        command = [BIN / "node", request.getfixturevalue("compiled") / "undo.mjs"]
    else:
        command = [request.getfixturevalue("interpreter"), request.getfixturevalue("interpreter").parent / "undo.py"]
    command[1].write_text(UNDO[language])
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(run, *command, shared_service.url, owner.token, asked.json["id"])
        await_true(lambda: said.done() or owner.get("/api/v1/_jobs?status=waiting").json["meta"]["count"])
        do_jobs()
        assert said.result().split() == [str(MAX_AT_ONCE + 1)]

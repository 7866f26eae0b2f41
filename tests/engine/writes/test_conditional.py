"""Conditional requests: writes that count only for the version their caller has seen, and reads of what is new."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.auth.models.organizations import AuthTeam, AuthTeamMember
from app.crm.models import CrmCompany, CrmContact
from app.storage.models import StorageUpload
from app.testing.workshop import Workshop
from tests.writes import created

NOWHERE = "/api/v1/crm/contact/0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
CHANGE = {"lastName": "King"}
METHODS = ["PUT", "PATCH", "DELETE"]


@pytest.fixture
def path(workshop):
    """Where a contact of version 1 is."""
    return workshop.path(CrmContact)


def write(actor, method, path, condition=None, *, header="If-Match", **query):
    headers = {} if condition is None else {header: condition}
    body = {} if method == "DELETE" else {"json": CHANGE}
    return actor.send(method, path, headers=headers, query_string=query, **body)


def tag(actor, path):
    return actor.get(path).headers["ETag"]


# In place of TAG stands the tag that the record reads with.
IN_HEADER = [
    ('"1"', 200), ("TAG", 200), ("W/TAG", 200), ('"1-0000000000000000"', 200), ("*", 200), (' \t"1"\t ', 200),
    ('"2", "1"', 200), ('"2","1"', 200), (', "1" ,,', 200), ('"a,b", W/"1", "1"', 200),
    ('"2"', 412), ('"2", "3"', 412), ('W/"1"', 412), ('"abc"', 412), ('""', 412), ('"*"', 412), ('"01"', 412),
    ('"1-xyz"', 412), ('"-1"', 412), ('"999999999999999999"', 412), ('"9999999999999999999999999"', 412),
    ("", 400), ("1", 400), ('"1', 400), ('1"', 400), ('"1" "1"', 400), ('"1", *', 400), ("*, *", 400), ("x", 400),
    ("W/", 400), ('w/"1"', 400), ('W/ "1"', 400), ("'1'", 400), ('"1";"2"', 400), ('"a b"', 400),
]  # fmt: skip
IN_QUERY = [
    ("1", 200), ('"1"', 200), ("BARE", 200), ("TAG", 200), ("W/TAG", 200), ("*", 200), ('"2","1"', 200),
    ("2", 412), ('W/"1"', 412), ("1-0000000000000001", 200), ("2-0000000000000001", 412),
    ("", 400), ("x", 400), ("1,2", 400), ("01", 400), ("W/1", 400),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("sent", "status"), IN_HEADER)
def test_a_write_counts_when_one_of_the_versions_in_the_header_is_the_stored_one(workshop, path, method, sent, status):
    seen = tag(workshop.owner, path)
    answer = write(workshop.owner, method, path, sent.replace("TAG", seen))
    assert judged(workshop.owner, method, path, answer) == status, answer.json


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("sent", "status"), IN_QUERY)
def test_the_parameter_does_what_the_header_does_and_needs_no_quotes(workshop, path, method, sent, status):
    seen = tag(workshop.owner, path)
    sent = sent.replace("TAG", seen).replace("BARE", seen.strip('"'))
    answer = write(workshop.owner, method, path, ifMatch=sent)
    assert judged(workshop.owner, method, path, answer) == status, answer.json


def judged(owner, method, path, answer):
    """The status of the answer, once it is what its status says."""
    stored = owner.get(path)
    if answer.status_code == 200:
        assert stored.status_code == 404 if method == "DELETE" else stored.json["lastName"] == "King"
        return 200
    assert stored.headers["ETag"].startswith('"1-')
    if answer.status_code == 412:
        assert (answer.json["code"], answer.json["details"]) == ("PRECONDITION_FAILED", {"version": 1})
    return answer.status_code


def test_a_company_of_the_guide_routes_is_guarded_alike(workshop):
    path = workshop.path(CrmCompany)
    owner = workshop.owner
    refused = owner.put(path, {"name": "New"}, headers={"If-Match": '"2"'})
    assert refused.status_code == 412
    assert owner.patch(f"{path}?ifMatch=1", {"name": "New"}).status_code == 200
    assert owner.delete(f"{path}?ifMatch=1").status_code == 412
    assert owner.delete(path, headers={"If-Match": '"2"'}).json["name"] == "New"


@pytest.mark.parametrize(
    ("header", "parameter", "status"),
    [('"1"', "1", 200), ('"1"', '"1"', 200), ('"1", "2"', '"2", "1"', 200), ("*", "*", 200),
     ('"1"', "1-" + "0" * 16, 200), ('"1"', "2", 400), ('"2"', "1", 400), ('"1"', "*", 400), ("*", "1", 400),
     ('"1", "2"', "1", 400)],
)  # fmt: skip
def test_header_and_parameter_have_to_say_the_same(workshop, path, header, parameter, status):
    assert write(workshop.owner, "PUT", path, header, ifMatch=parameter).status_code == status


def test_a_parameter_that_comes_twice_is_refused(workshop, path):
    assert workshop.owner.put(f"{path}?ifMatch=1&ifMatch=2", CHANGE).status_code == 400
    assert workshop.owner.delete(f"{path}?ifMatch=2&ifMatch=1").status_code == 400


@pytest.mark.parametrize("condition", [None, '"1"', '"2"', 'W/"1"', "*", '"abc"'])
@pytest.mark.parametrize("method", METHODS)
def test_no_condition_tells_a_row_that_is_hidden_from_one_that_is_not_there(cast, path, method, condition):
    stranger = cast.user()
    told = [write(stranger, method, where, condition) for where in (path, NOWHERE)]
    assert [answer.status_code for answer in told] == [404, 404]
    assert told[0].json == told[1].json
    assert "ETag" not in told[0].headers


@pytest.mark.parametrize("condition", [None, '"1"', '"2"', "*"])
@pytest.mark.parametrize("method", METHODS)
def test_a_row_that_others_may_only_read_is_refused_whatever_the_condition(cast, workshop, method, condition):
    upload = workshop.path(StorageUpload, visibility="public")
    stranger = cast.user()
    assert stranger.get(upload).status_code == 200
    body = {} if method == "DELETE" else {"json": {}}
    headers = {"If-Match": condition} if condition else {}
    answer = stranger.send(method, upload, headers=headers, **body)
    assert (answer.status_code, "version" in answer.json.get("details", {})) == (403, False)


def test_who_may_remove_a_row_without_seeing_it_is_not_told_its_version(cast, workshop):
    owner = workshop.owner
    theirs = cast.key(cast.colleague(owner), "write", organization_id=owner.organization_id)
    made = created(theirs, "storage/upload", **Workshop(cast, theirs).body(StorageUpload))
    path = f"/api/v1/storage/upload/{made['id']}"
    assert owner.get(path).status_code == 404
    refused = owner.delete(path, headers={"If-Match": '"2"'})
    assert (refused.status_code, refused.json.get("details", {})) == (412, {})
    assert owner.delete(path, headers={"If-Match": '"1"'}).status_code == 200


def test_who_leaves_may_say_which_version_of_the_membership_is_meant(cast, workshop):
    owner = workshop.owner
    team, member = workshop.make(AuthTeam), cast.colleague(owner)
    made = created(owner, "auth/team-member", teamId=team["id"], userId=str(member.user_id))
    path = f"{AuthTeamMember.collection_path()}/{made['id']}"
    assert member.delete(path, headers={"If-Match": '"2"'}).status_code == 412
    assert member.delete(path, headers={"If-Match": '"1"'}).status_code == 200


def test_of_writers_who_have_seen_the_same_version_one_is_heard(workshop, path):
    owner = workshop.owner
    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(owner.put, path, {"lastName": f"Name {n}"}, headers={"If-Match": '"1"'}) for n in range(8)]
        answers = [each.result() for each in sent]
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
    assert owner.get(path).json == next(answer.json for answer in answers if answer.status_code == 200)


def test_a_malformed_list_of_tags_is_refused_at_once(workshop, path):
    began = time.thread_time()
    for hostile in ('"a"' + ", " * 24 + "x", '"a"' + " , " * 24 + "x", '"a"' + " \t" * 2000 + "x", '"a",' * 500 + "x"):
        assert write(workshop.owner, "PUT", path, hostile).status_code == 400
    assert time.thread_time() - began < 2


def test_a_refused_condition_has_no_effect_even_beside_a_fault_in_the_body(workshop, path):
    answer = workshop.owner.put(path, {"firstName": ""}, headers={"If-Match": '"2"'})
    assert answer.status_code in (400, 412)
    assert tag(workshop.owner, path).startswith('"1-')


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("sent", "status"),
    [("TAG", 304), ("W/TAG", 304), ("*", 304), ('"x", TAG', 304), ('TAG,"x"', 304), ('"x"', 200), ('"1"', 200),
     ('"*"', 200), ('"1-0000000000000000"', 200), ("", 200), ("x", 200), ('"', 200), ("nonsense, TAG", 304)],
)  # fmt: skip
def test_what_the_caller_has_is_not_sent_again(workshop, path, method, sent, status):
    seen = tag(workshop.owner, path)
    answer = write(workshop.owner, method, path, sent.replace("TAG", seen), header="If-None-Match")
    assert (answer.status_code, answer.headers["ETag"]) == (status, seen)
    if status == 304:
        assert answer.data == b""
        assert "Content-Type" not in answer.headers


@pytest.mark.parametrize(("sent", "status"), [("TAG", 304), ("BARE", 304), ("*", 304), ("2-0000000000000000", 200)])
def test_the_parameter_asks_what_if_none_match_asks(workshop, path, sent, status):
    seen = tag(workshop.owner, path)
    asked = {"ifNoneMatch": sent.replace("TAG", seen).replace("BARE", seen.strip('"'))}
    assert workshop.owner.get(path, query_string=asked).status_code == status
    both = {"headers": {"If-None-Match": seen}, "query_string": {"ifNoneMatch": '"x"'}}
    assert workshop.owner.get(path, **both).status_code == 400
    assert workshop.owner.get(path, **both | {"query_string": {"ifNoneMatch": seen}}).status_code == 304


def test_a_record_is_sent_again_once_it_has_changed(workshop, path):
    seen = tag(workshop.owner, path)
    workshop.owner.put(path, CHANGE)
    answer = workshop.owner.get(path, headers={"If-None-Match": seen})
    assert (answer.status_code, answer.json["lastName"]) == (200, "King")


def test_another_choice_of_fields_is_another_representation(workshop, path):
    seen = tag(workshop.owner, path)
    part = f"{path}?fields=email"
    assert workshop.owner.get(part, headers={"If-None-Match": seen}).status_code == 200
    assert workshop.owner.get(part, headers={"If-None-Match": tag(workshop.owner, part)}).status_code == 304


@pytest.mark.parametrize("sent", ["*", "TAG"])
def test_the_policy_is_asked_before_the_condition(cast, workshop, path, sent):
    condition = {"If-None-Match": sent.replace("TAG", tag(workshop.owner, path))}
    stranger = cast.user()
    told = [stranger.get(where, headers=condition) for where in (path, NOWHERE)]
    assert [answer.status_code for answer in told] == [404, 404]
    assert told[0].json == told[1].json
    assert cast.nobody.get(path, headers=condition).status_code == 401


def test_lists_and_new_records_take_no_condition(workshop, path):
    owner, collection = workshop.owner, CrmContact.collection_path()
    assert owner.get(collection, headers={"If-None-Match": "*"}).status_code == 200
    assert owner.get(f"{collection}?ifNoneMatch=*").status_code == 400
    body = workshop.body(CrmContact)
    for name in ("ifMatch", "ifNoneMatch"):
        assert owner.post(f"{collection}?{name}=*", body).status_code == 400


@pytest.fixture
def required(path, monkeypatch):
    """A model whose changes have to say what they are changes of."""
    monkeypatch.setattr(CrmContact, "requires_version", True)


@pytest.mark.usefixtures("required")
@pytest.mark.parametrize("method", METHODS)
def test_a_change_without_a_condition_is_refused(workshop, path, method):
    answer = write(workshop.owner, method, path)
    assert (answer.status_code, answer.json["code"]) == (428, "PRECONDITION_REQUIRED")
    assert tag(workshop.owner, path).startswith('"1-')


@pytest.mark.usefixtures("required")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("condition", ['"1"', "*"])
def test_a_change_with_one_is_carried_out(workshop, path, method, condition):
    assert write(workshop.owner, method, path, condition).status_code == 200


@pytest.mark.usefixtures("required")
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_strangers_learn_nothing_of_it(cast, path, method):
    assert write(cast.user(), method, path).status_code == 404


@pytest.mark.usefixtures("required")
def test_items_of_arrays_and_parts_of_batches_need_one_too(workshop, path):
    owner, identifier = workshop.owner, re.sub(".*/", "", path)
    change = {"id": identifier, **CHANGE}
    assert owner.put(CrmContact.collection_path(), [change]).status_code == 428
    assert owner.delete(f"{CrmContact.collection_path()}?ids={identifier}").status_code == 428
    part = {"method": "PUT", "path": path, "body": CHANGE}
    assert owner.post("/api/v1/_batch", {"requests": [part]}).status_code == 428
    assert owner.put(CrmContact.collection_path(), [change | {"ifMatch": "1"}]).status_code == 200
    assert owner.post("/api/v1/_batch", {"requests": [part | {"ifMatch": "2"}]}).status_code == 200

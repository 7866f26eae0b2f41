"""The guide routes, as the generation guide describes them."""

from __future__ import annotations

import pytest

PATH = "/api/v1/crm/company"


def test_the_list_has_the_envelope_of_the_guide(owner):
    for number in range(5):
        owner.post(PATH, {"name": f"Company {number}", "industry": "tech" if number % 2 else None})
    body = owner.get(PATH, query_string={"take": "2", "skip": "2"}).json
    assert [row["name"] for row in body.pop("data")] == ["Company 2", "Company 1"]
    assert body == {"total": 5, "page": 1, "pageSize": 2, "hasMore": True}
    last = owner.get(PATH, query_string={"take": "2", "skip": "4"}).json
    assert (last["page"], last["hasMore"], len(last["data"])) == (2, False, 1)
    assert owner.get(PATH, query_string={"industry": "tech"}).json["total"] == 2


def test_a_company_is_created_changed_by_patch_and_put_and_deleted(owner):
    made = owner.post(PATH, {"name": "Acme", "website": "https://acme.example", "revenue": 100, "employees": 3})
    assert made.status_code == 201
    path = f"{PATH}/{made.json['id']}"
    assert owner.patch(path, {"industry": "tools"}).json["industry"] == "tools"
    assert owner.put(path, {"employees": 4}).json["employees"] == 4
    deleted = owner.delete(path)
    assert (deleted.status_code, deleted.json["name"]) == (200, "Acme")
    assert owner.get(path).json == {"error": "Resource not found"}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"revenue": 0}, "revenue"),
        ({"employees": -1}, "employees"),
        ({"website": "x"}, "website"),
    ],
)
def test_invalid_input_lists_the_fields(owner, wrong, field):
    for response in (owner.post(PATH, {"name": "A"} | wrong), owner.patch(f"{PATH}/x", wrong)):
        assert response.status_code == 400
        assert response.json["error"] == "Validation error"
        assert field in [each["field"] for each in response.json["details"]]
        assert all(set(each) == {"field", "message"} for each in response.json["details"])


def test_a_company_in_use_stays(owner):
    company = owner.post(PATH, {"name": "Acme"}).json["id"]
    person = {"firstName": "A", "lastName": "B", "email": "a@example.com", "companyId": company}
    owner.post("/api/v1/crm/contact", person)
    response = owner.delete(f"{PATH}/{company}")
    assert response.status_code == 400
    assert set(response.json) == {"error"}
    assert owner.get(f"{PATH}/{company}").status_code == 200

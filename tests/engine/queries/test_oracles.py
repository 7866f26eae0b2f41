"""Nobody learns by asking what a plain GET would not show: each model's lists answer every question alike, whatever
there is that the caller may not see."""

from __future__ import annotations

import re

import pytest

from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare import relations
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import FILTERABLE, SORTABLE
from app.engine.declare.kind import LISTS, Operator
from app.engine.declare.kinds import Timestamp
from app.engine.declare.scopes import Admin, Public
from app.testing.workshop import Workshop, plain_value

# Everybody sees the rows of public models.
pytestmark = pytest.mark.every_model
MODELS = [
    model for model in every_model() if not model.has_custom_routes and not isinstance(model.policy.scope, Public)
]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())


def readable(model, flag):
    return [field for field in model.fields().values() if flag in field.spec.flags and field.spec.readable]


def questions(model):
    """Every parameter of the contract, with each field and relation that ``model`` has."""
    for field in readable(model, FILTERABLE):
        value = wire(plain_value(field)) if not field.references and field.attribute != "id" else SOME_ID
        for operator in TELLING.intersection(field.spec.kind.operators):
            sent = "true" if operator is Operator.IS_NULL else value
            yield {f"{field.name}[{operator}]": f"{sent},{sent}" if operator in LISTS else sent}
        group = f"{field.name}:day" if isinstance(field.spec.kind, Timestamp) else field.name
        yield {"_aggregate": "", "group": group, "count": ""}
    for field in readable(model, SORTABLE):
        yield {"sort": f"-{field.name}", "take": "2", "cursor": ""}
    for name, relation in relations.of(model).items():
        yield {"expand": name}
        yield {f"{name}.createdAt[gt]": "2020-01-01T00:00:00Z"}
        if not relation.many:
            yield {"sort": f"{name}.createdAt"}
            yield {"_aggregate": "", "group": f"{name}.id", "count": ""}
        else:
            yield {"where": f'{{"{name}": {{"none": {{}}}}}}'}
            yield {"where": f'{{"{name}": {{"every": {{"createdAt": {{"lt": "2020-01-01T00:00:00Z"}}}}}}}}'}
    if model.searchable:
        yield {"search": "name"}
    yield {"where": '{"not": {"id": {"isNull": true}}}', "count": "bounded"}
    yield {"where": '{"or": [{"id": {"ne": null}}, {"createdAt": {"isNull": true}}]}', "count": "none"}


# Others say the same of rows that are there, or less.
TELLING = {Operator.NE, Operator.GTE, Operator.CONTAINS, Operator.IS_NULL, Operator.HAS_ANY}
SOME_ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


def wire(value):
    return value[0] if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)


def answers(actor, model, asked, may_refuse=False):
    """What ``actor`` is answered to every question, without what differs from request to request."""
    found = []
    for question in asked:
        sent = dict(question)
        suffix = "/_aggregate" if sent.pop("_aggregate", None) is not None else ""
        answer = actor.get(f"{model.collection_path()}{suffix}", query_string=sent)
        assert answer.status_code == 200 or (may_refuse and answer.status_code == 400), (question, answer.json)
        found.append((question, re.sub(rb'"next":"[^"]*"', b'"next":"..."', answer.data)))
    return found


@every
def test_rows_of_strangers_change_no_answer(cast, model):
    asker, stranger = cast.user(), cast.user()
    Workshop(cast, asker).make(model)
    asked = list(questions(model))
    before = answers(asker, model, asked)
    Workshop(cast, stranger).make(model)
    for relation in relations.of(model).values():
        if (
            relation.many
            and not relation.target.has_custom_routes
            and not isinstance(relation.target.policy.scope, Public)
        ):
            Workshop(cast, stranger).make(relation.target)
    changed = [(one, other) for one, other in zip(before, answers(asker, model, asked), strict=True) if one != other]
    assert changed == []


@every
def test_rows_outside_of_grants_change_no_answer(cast, model):
    owner = cast.user()
    workshop = Workshop(cast, owner)
    seen = workshop.make(model)
    grant = {"models": [model.qualified_name()], "where": {"id": seen["id"]}}
    key = cast.key(owner, "read", access=[grant])
    if key.get(model.collection_path()).status_code == 403:
        pytest.skip("is read by sessions alone")
    asked = list(questions(model))
    before = answers(key, model, asked, may_refuse=True)
    workshop.make_room(model)
    workshop.make(model)
    for relation in relations.of(model).values():
        if relation.many and not relation.target.has_custom_routes and relation.target is not model:
            workshop.make_room(relation.target)
            workshop.make(relation.target)
    if owner.get(f"{model.collection_path()}/{seen['id']}").status_code == 404:
        pytest.skip("made room for another")
    after = answers(key, model, asked, may_refuse=True)
    assert [(one, other) for one, other in zip(before, after, strict=True) if one != other] == []


@pytest.mark.parametrize("model", [CrmCompany, CrmDeal], ids=lambda model: model.qualified_name())
def test_fields_outside_of_grants_change_no_answer(cast, model):
    owner = cast.user()
    made = Workshop(cast, owner).make(model)
    shown = {CrmCompany: ["name", "industry"], CrmDeal: ["name", "stage"]}[model]
    hidden = {CrmCompany: {"revenue": 7, "website": "https://example.com"}, CrmDeal: {"amount": 7, "source": "event"}}
    key = cast.key(owner, "read", access=[{"models": [model.qualified_name()], "fields": shown}])
    asked = list(questions(model))
    before = answers(key, model, asked, may_refuse=True)
    assert owner.put(f"{model.collection_path()}/{made['id']}", hidden[model]).status_code == 200
    after = answers(key, model, asked, may_refuse=True)
    assert [(one, other) for one, other in zip(before, after, strict=True) if one != other] == []


def test_models_that_a_credential_may_not_read_cannot_be_named(cast):
    owner = cast.user()
    key, path = cast.key(owner, "read"), "/api/v1/auth/user"
    for query in ({"expand": "sessionsByUser"}, {"sessionsByUser.createdAt[gt]": "2020-01-01T00:00:00Z"}):
        assert owner.get(path, query_string=query).status_code == 200
        refused = key.get(path, query_string=query)
        assert refused.status_code == 400
        names = refused.json["details"]["fields"].popitem()[1][0].partition("Allowed: ")[2]
        assert "deals" in names
        assert "session" not in names


def test_fields_for_admins_cannot_be_asked_about_by_others(cast):
    owner, path = cast.user(), "/api/v1/platform/audit-log"
    for query in ({"ipAddress[isNull]": "true"}, {"sort": "ipAddress"}, {"fields": "ipAddress"}):
        refused = owner.get(path, query_string=query)
        assert refused.status_code == 400
        assert "userAgent" not in refused.json["error"]
    assert cast.admin.get(path, query_string={"fields": "ipAddress"}).status_code == 200


def test_what_colleagues_do_not_see_of_each_other_is_no_condition_either(cast):
    owner = cast.user()
    colleague = cast.colleague(owner)
    members = "/api/v1/auth/member"
    email = cast.admin.get(f"/api/v1/auth/user/{colleague.user_id}").json["email"]
    named = owner.get(members, query_string={"userRecord.id": str(colleague.user_id)}).json["meta"]["count"]
    asked = [
        owner.get(members, query_string={"userRecord.id": str(colleague.user_id), f"userRecord.{condition}": value})
        for condition, value in (("email", email), ("email[ne]", "x@y.example"), ("email[isNull]", "false"))
    ]
    assert (named, [answer.json["meta"]["count"] for answer in asked]) == (1, [0, 0, 0])
    shown = owner.get(members, query_string={"userRecord.id": str(colleague.user_id), "expand": "userRecord"}).json
    assert set(shown["data"][0]["userRecord"]) == {"id", "name", "image"}


@pytest.mark.parametrize(
    "where",
    ['{"visibility": {"ne": "private"}}', '{"or": [{"visibility": "public"}]}', '{"not": {"visibility": "private"}}',
     '{"visibility": {"in": ["public"]}}'],
)  # fmt: skip
def test_only_an_equality_beside_all_other_conditions_opens_public_rows(cast, where):
    cast.user().post("/api/v1/crm/company", {"name": "Open", "visibility": "public"})
    reader, path = cast.user(), "/api/v1/crm/company"
    assert reader.get(path, query_string={"where": where}).json["total"] == 0
    assert reader.get(path, query_string={"where": '{"visibility": {"eq": "public"}}'}).json["total"] > 0


def test_admin_models_have_no_relations_for_others():
    assert not [name for model in MODELS for name, each in relations.of(model).items()
                if isinstance(each.target.policy.scope, Admin)]  # fmt: skip

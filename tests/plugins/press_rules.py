"""What each combined rule says, asked over HTTP; ``test_combinations`` runs it with press loaded."""

from __future__ import annotations

import pytest
from press import models as press

from app.testing.permissions import *  # noqa: F403

ARTICLES, COMMENTS = "/api/v1/press/article", "/api/v1/press/comment"
NAMES = ("desk", "staff", "order", "notice", "remark")
DESKS, STAFF, ORDERS, NOTICES, REMARKS = (f"/api/v1/press/{name}" for name in NAMES)
MODELS = [
    press.PressArticle, press.PressComment, press.PressDesk, press.PressStaff, press.PressOrder, press.PressNotice,
    press.PressPage, press.PressBoard, press.PressRemark, press.PressForm, press.PressInquiry, press.PressLetter,
    press.PressSheet, press.PressTip,
]  # fmt: skip


@pytest.fixture(scope="module")
def author(cast):
    return cast.user()


@pytest.fixture(scope="module")
def other(cast):
    return cast.user()


def article(author, **rest):
    made = author.post(ARTICLES, {"title": "Cranes", "remark": "late", **rest})
    assert made.status_code == 201, made.json
    return made.json


def order(author, **rest):
    return {"name": "Paper", "organizationId": str(author.organization_id), **rest}


def ids(response):
    assert response.status_code == 200, response.json
    return {each["id"] for each in response.json["data"]}


def test_a_draft_is_its_authors_and_what_is_published_everybodys(author, other):
    draft, published = article(author), article(author, status="published")
    assert other.get(f"{ARTICLES}/{draft['id']}").status_code == 404
    assert other.get(f"{ARTICLES}/{published['id']}").status_code == 200
    assert other.put(f"{ARTICLES}/{published['id']}", {"title": "Mine"}).status_code == 403
    assert author.put(f"{ARTICLES}/{published['id']}", {"title": "Ours"}).status_code == 200


def test_a_plain_list_has_ones_own_and_what_is_published_where_it_is_asked_for(author, other):
    draft, published = article(author), article(author, status="published")
    assert {draft["id"], published["id"]} <= ids(author.get(ARTICLES, query_string={"take": 100}))
    assert published["id"] not in ids(other.get(ARTICLES))
    found = ids(other.get(ARTICLES, query_string={"status": "published", "take": 100}))
    assert published["id"] in found
    assert draft["id"] not in found


def test_a_list_of_visible_rows_has_public_ones_of_others(author, other):
    made = [author.post(NOTICES, {"text": "t", "status": status}).json["id"] for status in ("draft", "published")]
    assert ids(other.get(NOTICES)) & set(made) == {made[1]}


def test_a_field_that_its_owner_alone_sees_is_absent_and_counts_for_nothing_elsewhere(author, other):
    published = article(author, status="published", title="Seen", remark="unseen")
    path, asked = f"{ARTICLES}/{published['id']}", {"status": "published", "id": published["id"]}
    assert author.get(path).json["remark"] == "unseen"
    assert "remark" not in other.get(path).json
    assert ids(other.get(ARTICLES, query_string={**asked, "remark": "unseen"})) == set()
    (listed,) = other.get(ARTICLES, query_string={**asked, "sort": "remark"}).json["data"]
    assert "remark" not in listed
    (group,) = other.get(f"{ARTICLES}/_aggregate", query_string={**asked, "group": "remark"}).json["data"]
    assert group["group"] == {"remark": None}
    exported = other.get(f"{ARTICLES}/_export", query_string={**asked, "as": "json"}).json
    assert [sorted(each) for each in exported] == [sorted(other.get(path).json)]


def test_a_share_changes_no_more_than_whose_record_it_is_could(author, other):
    path, home = f"/api/v1/auth/organization/{author.organization_id}", f"/api/v1/auth/user/{other.user_id}"
    assert author.put(path, {"outsideShares": True}).status_code == 200
    made = author.post(ORDERS, order(author)).json["id"]
    share = {"data": [{"with": {"email": other.get(home).json["email"]}, "may": "write"}]}
    assert author.put(f"{ORDERS}/{made}/_sharing", share).status_code == 200
    assert other.patch(f"{ORDERS}/{made}", {"name": "Ink"}).status_code == 200
    remark = author.post(REMARKS, {"text": "Soon", "orderId": made}).json["id"]
    assert remark in ids(other.get(REMARKS))
    assert other.get(f"{REMARKS}/{remark}").status_code == 200
    assert author.patch(f"{ORDERS}/{made}", {"state": "sent"}).status_code == 200
    assert [each.patch(f"{ORDERS}/{made}", {"name": "Pens"}).status_code for each in (author, other)] == [403, 403]
    assert other.get(f"{ORDERS}/{made}").status_code == 200


def test_a_comment_is_its_authors_to_change_and_readable_where_its_article_is(author, other, cast):
    published, draft = article(author, status="published"), article(author)
    made = other.post(COMMENTS, {"articleId": published["id"], "text": "Good."}).json
    path = f"{COMMENTS}/{made['id']}"
    third = cast.user()
    assert [each.get(path).status_code for each in (author, other, third)] == [200, 200, 200]
    assert author.put(path, {"text": "Bad."}).status_code == 403
    assert third.delete(path).status_code == 403
    assert other.put(path, {"text": "Very good."}).status_code == 200
    assert made["id"] in ids(third.get(COMMENTS, query_string={"articleId": published["id"]}))
    assert made["id"] in ids(author.get(COMMENTS))
    assert made["id"] not in ids(third.get(COMMENTS))
    refused = other.post(COMMENTS, {"articleId": draft["id"], "text": "?"})
    assert (refused.status_code, refused.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")


def test_what_the_own_scope_sees_of_a_comment_is_told_to_whose_the_article_is(author, other, cast):
    published = article(author, status="published")
    made = other.post(COMMENTS, {"articleId": published["id"], "text": "Good.", "aside": "Too long."}).json
    seen = [each.get(f"{COMMENTS}/{made['id']}").json for each in (author, other, cast.user())]
    assert [each.get("aside") for each in seen] == ["Too long.", "Too long.", None]


def test_what_follows_a_row_is_written_by_whoever_reads_that_but_for_what_a_rule_keeps(author, other, cast):
    published = article(author, status="published")
    made = other.post("/api/v1/press/tip", {"articleId": published["id"], "text": "Go on."})
    path, third = f"/api/v1/press/tip/{made.json['id']}", cast.user()
    assert [made.status_code, third.put(path, {"text": "Stop."}).status_code] == [201, 200]
    assert [each.delete(path).status_code for each in (author, third, cast.admin)] == [403, 403, 200]


def test_a_comment_goes_with_the_publishing_of_its_article(author, other, cast):
    published = article(author, status="published")
    made = other.post(COMMENTS, {"articleId": published["id"], "text": "Good."}).json
    path, third = f"{COMMENTS}/{made['id']}", cast.user()
    assert third.get(path).status_code == 200
    assert author.put(f"{ARTICLES}/{published['id']}", {"status": "draft"}).status_code == 200
    assert [each.get(path).status_code for each in (author, other, third)] == [200, 200, 404]


def test_a_desk_is_read_by_its_staff_and_changed_by_its_editors(author, cast):
    desk = author.post(DESKS, {"name": "News"}).json
    path = f"{DESKS}/{desk['id']}"
    editor, reader, stranger = (cast.colleague(author) for _ in range(3))
    for person, role in ((editor, "editor"), (reader, "reader")):
        made = author.post(STAFF, {"deskId": desk["id"], "userId": str(person.user_id), "role": role})
        assert made.status_code == 201, made.json
    assert [each.get(path).status_code for each in (author, editor, reader, stranger)] == [200, 200, 200, 404]
    assert [each.put(path, {"name": "N"}).status_code for each in (author, editor, reader)] == [200, 200, 403]
    for person, sees in ((editor, True), (stranger, False)):
        assert (desk["id"] in ids(person.get(DESKS))) is sees
    hired = {"deskId": desk["id"], "userId": str(stranger.user_id)}
    assert reader.post(STAFF, hired).status_code == 403
    assert editor.post(STAFF, hired).status_code == 201
    assert stranger.get(path).status_code == 200


def test_an_order_is_changed_until_it_is_sent_and_made_in_no_later_state(author, cast):
    member = cast.colleague(author)
    refused = member.post(ORDERS, order(author, state="sent"))
    assert (refused.status_code, refused.json["code"]) == (403, "FORBIDDEN")
    made = member.post(ORDERS, order(author)).json
    path = f"{ORDERS}/{made['id']}"
    assert member.put(path, {"name": "Red ink", "state": "sent"}).status_code == 200
    assert member.put(path, {"name": "Ink"}).status_code == 403
    assert member.delete(path).status_code == 403
    assert member.get(path).json["name"] == "Red ink"


def test_a_field_that_managers_write_is_refused_of_others_and_nothing_is_written(author, cast):
    member = cast.colleague(author)
    refused = member.post(ORDERS, order(author, budget=5))
    assert (refused.status_code, refused.json["details"]) == (
        403, {"fields": {"budget": ["May not be set on this record."]}},
    )  # fmt: skip
    made = member.post(ORDERS, order(author)).json
    path = f"{ORDERS}/{made['id']}"
    assert member.put(path, {"name": "Card", "budget": 5}).status_code == 403
    assert member.get(path).json == made
    assert author.put(path, {"budget": 5}).json["budget"] == 5
    assert member.put(path, {"name": "Card", "budget": 5}).status_code == 200, "a value that is there may be repeated"


def test_of_many_records_each_one_that_is_refused_is_told_by_its_index(author, cast):
    member = cast.colleague(author)
    orders = [order(author, name="A"), order(author, state="sent"), order(author, budget=1)]
    refused = member.post(ORDERS, orders)
    assert refused.status_code == 403
    assert [each["index"] for each in refused.json["details"]["items"]] == [1, 2]
    assert "A" not in {each["name"] for each in author.get(ORDERS, query_string={"take": 100}).json["data"]}


def test_a_scope_of_ones_own_says_who_reads(author, other):
    pages = {size: author.post("/api/v1/press/page", {"size": size}).json["id"] for size in (1, 2)}
    assert {size: other.get(f"/api/v1/press/page/{page}").status_code for size, page in pages.items()} == {
        1: 404, 2: 200,
    }  # fmt: skip


def test_rows_of_everybody_are_not_everybodys_to_change_where_a_rule_names_managers(author, other, cast):
    member = cast.colleague(author)
    made = author.post("/api/v1/press/board", {}).json
    path = f"/api/v1/press/board/{made['id']}"
    assert [each.get(path).status_code for each in (author, member, other)] == [200, 200, 200]
    assert [each.put(path, {"state": "shut"}).status_code for each in (member, other, author)] == [403, 403, 200]
    assert author.put(path, {"state": "open"}).status_code == 200
    assert [each.delete(path).status_code for each in (member, other, author)] == [403, 403, 200]


def test_a_row_of_all_of_several_scopes_meets_each_of_them(author, other):
    path = "/api/v1/press/letter"
    sent = [{"state": state, "seal": seal} for state in ("open", "shut") for seal in ("whole", "broken")]
    made = [author.post(path, each).json["id"] for each in sent]
    for actor, seen in ((author, made[:1]), (other, [])):
        assert [each for each in made if actor.get(f"{path}/{each}").status_code == 200] == seen
        assert ids(actor.get(path)) & set(made) == set(seen)
        assert ids(actor.get(path, query_string={"state": "open"})) & set(made) == set(seen)


def test_rows_that_are_nobodys_are_listed_where_they_are_asked_for_and_written_by_admins(author, cast):
    path = "/api/v1/press/sheet"
    sent = [{"state": state, "seal": seal} for state in ("open", "shut") for seal in ("whole", "broken")]
    made = [cast.admin.post(path, each).json["id"] for each in sent]
    assert [each for each in made if author.get(f"{path}/{each}").status_code == 200] == made[:1]
    assert ids(author.get(path)) & set(made) == set()
    assert ids(author.get(path, query_string={"state": "open"})) & set(made) == {made[0]}
    assert author.put(f"{path}/{made[0]}", {"seal": "broken"}).status_code == 403
    assert author.delete(f"{path}/{made[0]}").status_code == 403


def test_a_row_that_is_made_meets_the_rule_and_the_grants_of_its_maker(author, cast):
    granted = {"models": ["press/article"], "operations": ["create"], "where": {"title": "Cranes"}}
    key = cast.key(author, "write", access=[granted])
    assert [key.post(ARTICLES, {"title": title}).status_code for title in ("Cranes", "Ships")] == [201, 403]


def test_a_field_with_a_rule_is_written_where_grants_open_it_as_well(author, cast):
    budget = {"fields": ["budget"], "where": {"state": "asked"}}
    others = {"fields": ["name", "state", "organizationId"]}
    writes = {"models": ["press/order"], "operations": ["create", "update"]}
    grants = [{**writes, **each} for each in (others, budget)] + [{"models": ["auth/organization"]}]
    key = cast.key(author, "write", access=grants)
    made = [author.post(ORDERS, order(author, state=state)).json["id"] for state in ("open", "asked")]
    assert [key.put(f"{ORDERS}/{each}", {"budget": 5}).status_code for each in made] == [403, 200]
    sent = [order(author, state=state, budget=5) for state in ("open", "asked")]
    assert [key.post(ORDERS, each).status_code for each in sent] == [403, 201]


def test_the_list_of_a_member_narrows_what_follows_rows_of_the_organization(author, cast):
    member = cast.colleague(author, access=[])
    made = author.post(ORDERS, order(author)).json
    remark = author.post("/api/v1/press/remark", {"orderId": made["id"], "text": "Soon."}).json
    assert member.get(f"{ORDERS}/{made['id']}").status_code == 404
    assert member.get(f"/api/v1/press/remark/{remark['id']}").status_code == 404
    assert remark["id"] not in ids(member.get("/api/v1/press/remark", query_string={"orderId": made["id"]}))
    assert cast.colleague(author).get(f"/api/v1/press/remark/{remark['id']}").status_code == 200


def test_anybody_reads_and_searches_what_is_published(cast, author):
    draft, published = article(author), article(author, status="published")
    assert cast.nobody.get(f"{ARTICLES}/{published['id']}").json["title"] == "Cranes"
    assert "remark" not in cast.nobody.get(f"{ARTICLES}/{published['id']}").json
    assert cast.nobody.get(f"{ARTICLES}/{draft['id']}").status_code == 404
    found = ids(cast.nobody.get(ARTICLES, query_string={"search": "cranes", "take": 100}))
    assert published["id"] in found
    assert draft["id"] not in found
    comment = author.post(COMMENTS, {"articleId": published["id"], "text": "Well"}).json
    expanded = cast.nobody.get(f"{ARTICLES}/{published['id']}", query_string={"expand": "pressComments"}).json
    assert [each["id"] for each in expanded["pressComments"]] == [comment["id"]]
    assert cast.nobody.get(ARTICLES, query_string={"where": '{"pressComments": {"some": {}}}'}).status_code == 400

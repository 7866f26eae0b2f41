"""Conduit as its clients use it, by the specification of RealWorld."""

from __future__ import annotations

from itertools import count

import pytest

from rowgate.testing import Actor

numbers = count(1)
PASSWORD = "a wise old heron"
ARTICLE = {"title": "How to train your dragon", "description": "Ever wonder how?", "body": "Very carefully.",
           "tagList": ["training", "dragons", "dragons"]}  # fmt: skip


class Client:
    """Somebody with an account, or nobody."""

    def __init__(self, app, username=""):
        self.app, self.username, self.token = app, username, ""

    def __call__(self, method, path, body=None, **query):
        headers = {"Authorization": f"Token {self.token}"} if self.token else {}
        options = {"headers": headers, "query_string": query, **({"json": body} if body is not None else {})}
        return self.app.test_client().open(f"/api/conduit{path}", method=method, **options)

    def publish(self, **article):
        made = self("POST", "/articles", {"article": ARTICLE | article})
        assert made.status_code == 201, made.json
        return made.json["article"]


@pytest.fixture
def nobody(app):
    return Client(app)


@pytest.fixture
def join(app):
    def register():
        client = Client(app, f"reader{next(numbers)}")
        user = {"email": f"{client.username}@example.com", "password": PASSWORD, "username": client.username}
        made = client("POST", "/users", {"user": user})
        assert made.status_code == 201, made.json
        client.token = made.json["user"]["token"]
        return client

    return register


def test_an_account_is_made_signs_in_and_is_shown(nobody, join):
    ada = join()
    user = {"email": f"{ada.username}@example.com", "password": PASSWORD}
    signed_in = nobody("POST", "/users/login", {"user": user}).json["user"]
    ada.token = signed_in["token"]
    assert ada("GET", "/user").json == {"user": {"email": user["email"], "token": ada.token, "username": ada.username,
                                                 "bio": None, "image": None}}  # fmt: skip


def test_an_account_changes_all_that_is_its_own(nobody, join):
    ada = join()
    changed = {"email": f"new-{ada.username}@example.com", "username": f"new-{ada.username}", "bio": "Writes.",
               "image": "https://example.com/ada.png", "password": "two calm grey geese"}  # fmt: skip
    user = ada("PUT", "/user", {"user": changed}).json["user"]
    assert {name: user[name] for name in changed if name != "password"} == {
        name: value for name, value in changed.items() if name != "password"
    }
    assert ada("GET", "/user").status_code == 401  # a new password ends what was open
    ada.token = user["token"]
    assert ada("GET", "/user").json["user"]["username"] == changed["username"]
    login = {"email": changed["email"], "password": changed["password"]}
    assert nobody("POST", "/users/login", {"user": login}).status_code == 200


def test_an_article_is_published_changed_and_deleted_by_its_author(nobody, join):
    ada = join()
    article = ada.publish()
    assert (article["tagList"], article["favorited"], article["favoritesCount"]) == (["dragons", "training"], False, 0)
    assert article["author"] == {"username": ada.username, "bio": None, "image": None, "following": False}
    path = f"/articles/{article['slug']}"
    changed = ada("PUT", path, {"article": {"body": "With two hands"}}).json["article"]
    assert (changed["slug"], changed["body"]) == (article["slug"], "With two hands")
    renamed = ada("PUT", path, {"article": {"title": "Élan!"}}).json["article"]
    assert renamed["slug"].startswith("elan-")
    assert ada("DELETE", f"/articles/{renamed['slug']}").status_code == 204
    assert nobody("GET", f"/articles/{renamed['slug']}").status_code == 404


def test_lists_are_filtered_by_author_tag_and_favorite(nobody, join):
    ada, bob = join(), join()
    first, second = ada.publish(), ada.publish(title="Another", tagList=[ada.username])
    bob("POST", f"/articles/{second['slug']}/favorite")

    def slugs(**query):
        found = nobody("GET", "/articles", **query).json
        assert all("body" not in each for each in found["articles"])
        return [each["slug"] for each in found["articles"]], found["articlesCount"]

    assert slugs(author=ada.username) == ([second["slug"], first["slug"]], 2)
    assert slugs(author=ada.username, limit=1, offset=1) == ([first["slug"]], 2)
    assert slugs(tag=ada.username) == ([second["slug"]], 1)
    assert slugs(favorited=bob.username) == ([second["slug"]], 1)
    assert slugs(favorited=ada.username) == ([], 0)
    assert ada.username in nobody("GET", "/tags").json["tags"]


def test_a_reader_favors_an_article_once(join):
    ada, bob = join(), join()
    path = f"/articles/{ada.publish()['slug']}"
    for _ in range(2):
        article = bob("POST", f"{path}/favorite").json["article"]
        assert (article["favorited"], article["favoritesCount"]) == (True, 1)
    assert ada("GET", path).json["article"]["favorited"] is False
    assert bob("DELETE", f"{path}/favorite").json["article"]["favoritesCount"] == 0


def test_the_feed_has_articles_of_those_one_follows(join):
    ada, bob = join(), join()
    article = ada.publish()
    assert bob("GET", "/articles/feed").json == {"articles": [], "articlesCount": 0}
    for _ in range(2):
        assert bob("POST", f"/profiles/{ada.username}/follow").json["profile"]["following"] is True
    (found,) = bob("GET", "/articles/feed").json["articles"]
    assert (found["slug"], found["author"]["following"]) == (article["slug"], True)
    assert bob("DELETE", f"/profiles/{ada.username}/follow").json["profile"]["following"] is False
    assert bob("GET", "/articles/feed").json["articles"] == []


def test_comments_are_written_read_and_deleted(nobody, join):
    ada, bob = join(), join()
    path = f"/articles/{ada.publish()['slug']}/comments"
    comment = bob("POST", path, {"comment": {"body": "Thank you so much!"}}).json["comment"]
    assert comment["author"]["username"] == bob.username
    assert nobody("GET", path).json["comments"] == [comment]
    assert ada("DELETE", f"{path}/{comment['id']}").status_code == 403
    assert bob("DELETE", f"{path}/{comment['id']}").status_code == 204
    assert nobody("GET", path).json["comments"] == []


def test_others_change_nothing(join):
    ada, bob = join(), join()
    path = f"/articles/{ada.publish()['slug']}"
    assert bob("PUT", path, {"article": {"body": "Mine"}}).status_code == 403
    assert bob("DELETE", path).status_code == 403


REFUSED = {
    "no token": (("GET", "/user"), None, 401),
    "another scheme": (("GET", "/user"), "Bearer {}", 401),
    "a wrong token": (("GET", "/articles"), "Token nonsense", 401),
    "a wrong password": (("POST", "/users/login", {"user": {"email": "a@example.com", "password": "x"}}), None, 401),
    "no such article": (("GET", "/articles/nothing"), None, 404),
    "no such profile": (("GET", "/profiles/nobody-at-all"), None, 404),
    "a member too many": (("POST", "/users/login", {"user": {"email": "a", "password": "b", "c": 1}}), None, 422),
    "no body": (("POST", "/articles", {"article": {"title": "x", "description": "y"}}), "Token {}", 422),
    "an author that nobody can be called": (("GET", "/articles?author=a%00"), None, 422),
    "a window too wide": (("GET", "/articles?limit=100000"), None, 400),
}


@pytest.mark.parametrize("named", REFUSED)
def test_what_is_wrong_is_refused_in_the_shape_of_realworld(app, join, named):
    asked, header, status = REFUSED[named]
    method, path, *body = asked
    headers = {"Authorization": header.format(join().token)} if header else {}
    refused = app.test_client().open(
        f"/api/conduit{path}", method=method, headers=headers, json=body[0] if body else None
    )
    assert refused.status_code == status, refused.json
    assert list(refused.json) == ["errors"]


def test_what_is_wrong_with_a_body_is_named_within_it(nobody):
    refused = nobody("POST", "/users", {"user": {"email": "nobody", "username": " "}})
    assert set(refused.json["errors"]["fields"]) == {"user.email", "user.username", "user.password"}
    assert "user.password" not in nobody("POST", "/users", {"user": []}).json["errors"]["fields"]


def test_a_name_that_is_taken_makes_no_account(nobody, join):
    ada = join()
    user = {"email": f"second-{ada.username}@example.com", "password": PASSWORD, "username": ada.username}
    refused = nobody("POST", "/users", {"user": user})
    assert (refused.status_code, list(refused.json)) == (409, ["errors"])
    assert nobody("POST", "/users/login", {"user": {"email": user["email"], "password": PASSWORD}}).status_code == 401


@pytest.mark.parametrize("access", [None, [{"models": ["conduit/profile"], "operations": ["list", "read"]}]])
def test_no_key_changes_the_account_of_its_owner(cast, app, join, access):
    ada = join()
    owner = Actor(app, ada.token)
    made = owner.post("/api/v1/auth/api-key", {"name": "K", "scopes": ["read", "write"], "access": access})
    assert made.status_code == 201, made.json
    session, ada.token = ada.token, made.json["key"]
    refused = ada("PUT", "/user", {"user": {"password": "two calm grey geese", "email": "thief@example.com"}})
    assert refused.status_code == 403
    ada.token = session
    assert ada("GET", "/user").json["user"]["email"] == f"{ada.username}@example.com"


def test_an_account_is_changed_as_a_whole_or_not_at_all(join):
    ada, bob = join(), join()
    taken = {"bio": "Mine now", "email": f"{bob.username}@example.com"}
    assert ada("PUT", "/user", {"user": taken}).status_code == 409
    assert ada("GET", "/user").json["user"]["bio"] is None


def test_a_title_that_grows_when_it_is_spelled_out_has_a_slug(join):
    assert len(join().publish(title="㉐" * 150)["slug"]) <= 240


def test_a_key_that_reads_writes_nothing(cast, app, join):
    writer = join()
    path = f"/articles/{writer.publish()['slug']}"
    key = cast.key(cast.user(), "read")
    writer.token = key.token
    assert writer("GET", path).status_code == 200
    assert writer("DELETE", path).status_code == 403

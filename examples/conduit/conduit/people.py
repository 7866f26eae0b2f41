"""Accounts, profiles, and who follows whom."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from conduit.http import blueprint, caller_or_nobody, profile_of, reader, route
from conduit.models import ConduitFollow, ConduitProfile
from conduit.schemas import Login, Registration, UserChange, within
from rowgate import SYSTEM, Forbidden, NotFound, Principal, Unit, count, find, run_unit
from rowgate.accounts import (
    SignedIn,
    change_address,
    make_account,
    new_password_hash,
    set_password,
    sign_in,
    sign_in_with_password,
)
from rowgate.http import Answer, Blueprint, Body, answer
from rowgate.models import AuthUser

NO_SECOND_FACTOR = "Accounts with a second factor sign in at /account"


def build() -> Blueprint:
    """The blueprint that the plugin names."""
    blp = blueprint("people", "Accounts, profiles, and who follows whom.")

    @route(blp, "POST", "/users", "registerConduitUser", "Register",
           takes=Body(within("user", Registration)), gives=Answer(status=201))  # fmt: skip
    def register(given: dict[str, Any]) -> Response:
        user = given["user"]
        hashed = new_password_hash(user["password"], about=(user["username"], user["email"]))
        opened = run_unit(SYSTEM, _register, user["email"], user["username"], hashed)
        return _user(opened, 201)

    @route(blp, "POST", "/users/login", "loginConduitUser", "Sign in", takes=Body(within("user", Login)))
    def login(given: dict[str, Any]) -> Response:
        return _user(sign_in_with_password(**given["user"]))

    @route(blp, "GET", "/user", "currentConduitUser", "Show one's account")
    def current() -> Response:
        principal, profile = reader()
        return answer(_account(principal, profile, _token()))

    @route(blp, "PUT", "/user", "changeConduitUser", "Change one's account",
           takes=Body(within("user", UserChange)))  # fmt: skip
    def change(given: dict[str, Any]) -> Response:
        principal, profile = reader(session_only=True)
        user, token = given["user"], _token()
        password = user.pop("password", None)
        changed = run_unit(SYSTEM, _change, profile, user, has_password=password is not None)
        if password is not None:
            set_password(principal.user_id, password)  # which ends all sessions, this one among them
            token = _opened(run_unit(SYSTEM, lambda unit: sign_in(unit, unit.get(AuthUser, principal.user_id)))).token
        return answer(_account(principal, changed, token))

    @route(blp, "GET", "/profiles/<string:username>", "conduitProfile", "Show a profile")
    def show(username: str) -> Response:
        return _profile(caller_or_nobody(), username)

    @route(blp, "POST", "/profiles/<string:username>/follow", "followConduitProfile", "Follow somebody")
    def follow(username: str) -> Response:
        principal, mine = reader()
        edge = {"reader_id": mine["id"], "author_id": profile_named(principal, username)["id"]}
        if not _is_followed(principal, mine, edge["author_id"]):
            run_unit(principal, lambda unit: unit.create(ConduitFollow, edge))
        return _profile(principal, username)

    @route(blp, "DELETE", "/profiles/<string:username>/follow", "unfollowConduitProfile", "Follow somebody no more")
    def unfollow(username: str) -> Response:
        principal, mine = reader()
        edge = {"readerId": mine["id"], "authorId": profile_named(principal, username)["id"]}
        for each in find(ConduitFollow, principal, edge).records:
            run_unit(principal, lambda unit, found=each["id"]: unit.delete(ConduitFollow, found))
        return _profile(principal, username)

    return blp


def profile_named(principal: Principal, username: str) -> dict[str, Any]:
    """The profile of this name; raises NotFound."""
    found = find(ConduitProfile, principal, {"username": username}, take=1).records
    if not found:
        raise NotFound()
    return found[0]


def shown(profile: dict[str, Any], *, following: bool) -> dict[str, Any]:
    """A profile as RealWorld has it."""
    return {name: profile[name] for name in ("username", "bio", "image")} | {"following": following}


def _profile(principal: Principal, username: str) -> Response:
    mine, profile = profile_of(principal), profile_named(principal, username)
    following = mine is not None and _is_followed(principal, mine, profile["id"])
    return answer({"profile": shown(profile, following=following)})


def _is_followed(principal: Principal, mine: dict[str, Any], author_id: Any) -> bool:
    return count(ConduitFollow, principal, {"readerId": mine["id"], "authorId": author_id}) > 0


def _register(unit: Unit, email: str, username: str, hashed: str) -> Any:
    user = make_account(unit, email=email, name=username, password_hash=hashed)
    unit.create(ConduitProfile, {"user_id": user.id, "username": username})
    return sign_in(unit, user)


def _change(unit: Unit, profile: dict[str, Any], given: dict[str, Any], *, has_password: bool) -> dict[str, Any]:
    user = unit.get(AuthUser, profile["userId"], lock=True)
    if has_password and user.two_factor_enabled:
        raise Forbidden(NO_SECOND_FACTOR)
    email = given.pop("email", None)
    if email is not None:
        change_address(unit, user, email, verified=False)  # nobody has proved that it is theirs
    return unit.update(ConduitProfile, profile["id"], given) if given else profile


def _opened(outcome: Any) -> SignedIn:
    if not isinstance(outcome, SignedIn):
        raise Forbidden(NO_SECOND_FACTOR)
    return outcome


def _user(outcome: Any, status: int = 200) -> Response:
    opened = _opened(outcome)
    found = find(ConduitProfile, SYSTEM, {"userId": opened.user.id}, take=1).records
    if not found:
        raise Forbidden("The account has no profile")
    return answer(_body(found[0], opened.user.email, opened.token), status)


def _account(principal: Principal, profile: dict[str, Any], token: str) -> dict[str, Any]:
    (user,) = find(AuthUser, principal, {"id": principal.user_id}, fields=["email"]).records
    return _body(profile, user["email"], token)


def _body(profile: dict[str, Any], email: str, token: str) -> dict[str, Any]:
    return {"user": {"email": email, "token": token} | {name: profile[name] for name in ("username", "bio", "image")}}


def _token() -> str:
    return request.headers["Authorization"].partition(" ")[2].strip()

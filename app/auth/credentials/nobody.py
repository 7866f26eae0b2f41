"""The caller without a credential: who reads public rows of the models that say so, and makes rows where a model takes
them from anybody. The engine treats it as a caller with grants of exactly that."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from uuid import UUID

from flask import Flask, current_app, request

from app.auth.credentials.access import Access
from app.engine.declare.catalogue import every_model
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import is_nothing
from app.engine.read.grants import Grant, GrantList, Narrowing
from app.engine.write import submissions
from app.foundation.settings import settings
from app.runtime import rate_limits
from config import SettingError

Model = type[Record]
NAME = "nobody"
READS = frozenset({"list", "read"})


def init_app(app: Flask) -> None:
    """Note what is open to everybody; raises SettingError for models that have nothing public."""
    with app.app_context():
        named = {name.strip() for name in settings.anonymous_models.split(",")} - {""}
        models = {model.qualified_name(): model for model in every_model()}
        if unknown := sorted(named - models.keys()):
            raise SettingError(f"ANONYMOUS_MODELS names no model: {', '.join(unknown)}")
        read = [model for name, model in models.items() if model.policy.anonymous or name in named]
        made = [model for model in models.values() if model.policy.anonymous_create]
        for model in read:
            _check_readable(model)
        grants = [Grant(tuple(read), READS), *(submissions.grant(model) for model in made)]
        names = " ".join(each.qualified_name() for each in read)
        narrowing = Narrowing([GrantList(tuple(grants))], names)
        app.extensions[NAME] = Principal(Credential.NOBODY, UUID(int=0), frozenset(), narrowing=narrowing)


def _check_readable(model: Model) -> None:
    if is_nothing(model.policy.scope.public_rows(model)):
        raise SettingError(f"{model.qualified_name()} is read without a credential, and has no public rows")
    if model.policy.session_only is SessionOnly.ALL:
        raise SettingError(f"{model.qualified_name()} is read without a credential, and asks for a session")


def admitted(access: Access) -> Principal | None:
    """Nobody, where a route is open to nobody, counted for the network of the request; raises RateLimited."""
    requires_grants = access.requires_grants
    nobody: Principal = current_app.extensions[NAME]
    if (
        access.private
        or requires_grants is None
        or not requires_grants.is_judged
        or not requires_grants.admits(nobody.reader)
    ):
        return None
    return replace(nobody, credential_id=counted_network())


def counted_network() -> UUID:
    """The network of the running request, after the request was counted for it: what nobody asks takes the slots of
    its network. Raises RateLimited."""
    address = request.remote_addr
    rate_limits.consume_for_network(rate_limits.by_setting("anonymous"), address)
    return UUID(bytes=blake2b(rate_limits.network_of(address).encode(), digest_size=16).digest())


def may(model: Model, *operations: str) -> bool:
    """Whether the running application opens ``operations`` on ``model`` to callers without a credential."""
    nobody: Principal = current_app.extensions[NAME]
    reader: Reader = nobody.reader
    return reader.admits(model, *operations)

"""Subscriptions: a stream that says which of some records have changed, fed by the log of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flask import Response, current_app

from app.auth.credentials.authentication import caller
from app.engine.changes.telling import Followed, Heard
from app.engine.declare.principal import Principal
from app.engine.operations import verbs
from app.engine.read.encoding import dumps
from app.foundation.errors import Failure
from app.live.broadcaster import Broadcaster
from app.live.change_stream import ChangeStream
from blueprints.http.base import EVENTS, NO_BUFFERING
from blueprints.mcp import catalogue, resources
from blueprints.mcp.protocol import SUBSCRIPTION, Message
from blueprints.mcp.resources import RecordAddress

MAX_WATCHED = 100


class ResourceStream(ChangeStream):
    """A stream of changes that tells of the records at some addresses, in messages of one subscription."""

    __slots__ = ("_told", "_watched")

    def __init__(self, principal: Principal, message: Message, watched: Sequence[RecordAddress]) -> None:
        followed = sorted({address.model for address in watched}, key=lambda model: model.__tablename__)
        super().__init__(principal, Followed(followed), None)
        self._watched = {(each.model.qualified_name(), each.identifier): each.uri for each in watched}
        self._told = {"_meta": {SUBSCRIPTION: message.id}}
        self.farewell = _event({"id": message.id, "result": {"resultType": "complete", **self._told}})

    def greeting(self) -> bytes:
        """What the client is told of: those of its addresses that there are."""
        agreed = {"resourceSubscriptions": list(self._watched.values())} if self._watched else {}
        return self._notification("subscriptions/acknowledged", notifications=agreed)

    def events(self, heard: Heard) -> Iterator[tuple[bytes, ...]]:
        """A notification for each record that has changed."""
        if heard.resync:
            yield (self.resync(heard.resync),)
        for change in heard.changes:
            uri = self._watched.get((change.document["model"], change.document["recordId"]))
            if uri is not None:
                yield (self._notification("resources/updated", uri=uri),)

    def resync(self, models: Sequence[str] | None = None) -> bytes:
        """Notifications of all records, or of those of some models, of which more may have changed than is told."""
        uris = [uri for (model, _), uri in self._watched.items() if models is None or model in models]
        return b"".join(self._notification("resources/updated", uri=uri) for uri in uris)

    def reset(self) -> bytes:
        """The same, where the log begins anew."""
        return self.resync()

    def sign_of_life(self, position: int) -> bytes:
        """A heartbeat; there is no place to come back to."""
        return b": hb\n\n"

    def _notification(self, name: str, **params: Any) -> bytes:
        return _event({"method": f"notifications/{name}", "params": {**self._told, **params}})


def listen(message: Message) -> Response:
    """Open a stream of the records that the client asks for; raises NotFound where changes are not kept, Forbidden,
    ProtocolError, and RateLimited for one stream too many."""
    asked = message.params.get("notifications")
    uris = asked.get("resourceSubscriptions", []) if isinstance(asked, dict) else None
    if not isinstance(uris, list) or not all(isinstance(each, str) for each in uris) or len(uris) > MAX_WATCHED:
        raise message.invalid(f"resourceSubscriptions must be a list of at most {MAX_WATCHED} addresses")
    broadcaster: Broadcaster[ChangeStream] = current_app.extensions["live_changes"]
    stream = broadcaster.open(ResourceStream(caller(), message, list(_watched(uris))))
    response = Response(stream, content_type=EVENTS)
    response.headers.update(NO_BUFFERING)
    return response


def _watched(uris: Sequence[str]) -> Iterator[RecordAddress]:
    """The records behind those addresses that there are, of models whose changes the caller may hear of."""
    for uri in dict.fromkeys(uris):
        try:
            address = resources.address_of(uri)
            catalogue.require(address.model, verbs.LIST)
        except Failure:
            continue
        if address.model.logged:
            yield address


def _event(message: dict[str, Any]) -> bytes:
    return b"event: message\ndata: " + dumps({"jsonrpc": "2.0", **message}) + b"\n\n"

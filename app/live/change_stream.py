"""One stream of changes: what its caller follows, and the place in the log that it has reached."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from app.engine.changes import places
from app.engine.changes.places import Place
from app.engine.changes.telling import Followed, Heard, looked_at
from app.engine.declare.principal import Principal
from app.engine.read.encoding import dumps
from app.live.stream import RESET, Stream


class ChangeStream(Stream):
    """The changes of what is ``followed`` behind the cursor ``since``, or from now on. Its ``cursor`` is a position,
    in an ``epoch`` and with ``rights``; ``models`` are the names of those whose changes matter to it."""

    __slots__ = ("epoch", "followed", "models", "rights", "since")

    def __init__(self, principal: Principal, followed: Followed, since: str | None) -> None:
        super().__init__(principal)
        self.followed, self.since = followed, since
        self.epoch, self.rights = "", ""
        self.models = frozenset(looked_at(followed))

    @property
    def group(self) -> Hashable:
        """What it has in common with those that one statement judges with it."""
        return self.followed.shape, self.principal.reader, self.principal.grants_hash

    def sign_of_life(self, position: int) -> bytes:
        """A heartbeat with a place, so that a client that hears nothing comes back to where it could have heard."""
        return b": hb\nevent: place\n" + self._id(position) + b"data: {}\n\n"

    def greeting(self) -> bytes:
        """The event that a stream begins with, which has its place."""
        return b"event: ready\n" + self._id(self.cursor) + b"data: {}\n\n"

    def reset(self) -> bytes:
        """The event that says that the log begins anew, and where that is."""
        return RESET + self.greeting()

    def events(self, heard: Heard) -> Iterator[tuple[bytes, ...]]:
        """The events of what was heard, each with its place, in parts: what others are told as well is one of them."""
        if heard.resync:
            yield (self.resync(heard.resync),)
        for change in heard.changes:
            operation = change.document["operation"].encode()
            yield b"event: " + operation + b"\n" + self._id(change.position) + b"data: ", change.encoded, b"\n\n"

    def resync(self, models: Sequence[str] | None = None) -> bytes:
        """The event that names models, or all, of which more has changed than is told. It has no place of its own:
        whoever is cut off before the changes behind it hears of both again."""
        named = [each.qualified_name() for each in self.followed.models] if models is None else models
        return b"event: resync\ndata: " + dumps({"models": named}) + b"\n\n"

    def _id(self, position: int) -> bytes:
        return b"id: " + places.write(self.principal, Place(self.epoch, position, self.rights)).encode() + b"\n"

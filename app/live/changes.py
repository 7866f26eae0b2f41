"""Changes as they happen: what is committed is numbered, judged for whoever may hear of it, and put into their streams.

All streams of a process are served by one look at the log; those that follow the same with the same kind of rights are
judged by one statement. Who has missed much is told it by pages first.
"""

from __future__ import annotations

import logging
import random
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from flask import Flask

from app.auth.credentials.credentials import reload_principals
from app.engine.changes import feed, places, sequencer
from app.engine.changes.audience import Audience, portions
from app.engine.changes.history import days_kept
from app.engine.changes.telling import BETWEEN, Candidate, candidates, judge, tell
from app.engine.read.concurrency import query_slot
from app.engine.read.statements import autocommit_connection
from app.foundation.errors import Failure, RateLimited, Unavailable
from app.live.broadcaster import Broadcaster
from app.live.change_stream import ChangeStream
from app.live.stream import BEAT, RESET, RETRY

log = logging.getLogger(__name__)

# Changes that one look brings at most, and pairs of a change and a stream that one statement judges.
BATCH_SIZE, PAIRS = 500, 5000
# Pairs that one look brings at most to streams that are behind: the next changes of all others wait for it.
LATE_PAIRS = 1000
# Up to JOINS positions from the end, a stream is served by the same looks as the others, as are all who come back at
# once after a restart; before that it has pages of so many changes. Streams up to NEAR go first: for each look of
# theirs there is one for those further behind, who keep nobody waiting.
JOINS, NEAR, PAGE = 5000, 250, 400
# Seconds until somebody for whom there is no room looks again, at most.
NO_ROOM = 2.0
# Callers whose rights are looked at anew by one statement.
RENEWED = 500


class Changes:
    """Brings changes to the streams of whoever may hear of them."""

    poll_every, check_every, per_look, per_check = 0.5, 15.0, 20_000, 100

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._audience: Audience[ChangeStream] = Audience()

    def begin(self, stream: ChangeStream) -> None:
        """Raises NotFound where changes are not kept, and InvalidPagination."""
        days_kept()
        # Whoever comes back hears of what is not numbered yet with the next look, and ten thousand may at once.
        known, now = feed.latest(stream.principal, numbers=stream.since is None)
        since = now if stream.since is None else places.read(stream.principal, stream.since)
        is_kept = since.is_kept(known)
        stream.epoch, stream.rights = now.epoch, now.rights
        stream.cursor = since.position if is_kept else now.position
        if not stream.is_open:
            return  # the process is ending
        first = RETRY + (b"" if is_kept else RESET)
        if is_kept and since.rights != now.rights:
            first += stream.resync()
        first += stream.greeting()
        self._audience.add(stream)
        if known.last - stream.cursor > JOINS:
            stream.missed, stream.cursor = chain((first,), self._missed(stream, stream.cursor)), None
        else:
            stream.put(first)

    def _missed(self, stream: ChangeStream, position: int) -> Iterator[bytes]:
        """What has changed since a place that is far behind, until the stream is near the others."""
        is_far, told_of = True, stream.rights
        while is_far:
            try:
                with self._app.app_context():
                    self._renew([stream])
                    if not stream.is_open:
                        return
                    last = sequencer.positions().last
                    with query_slot(stream.principal):
                        heard, position = feed.changes_behind(stream.principal, stream.followed, position, last, PAGE)
                    events = [b"".join(parts) for parts in stream.events(heard)]
                    if stream.rights != told_of:
                        events.insert(0, stream.resync())
                        told_of = stream.rights
                    events.append(stream.sign_of_life(position))
            except (RateLimited, Unavailable):
                yield BEAT
                time.sleep(random.uniform(NO_ROOM / 2, NO_ROOM))  # noqa: S311 - no secret
                is_far = stream.is_open  # nobody may tell while the database is away
                continue
            except Failure:
                stream.end()  # its client comes back
                return
            yield b"".join(events)
            is_far = last - position > JOINS and stream.is_open
        stream.cursor = position

    def deliver(self, streams: Sequence[ChangeStream]) -> bool:
        with suppress(Failure):  # whose turn it is gives the positions
            sequencer.number_changes()
        known = sequencer.positions()
        epoch = str(known.epoch)
        for stream in streams:
            if stream.epoch != epoch:
                stream.epoch, stream.cursor = epoch, known.last
                stream.put(stream.reset())
        near = [stream for stream in streams if known.last - stream.cursor <= NEAR]
        late = [stream for stream in streams if known.last - stream.cursor > NEAR and stream.has_room]
        lanes = ((near, None), (late, LATE_PAIRS))
        has_more = [self._look(some, known.last, most) < known.last for some, most in lanes if some]
        return any(has_more)

    def _look(self, streams: Sequence[ChangeStream], last: int, most: int | None) -> int:
        """Bring what is new up to the position ``last`` to ``streams``, or the first part of it, of ``most`` pairs, and
        return the position that all of them have reached."""
        since = min(stream.cursor for stream in streams)
        if since >= last:
            return last
        with autocommit_connection() as connection:
            rows = candidates(connection, BETWEEN, {"since": since, "until": last, "most": BATCH_SIZE})
        reached = rows[-1].position if len(rows) == BATCH_SIZE else last
        hearing = self._hearing(set(streams), rows)
        told = dict(_first(hearing, most))
        self._tell(told, reached)
        for stream in streams:
            if stream.cursor < reached and (stream in told or stream not in hearing):
                stream.cursor = reached
        return reached if len(told) == len(hearing) else since

    def check(self, streams: Sequence[ChangeStream]) -> None:
        # One that is beginning has no rights so far.
        self._renew([stream for stream in streams if stream.rights])
        for stream in streams:
            if stream.is_open and stream.cursor is not None:
                stream.put(stream.sign_of_life(stream.cursor))

    def forget(self, stream: ChangeStream) -> None:
        self._audience.remove(stream)

    def _hearing(
        self, streams: Collection[ChangeStream], rows: Sequence[Candidate]
    ) -> dict[ChangeStream, list[Candidate]]:
        """The changes that each stream may have to tell."""
        hearing: dict[ChangeStream, list[Candidate]] = defaultdict(list)
        for row in rows:
            for stream in self._audience.of(row):
                if stream in streams and stream.cursor < row.position:
                    hearing[stream].append(row)
        return hearing

    def _tell(self, hearing: dict[ChangeStream, list[Candidate]], reached: int) -> None:
        """Put into streams what they are told of the changes up to ``reached``, with the rights of now."""
        concerned = list(hearing)
        for start in range(0, len(concerned), RENEWED):
            self._renew(concerned[start : start + RENEWED])
        still = {stream: rows for stream, rows in hearing.items() if stream.is_open}
        for some in portions(still, PAIRS):
            pairs = [(number, row) for number, stream in enumerate(some) for row in hearing[stream]]
            try:
                with autocommit_connection("queries") as connection:
                    followed, principals = some[0].followed, [stream.principal for stream in some]
                    told = tell(connection, followed, principals, judge(connection, followed, principals, pairs))
            except Unavailable:
                raise
            except Exception:
                log.exception("Streams ended, as what they are told could not be judged")
                for stream in some:
                    stream.end()
                continue
            for stream, heard in zip(some, told, strict=True):
                stream.cursor = reached
                for parts in stream.events(heard):
                    stream.put(*parts)

    def _renew(self, streams: Sequence[ChangeStream]) -> None:
        """Look at the rights of callers anew: end the streams of those who have none, and tell others of theirs that
        have changed."""
        found = reload_principals([(stream.principal, stream.address) for stream in streams])
        going_on = []
        for stream, each in zip(streams, found, strict=True):
            if each is None:
                stream.end()
            else:
                going_on.append((stream, each))
        for (stream, principal), rights in zip(going_on, places.rights([each for _, each in going_on]), strict=True):
            if not stream.is_open:
                continue
            has_changed = rights != stream.rights or bool(principal.recipients) != bool(stream.principal.recipients)
            if has_changed:
                self._audience.remove(stream)
            was, stream.principal, stream.rights = stream.rights, principal, rights
            if has_changed:
                self._audience.add(stream)
            if was != rights and stream.cursor is not None:
                stream.put(stream.resync())


def _first(
    hearing: Mapping[ChangeStream, list[Candidate]], most: int | None
) -> Iterator[tuple[ChangeStream, list[Candidate]]]:
    """The first of the streams, one at least, with ``most`` changes in all."""
    number = 0
    for stream, rows in hearing.items():
        number += len(rows)
        if most is not None and number > max(most, len(rows)):
            return
        yield stream, rows


def init_app(app: Flask) -> None:
    """Let ``app`` stream changes."""
    app.extensions["live_changes"] = Broadcaster(app, Changes(app), app.extensions["change_signals"])

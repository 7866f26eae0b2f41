"""Rounds of load with one fault each, and what was found out by them."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from types import TracebackType

from tests.faults import change_log
from tests.faults.faults import Fault, Missed
from tests.faults.ledger import Ledger, Outcome
from tests.faults.load import STOPPED_WITHIN, Client
from tests.faults.quiet import within
from tests.faults.service import Service
from tests.faults.streams import ChangeFollower, Follower
from tests.faults.verify import LATE, Verifier
from tests.faults.webhooks import Receiver, have_arrived

# Seconds within which the service is well again, and within which each client has an answer that it likes.
RECOVERED_WITHIN = 30.0
READY_WITHIN = 20.0
# Seconds after which a notification has come where no request fails: streams look every few seconds without Redis.
SLOW = 12.0
# Seconds within which webhooks have all arrived: who sends them may be killed, and leaves a claim of a minute.
ARRIVED_WITHIN = 150.0
SHOWN = 8


@dataclass
class Round:
    """One round: the fault, how requests ended, how long the service took to recover, and what is wrong."""

    fault: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    recovery: float | None = None
    served: float | None = None
    latest: float = 0.0
    dry: float = 0.0
    restarts: int = 0  # by the supervisor, of what nobody killed
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counted = " ".join(f"{outcome} {self.outcomes[outcome]}" for outcome in Outcome)
        times = ", ".join(
            f"{name} after {'-' if took is None else f'{took:.1f} s'}"
            for name, took in (("ready", self.recovery), ("all served", self.served))
        )
        times += f", notified within {self.latest:.1f} s, jobs done after {self.dry:.1f} s"
        restarts = f" | {self.restarts} ended by themselves" if self.restarts else ""
        return f"{self.fault:<25} {counted} | {times}{restarts} | findings: {len(self.findings) or 'none'}"

    def shown_findings(self) -> list[str]:
        """The findings, the first ones of many."""
        more = len(self.findings) - SHOWN
        return self.findings[:SHOWN] + ([f"... and {more} more"] if more > 0 else [])


class Rounds:
    """A running service under load, to which faults happen one after the other."""

    def __init__(
        self,
        service: Service,
        *,
        clients: int,
        followers: int,
        seed: int,
        before: float = 2.0,
        after: float = 2.0,
        of_changes: int = 0,
        webhooks: int = 0,
    ) -> None:
        self.seed, self.before, self.after = seed, before, after
        self.service, self.ledger, self.chance = service, Ledger(), Random(seed)
        self._numbers = clients, followers, of_changes, webhooks
        self.clients: list[Client] = []
        self.followers: list[Follower] = []
        self.change_followers: list[ChangeFollower] = []
        self.receivers: list[Receiver] = []
        self._stack = ExitStack()

    def __enter__(self) -> Rounds:
        with ExitStack() as stack:
            stack.callback(self._join_followers)
            stack.enter_context(self.service)
            number, followed, followed_changes, webhooks = self._numbers
            people, admin = self.service.people(number)
            port = self.service.port
            self.clients = [
                Client(person, admin, port, self.ledger, f"{self.seed}-{index}") for index, person in enumerate(people)
            ]
            self.followers = [Follower(person, port) for person in people[:followed]]
            self.change_followers = [ChangeFollower(people[place % number], port) for place in range(followed_changes)]
            for place in range(webhooks):
                self.receivers.append(Receiver(people[place % number], port, self.seed + place))
                stack.callback(self.receivers[-1].end)
            stack.callback(self._end)
            for each in (*self.followers, *self.change_followers, *self.clients):
                each.start()
            if not all(each.ready.wait(READY_WITHIN) for each in (*self.followers, *self.change_followers)):
                raise TimeoutError("the streams do not begin")
            self.verifier = Verifier(self.service, self.ledger, self.clients, self.followers)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def _end(self) -> None:
        for each in (*self.clients, *self.followers, *self.change_followers):
            each.ended.set()
        for client in self.clients:
            client.join(STOPPED_WITHIN)

    def _join_followers(self) -> None:
        for follower in (*self.followers, *self.change_followers):
            follower.join(STOPPED_WITHIN)

    def play(self, fault: Fault) -> Round:
        """Let ``fault`` happen under load, and look at what is left of it."""
        played = Round(fault.name)
        for client in self.clients:
            client.running.set()
        time.sleep(self.before)
        self.service.healed_at = None
        try:
            fault.happen(self.service, self.chance)
        except Missed as missed:
            played.findings.append(str(missed))
        self._recover(played)
        time.sleep(self.after)
        self._pause(played)
        page = self.ledger.turn_page()
        played.outcomes = page.outcomes
        with (self.service.folder / "answers.log").open("a") as log:
            log.writelines(f"{fault.name}: {failure}\n" for failure in page.failures)
        played.findings += page.faults
        if not fault.felt:
            played.findings += [f"felt, though it need not be: {each}" for each in page.failures]
        late = LATE if fault.felt else SLOW
        played.findings += self.verifier.findings(late)
        played.findings += change_log.findings(self.service, self.change_followers, late)
        played.latest, played.dry = self.verifier.latest, self.verifier.dry_after
        played.findings += self.ledger.turn_page().faults
        played.restarts = self._own_endings(played)
        return played

    def last(self) -> Round:
        """What is found when everything has had its time."""
        within(ARRIVED_WITHIN, lambda: have_arrived(self.service))
        unheard = change_log.unheard(self.service, self.receivers, ARRIVED_WITHIN)
        return Round("at the end", findings=[*self.verifier.last_findings(), *unheard])

    def _recover(self, played: Round) -> None:
        healed = self.service.healed_at or time.monotonic()
        since = self.service.recover(healed + RECOVERED_WITHIN - time.monotonic())
        if since is None:
            played.findings.append(f"not ready after {RECOVERED_WITHIN:.0f} s: {self.service.readiness()}")
        else:
            played.recovery = since - healed
        if within(RECOVERED_WITHIN, lambda: all(client.served_at > healed for client in self.clients)):
            played.served = max(client.served_at for client in self.clients) - healed
        else:
            waiting = [client.name for client in self.clients if client.served_at <= healed]
            played.findings.append(
                f"{len(waiting)} clients have no good answer {RECOVERED_WITHIN:.0f} s after the fault"
            )

    def _pause(self, played: Round) -> None:
        for client in self.clients:
            client.running.clear()
        busy = [client.name for client in self.clients if not client.idle.wait(STOPPED_WITHIN)]
        if busy:
            played.findings.append(f"requests have no end: {busy}")

    def _own_endings(self, played: Round) -> int:
        """How often processes ended without being killed; that of the workers of jobs is what its supervisor is for."""
        web, jobs = self.service.web.own_endings, self.service.jobs.own_endings
        played.findings += [f"gunicorn ended by itself with {status}" for status in web]
        number = len(web) + len(jobs)
        web.clear()
        jobs.clear()
        return number

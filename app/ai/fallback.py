"""Fallback: the providers of a plan are tried in order until one begins to answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from typing import Protocol

from app.ai import breaker, passages
from app.ai.completion import CompletionInfo, Delta, Prompt, ProviderFailure
from app.ai.providers import BUILTIN, Candidate, Plan
from app.foundation.errors import Failure, Unavailable, UpstreamFailure

# Seconds before a provider is asked again, doubled each time.
AGAIN_AFTER = 0.2
REASONS = {"timeout": "No provider answered in time", "rate_limit": "The provider takes no more questions for now"}

Call = Callable[[Candidate, Prompt, CompletionInfo, float], Generator[Delta, None, None]]


class AttemptObserver(Protocol):
    """Whoever wants to know how each try went."""

    def skipped(self, candidate: Candidate) -> None:
        """A provider was passed over because it keeps failing."""

    def check(self) -> None:
        """Raise where no answer is wanted any more; asked before another try."""

    def began(self, candidate: Candidate) -> None:
        """A provider is about to be called."""

    def ended(self, candidate: Candidate, reply: CompletionInfo, failure: ProviderFailure | None) -> None:
        """The call is over, by an answer or a failure."""

    def left(self, candidate: Candidate, reply: CompletionInfo) -> None:
        """Whoever read the answer has gone."""


class StreamInterrupted(Exception):
    """An answer that broke off after it had begun."""

    def __init__(self, failure: ProviderFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def answer(
    plan: Plan, prompt: Prompt, reply: CompletionInfo, observer: AttemptObserver
) -> Generator[Delta, None, None]:
    """The pieces of the first answer that begins. A provider that fails before that is followed by the next one, when
    the plan says so of its failure. Closing the iterator closes the call.

    Raises UpstreamFailure or Unavailable before the first piece, StreamInterrupted after it.
    """
    calls = {candidate.kind: _call(candidate.kind) for candidate in plan.candidates}
    deadline = time.monotonic() + plan.timeout
    failure: ProviderFailure | None = None
    for candidate in _tries(plan, observer, deadline):
        begun, asked = False, time.monotonic()
        try:
            observer.began(candidate)
            for piece in calls[candidate.kind](candidate, prompt, reply, deadline):
                begun = True
                yield piece
        except ProviderFailure as found:
            failure = found
            observer.ended(candidate, reply, failure)
            if begun:
                raise StreamInterrupted(failure) from None
            breaker.record_failure(candidate, failure, time.monotonic() - asked)
            if failure.code not in plan.retry_on:
                break
            vars(reply).update(vars(CompletionInfo()))
        except GeneratorExit:
            observer.left(candidate, reply)
            raise
        except BaseException:
            observer.ended(candidate, reply, ProviderFailure("server_error", "The service failed"))
            raise
        else:
            observer.ended(candidate, reply, None)
            breaker.record_success(candidate)
            return
    raise _nobody(failure)


def _tries(plan: Plan, observer: AttemptObserver, deadline: float) -> Iterator[Candidate]:
    """Each try that the plan allows, another one until ``deadline`` and while an answer is wanted; between two at one
    provider there is a pause."""
    left = plan.max_attempts
    for candidate in plan.candidates:
        if left and not breaker.allows_call(candidate):
            observer.skipped(candidate)
            continue
        for number in range(min(1 + candidate.retries, left)):
            if number:
                time.sleep(AGAIN_AFTER * 2 ** (number - 1))
            if left < plan.max_attempts:
                if time.monotonic() >= deadline:
                    return
                observer.check()
            left -= 1
            yield candidate


def _call(kind: str) -> Call:
    if kind == BUILTIN:
        return passages.pieces
    # The SDK takes half a second to import: that is for services that use it, and before the clock starts.
    from app.ai import upstream

    return upstream.pieces


def _nobody(failure: ProviderFailure | None) -> Failure:
    if failure is None:
        return Unavailable("No provider is there to answer")
    return UpstreamFailure(REASONS.get(failure.code, "No provider answered"), details={"reason": failure.code})

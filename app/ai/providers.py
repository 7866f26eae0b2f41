"""Plans: the chain that answers a chat, with its providers in the order in which they are tried."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider
from app.engine.declare.principal import Principal
from app.foundation.crypto import vault

BUILTIN = "builtin"
MILLION = 1_000_000


@dataclass(frozen=True)
class Candidate:
    """A provider at its place in a chain, with what the place overrides. In seconds, ``timeout`` is how long a silence
    may last here, ``patience`` how long it may as far as the provider is concerned."""

    chain_provider_id: UUID
    provider_id: UUID
    slug: str
    kind: str
    base_url: str | None
    model: str
    timeout: float
    patience: float
    retries: int
    degraded: bool
    failures: int
    weight: int
    prices: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    sealed_secret: str | None = field(default=None, repr=False)

    def secret(self) -> str | None:
        """The provider's credential, opened for one call."""
        return vault().decrypt(self.sealed_secret) if self.sealed_secret else None

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> int | None:
        """What an answer costs in millionths of a US dollar, where the provider's price list has the model."""
        read, written = (self.prices.get(name) for name in ("inputMicrosPerMillion", "outputMicrosPerMillion"))
        if not isinstance(read, int | float) or not isinstance(written, int | float):
            return None
        return round(((input_tokens or 0) * read + (output_tokens or 0) * written) / MILLION)


@dataclass(frozen=True)
class Plan:
    """Who is tried, in which order, how often and for how long; ``timeout`` in seconds for the whole answer."""

    chain_id: UUID | None
    candidates: tuple[Candidate, ...]
    max_attempts: int
    timeout: float
    retry_on: frozenset[str]


def choose(session: Session, principal: Principal, chain_id: UUID | None, organization_id: UUID | None) -> Plan:
    """The plan of the chain that was chosen, else of the organization's default one, else of the system's. A chain that
    is switched off, or that the caller does not see any more, is passed over."""
    chain = _chain(session, principal, chain_id, organization_id)
    if chain is None:
        return Plan(None, (), 1, 1.0, frozenset())
    rows = session.execute(
        select(AiChainProvider, AiProvider)
        .join(AiProvider, AiProvider.id == AiChainProvider.provider_id)
        .where(AiChainProvider.chain_id == chain.id, AiChainProvider.enabled, AiProvider.status != "disabled")
        .order_by(AiChainProvider.position)
    )
    candidates = [_candidate(chain, place, provider) for place, provider in rows]
    if chain.strategy == "weighted":
        candidates = _drawn(candidates)
    return Plan(chain.id, tuple(candidates), chain.max_attempts, chain.timeout_ms / 1000, frozenset(chain.retry_on))


def _chain(
    session: Session, principal: Principal, chain_id: UUID | None, organization_id: UUID | None
) -> AiChain | None:
    visible = AiChain.policy.visible(AiChain, principal.reader)
    active = select(AiChain).where(AiChain.status == "active")
    if chain_id is not None:
        chosen = session.scalar(active.where(AiChain.id == chain_id, visible), principal.binds)
        if chosen is not None:
            return chosen
    default = active.where(AiChain.is_default)
    own = (
        session.scalar(default.where(AiChain.organization_id == organization_id, visible), principal.binds)
        if organization_id is not None
        else None
    )
    return own or session.scalar(default.where(AiChain.organization_id.is_(None)))


def _candidate(chain: AiChain, place: AiChainProvider, provider: AiProvider) -> Candidate:
    model = place.model or provider.default_model
    listed = (each for each in provider.models if isinstance(each, dict) and each.get("id") == model)
    return Candidate(
        chain_provider_id=place.id,
        provider_id=provider.id,
        slug=provider.slug,
        kind=provider.kind,
        base_url=provider.base_url,
        model=model,
        timeout=(place.timeout_ms or provider.timeout_ms) / 1000,
        patience=provider.timeout_ms / 1000,
        retries=place.max_retries,
        degraded=provider.status == "degraded",
        failures=provider.consecutive_failures,
        weight=place.weight,
        prices=next(listed, {}),
        parameters={**chain.parameters, **place.parameters},
        sealed_secret=provider.api_key,
    )


def _drawn(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates in an order drawn by lot, each with the chance of its weight to be next (Efraimidis and
    Spirakis, 2006)."""
    return sorted(candidates, key=lambda each: random.random() ** (1 / each.weight), reverse=True)  # noqa: S311 - no secret

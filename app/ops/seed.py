"""Seed rows: flags, the built-in provider and the default chain, each created once."""

from __future__ import annotations

from sqlalchemy import select

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider
from app.engine.write.unit_of_work import Unit
from app.platform import flags
from app.platform.models import PlatformFeatureFlag

BUILTIN_PROVIDER = "passages"


def seed(unit: Unit) -> None:
    """Make the flags, the built-in provider and the default chain that are not there yet."""
    for key, name in flags.NAMES.items():
        if not unit.session.scalar(select(PlatformFeatureFlag.id).where(PlatformFeatureFlag.key == key)):
            unit.session.add(PlatformFeatureFlag(key=key, name=name, enabled=False))
    provider = unit.session.scalar(select(AiProvider).where(AiProvider.slug == BUILTIN_PROVIDER))
    if provider is None:
        provider = AiProvider(slug=BUILTIN_PROVIDER, name="Passages", kind="builtin", default_model=BUILTIN_PROVIDER)
        unit.store(provider)
    if not unit.session.scalar(select(AiChain.id).where(AiChain.organization_id.is_(None), AiChain.is_default)):
        chain = AiChain(name="Default", is_default=True, visibility="public")
        unit.store(chain)
        unit.session.add(AiChainProvider(chain_id=chain.id, provider_id=provider.id, position=0))
    unit.session.flush()

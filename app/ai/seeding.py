"""The built-in provider, and the chain that answers where nobody has chosen another."""

from __future__ import annotations

from sqlalchemy import select

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider
from app.ai.providers import BUILTIN
from app.engine.write.unit_of_work import Unit
from app.platform.seeding import seeded

BUILTIN_PROVIDER = "passages"


@seeded.subscribe
def make_chain(unit: Unit) -> None:
    """Make them, unless they are there."""
    provider = unit.session.scalar(select(AiProvider).where(AiProvider.slug == BUILTIN_PROVIDER))
    if provider is None:
        provider = AiProvider(slug=BUILTIN_PROVIDER, name="Passages", kind=BUILTIN, default_model=BUILTIN_PROVIDER)
        unit.store(provider)
    if not unit.session.scalar(select(AiChain.id).where(AiChain.organization_id.is_(None), AiChain.is_default)):
        chain = AiChain(name="Default", is_default=True, visibility="public")
        unit.store(chain)
        unit.session.add(AiChainProvider(chain_id=chain.id, provider_id=provider.id, position=0))

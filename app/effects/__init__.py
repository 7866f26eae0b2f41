"""What follows writes, domain by domain, inside their transaction. Importing the package registers every effect."""

from app.effects import (
    ai,
    ai_agent,
    ai_rag,
    ai_research,
    analytics,
    auth,
    canvases,
    crm,
    keys,
    notification,
    storage,
)

__all__ = [
    "ai", "ai_agent", "ai_rag", "ai_research", "analytics", "auth", "canvases", "crm", "keys", "notification",
    "storage",
]  # fmt: skip

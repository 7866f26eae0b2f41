"""The plugins of the product, and which of them are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from config import SettingError

PRODUCT = (
    "mail", "ai", "ai_agent", "ai_rag", "ai_research", "analytics", "auth", "crm", "storage", "notification",
    "platform", "webhooks", "teams",
)  # fmt: skip
# Those that every service has: people, their rights, mail, files and what is told to them.
ALWAYS = ("mail", "auth", "storage", "notification", "platform", "webhooks")


def of_product(domains: Sequence[str]) -> dict[str, Any]:
    """Return the plugins of the product that are to be loaded, in its order, by their modules: all, or those called
    ``domains`` with what they require. Raises SettingError for a domain that is none."""
    wanted = {each.replace("-", "_") for each in domains} or set(PRODUCT)
    if unknown := sorted(wanted - {*PRODUCT}):
        known = ", ".join(each.replace("_", "-") for each in PRODUCT)
        raise SettingError(f"DOMAINS names {unknown[0]}, which is none of {known}")
    found: dict[str, Any] = {}
    waiting = [*ALWAYS, *wanted]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = import_module(f"app.{name}.plugin").plugin
            waiting += [each.name.replace("-", "_") for each in found[name].requirements]
    return {f"app.{name}.plugin": found[name] for name in PRODUCT if name in found}

"""The plugins of the product, and which of them are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from config import SettingError

# In the order in which they are loaded, as their hooks run in it; each with those that it needs.
PRODUCT: dict[str, tuple[str, ...]] = {
    "mail": (),
    "ai": ("ai_rag", "analytics"),
    "ai_agent": ("ai", "crm"),
    "ai_rag": ("ai",),
    "ai_research": ("ai", "ai_agent", "crm"),
    "analytics": ("crm",),
    "auth": (),
    "crm": (),
    "storage": (),
    "notification": (),
    "platform": (),
    "webhooks": (),
    "teams": ("ai_agent",),
}
# Those that every service has: people, their rights, mail, files and what is told to them.
ALWAYS = ("mail", "auth", "storage", "notification", "platform", "webhooks")


def of_product(domains: Sequence[str]) -> dict[str, Any]:
    """Return the plugins of the product that are to be loaded, by their modules: all, or those called ``domains`` with
    those that they need. Raises SettingError for a domain that is none."""
    waiting = [each.replace("-", "_") for each in domains] or [*PRODUCT]
    if unknown := sorted({*waiting} - {*PRODUCT}):
        known = ", ".join(each.replace("_", "-") for each in PRODUCT)
        raise SettingError(f"DOMAINS names {unknown[0]}, which is none of {known}")
    wanted = {*ALWAYS}
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += PRODUCT[name]
    modules = [f"app.{name}.plugin" for name in PRODUCT if name in wanted]
    return {module: import_module(module).plugin for module in modules}

"""A plugin with a name that is taken."""

from __future__ import annotations

from app.plugins import Plugin

plugin = Plugin("crm", "Not the one of the product.")

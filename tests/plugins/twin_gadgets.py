"""A plugin with a name that is taken."""

from __future__ import annotations

from rowgate import Plugin

plugin = Plugin("crm", "Not the one of the product.")

"""What corners bring to the application."""

from __future__ import annotations

from corners import hooks, models

from rowgate import Plugin

plugin = Plugin("corners", "Models of rarer shapes.", version="1.0", models=(models,), hooks=(hooks,))

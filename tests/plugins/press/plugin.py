"""What press brings to the application."""

from __future__ import annotations

from press import models

from rowgate import Plugin

plugin = Plugin("press", "Models whose rules combine.", version="1.0", models=(models,))

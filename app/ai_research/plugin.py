"""The plugin of research projects."""

from app.ai_research import hooks, knowledge, models
from app.plugins import Plugin

plugin = Plugin(
    "ai-research",
    "Research projects: questions, the sources read, what was found and the report.",
    models=(models,),
    hooks=(hooks, knowledge),
)

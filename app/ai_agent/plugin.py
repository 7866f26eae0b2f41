"""The plugin of agents and their work."""

from app.ai_agent import deliverables, hooks, models
from app.jobs.registry import Job, mark_failed
from app.plugins import Plugin

plugin = Plugin(
    "ai-agent",
    "Configured agents, the work they hand in, and how that work is judged and improved.",
    models=(models,),
    hooks=(hooks,),
    jobs={hooks.RUN_AGENT: Job(deliverables.work_on, mark_failed(models.AiAgentDeliverable, "running"))},
    notifications=("APPROVAL_REQUEST",),
)

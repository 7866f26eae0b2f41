"""What the domain brings to the application."""

from __future__ import annotations

from app.jobs import queue
from app.jobs.registry import Job, Periodic, as_unit
from app.plugins import Plugin
from app.teams import inbox, meetings, messages, models, processing, subscriptions, tab

plugin = Plugin(
    "teams",
    "Microsoft Teams: the bot, Graph and the tab.",
    models=(models,),
    hooks=(tab,),
    jobs={
        queue.PROCESS_EVENT: Job(processing.process),
        queue.DELIVER_TO_TEAMS: Job(messages.deliver, messages.give_up),
        queue.POST_TO_TEAMS: Job(messages.post_again),
        queue.KEEP_SUBSCRIPTION: Job(subscriptions.keep),
    },
    periodic=(
        Periodic("remind_of_meetings", "* * * * *", meetings.remind),
        Periodic("expire_inbound_events", "35 3 * * *", inbox.expire),
        Periodic("renew_graph_subscriptions", "*/10 * * * *", as_unit(subscriptions.renew_due)),
    ),
)

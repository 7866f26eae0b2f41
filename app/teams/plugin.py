"""The plugin of the Teams integration."""

from app.jobs.registry import Job, Periodic, as_unit
from app.plugins import Plugin
from app.teams import errors, graph, inbox, meetings, messages, models, processing, settings, subscriptions, tab

plugin = Plugin(
    "teams",
    "Microsoft Teams: the bot, Graph and the tab.",
    models=(models,),
    hooks=(tab,),
    jobs={
        inbox.PROCESS: Job(processing.process),
        messages.DELIVER: Job(messages.deliver, messages.give_up),
        messages.POST: Job(messages.post_again),
        graph.KEEP: Job(subscriptions.keep),
    },
    periodic=(
        Periodic("remind_of_meetings", "* * * * *", meetings.remind),
        Periodic("expire_inbound_events", "35 3 * * *", inbox.expire),
        Periodic("renew_graph_subscriptions", "*/10 * * * *", as_unit(subscriptions.renew_due)),
    ),
    notifications=("MEETING_STARTING",),
    blueprints=(
        "blueprints.teams.webhooks:build",
        "blueprints.teams.messages:build",
        "blueprints.teams.meetings:build",
        "blueprints.teams.tab:build",
        "blueprints.teams.tab:build_page",
    ),
    commands=("app.commands.teams:group",),
    errors=(
        errors.TeamsAuthenticationFailed,
        errors.TeamsCredentialsRefused,
        errors.TeamsPermissionDenied,
        errors.TabContextUnavailable,
        errors.MeetingNotFound,
    ),
    settings=settings.SETTINGS,
)

"""The plugin of mail."""

from app.jobs.registry import Job, Periodic, as_unit
from app.mail import delivery, models, outbox, settings, templates
from app.plugins import Plugin

plugin = Plugin(
    "mail",
    "Messages to addresses: templates, the outbox, delivery.",
    models=(models,),
    mails=templates.FOLDER,
    jobs={outbox.DELIVER: Job(delivery.deliver)},
    periodic=(
        Periodic("deliver_due_mail", "* * * * *", delivery.deliver_due),
        Periodic("expire_mail", "15 3 * * *", as_unit(delivery.expire)),
    ),
    blueprints=("blueprints.service.mailbox:build",),
    commands=("app.commands.mail:group",),
    settings=settings.SETTINGS,
)

"""The plugin of webhooks."""

from app.jobs.registry import Continuous, Job, Periodic, as_unit
from app.plugins import Plugin
from app.webhooks import hooks, models, resending, service, switching

plugin = Plugin(
    "webhooks",
    "Changes told to addresses of users, signed, until they arrive.",
    models=(models,),
    hooks=(hooks,),
    jobs={resending.REPLAY: Job(resending.replay_since)},
    periodic=(
        Periodic("switch_off_overflowing_webhooks", "* * * * *", as_unit(switching.switch_off_overflowing)),
        Periodic("expire_webhook_deliveries", "*/10 * * * *", switching.expire),
    ),
    continuous=(Continuous("webhooks", service.serve),),
    blueprints=("blueprints.content.webhooks:build",),
)

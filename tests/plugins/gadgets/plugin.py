"""What gadgets bring to the application."""

from __future__ import annotations

from gadgets import errors, hooks, models, reports

from rowgate import Job, Plugin, Setting, as_unit

plugin = Plugin(
    "gadgets",
    "Gadgets and their parts.",
    version="1.2.0",
    models=(models,),
    hooks=(hooks,),
    blueprints=("gadgets.routes:build",),
    commands=("gadgets.commands:command",),
    jobs={hooks.TEST_GADGET: Job(as_unit(hooks.test))},
    notifications=("GADGET_TESTED",),
    errors=(errors.TooManyParts,),
    reports={"gadgets": reports.gadgets},
    settings=(Setting("gadgets_max_parts", 2, "most parts of a gadget", low=1, high=1000),),
)

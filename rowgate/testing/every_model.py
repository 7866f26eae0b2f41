"""What all models share, shown on each of them: create, read back, change, filter, list, delete.

A module of tests takes it all, and names its models:

    from rowgate.testing.every_model import *  # noqa: F403

    MODELS = [Task, Project]

``EXCEPT`` may say why a test is not for a model: ``{("test_every_plain_field_can_be_changed_alone", Task): "why"}``.
"""

from app.testing.every_model import *  # noqa: F403
from app.testing.every_model import __all__ as __all__

"""The permission matrix: every model, every verb, every kind of caller, against a second reading of the rules.

A module of tests takes it all, and names its models:

    from rowgate.testing.permissions import *  # noqa: F403

    MODELS = [Task, Project]
    PUBLISHED = json.loads(Path("tests/dictionary.json").read_text())

What is expected is worked out here from the entries of the dictionary, ``rowgate resources --json``, and not by the
policy objects that the engine runs on, so that a slip in either shows. ``PUBLISHED`` is the dictionary as the project
keeps it; without one it is made of the models, and a policy that says something else than was meant does not show.
"""

from app.testing.permissions import *  # noqa: F403
from app.testing.permissions import __all__ as __all__

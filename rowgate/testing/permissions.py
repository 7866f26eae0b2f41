"""The permission matrix of models: ``docs/testing.md`` says how a module takes it."""

from app.testing.permissions import *  # noqa: F403
from app.testing.permissions import __all__ as __all__

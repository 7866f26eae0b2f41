"""The tests that every model passes: ``docs/testing.md`` says how a module takes them."""

from app.testing.every_model import *  # noqa: F403
from app.testing.every_model import __all__ as __all__

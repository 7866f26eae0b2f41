"""The test kit: who acts in tests, what records are made of, and what is waited for.

The fixtures come with the pytest plugin of ``rowgate[testing]``. ``rowgate.testing.every_model`` and
``rowgate.testing.permissions`` have the tests that every model passes.
"""

from app.testing.cast import Actor, Cast
from app.testing.clock import Clock
from app.testing.database import transaction, unit_of_work
from app.testing.reading import Reading
from app.testing.waiting import await_true, perform
from app.testing.workshop import Workshop, examples

__all__ = [  # noqa: RUF022
    "Actor", "Cast", "Workshop", "examples", "Reading", "Clock", "transaction", "unit_of_work", "perform", "await_true",
]  # fmt: skip

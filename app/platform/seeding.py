"""Rows that every service has from its start on: each domain makes its own, once."""

from app.engine.write.unit_of_work import Unit
from app.foundation.events import Event

# What is not there yet is to be made now.
seeded: Event[[Unit]] = Event()

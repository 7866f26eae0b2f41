"""The settings of notifications and preferences."""

from config import Setting

SETTINGS = (Setting("streams_per_user", 20, "streams of notifications of a user in each worker", low=1, high=10_000),)

"""Key usage: each check is recorded in batches, summed by the hour, and returned as a series."""

from app.auth.keys.key_usage.recorder import Recorder, begin, close, flush, init_app, set_outcome

__all__ = ["Recorder", "begin", "close", "flush", "init_app", "set_outcome"]

"""The record of key use: noted at each check, written in batches, summed by the hour, answered as a series."""

from app.auth.key_usage.recorder import Recorder, begin, close, conclude, flush, init_app

__all__ = ["Recorder", "begin", "close", "conclude", "flush", "init_app"]

"""The record of key use: noted at each check, written in batches, summed by the hour, answered as a series."""

from app.usage.recorder import begin, close, conclude, flush, init_app

__all__ = ["begin", "close", "conclude", "flush", "init_app"]

"""The studio in a real browser, over a running service."""

"""Notifications: who is told of what, over which channel, and the live stream."""

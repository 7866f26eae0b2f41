"""Notifications: their routing over channels, and the live stream."""

"""Notifications as they happen: one hub in each process, which feeds its open streams from the database."""

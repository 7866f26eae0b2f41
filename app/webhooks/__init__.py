"""Webhooks: changes are told to addresses of users, signed, in order for each record, and again until they arrive."""

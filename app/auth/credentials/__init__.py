"""Credentials: who calls, by which session, key or ticket, and how often one may try."""

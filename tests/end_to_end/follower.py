"""Follows notifications with the Python client and prints what comes: ``python follower.py ADDRESS``."""

from __future__ import annotations

import sys

from rowgate_client import AuthenticatedClient, RowgateError, follow_notifications


class Broken(Exception):
    """What the caller's own code raises."""


def on_reset() -> None:
    print("reset")
    if "--break-on-reset" in sys.argv:
        raise Broken("on reset")


try:
    for notification in follow_notifications(AuthenticatedClient(sys.argv[1], token="any"), on_reset=on_reset):
        print("notification:", notification["title"])
except RowgateError as refusal:
    print("refused:", refusal.status)
except Broken as error:
    print("broken:", error)
except ValueError:
    print("broken: JSON")

"""Notifications in a channel of Slack, by an incoming webhook."""

from __future__ import annotations

import time
from html import escape

import httpx2
from flask import current_app

from rowgate import Channel, Outbound, Unavailable
from rowgate.models import NotificationNotification


def post(notification: NotificationNotification) -> None:
    """Say in the channel what somebody is told; raises Unavailable, after which it is tried again."""
    settings = current_app.config["SETTINGS"]
    if not settings.helpdesk_slack_url or not notification.type.startswith("HELPDESK_"):
        return
    text = escape(f"*{notification.title}*\n{notification.body}".strip(), quote=False)
    try:
        with Outbound(time.monotonic() + 10, private=settings.helpdesk_slack_private).client() as client:
            client.post(settings.helpdesk_slack_url, json={"text": text}).raise_for_status()
    except httpx2.HTTPError as error:
        raise Unavailable("Slack") from error


channel = Channel(post)

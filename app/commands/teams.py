"""flask teams: the app package for Microsoft Teams, and a look at whether everything is set up."""

from __future__ import annotations

import json
import logging
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from flask import current_app

from app.commands import subscriptions
from app.commands.groups import Group, as_json, show
from app.foundation.errors import Failure
from app.foundation.settings import settings
from app.teams.app_tokens import bot_token
from app.teams.tokens import KeysAway, UnknownKey, key_set

group = Group("teams", help="Set up Microsoft Teams.")
group.add_command(subscriptions.group)
SCHEMA = "https://developer.microsoft.com/en-us/json-schemas/teams/v1.17/MicrosoftTeams.schema.json"
HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:\d+)?")
ICONS = ("color.png", "outline.png")
PACKAGE = click.Path(dir_okay=False, path_type=Path)
COLUMNS = ("setting", "state", "note")


@group.command()
@click.option("--host", required=True, help="Where people reach the service, such as app.example.com.")
@click.option("--app-id", help="The app id; that of the settings when omitted.")
@click.option("--output", default="rowgate-teams.zip", show_default=True, type=PACKAGE, help="Where to write it.")
def manifest(host: str, app_id: str | None, output: Path) -> None:
    """Write the app package: the manifest and its icons."""
    if not HOST.fullmatch(host):
        raise click.BadParameter("Takes a host name, such as app.example.com.", param_hint="--host")
    identifier = app_id or settings.teams_app_id
    try:
        UUID(identifier)
    except ValueError:
        raise click.BadParameter("Takes the app id of a registration, a GUID.", param_hint="--app-id") from None
    folder = Path(current_app.static_folder or "") / "teams"
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("manifest.json", json.dumps(app_manifest(host, identifier), indent=2))
        for icon in ICONS:
            package.write(folder / icon, icon)
    click.echo(f"{output} is written: upload it in the Teams admin center, or as a custom app")


def app_manifest(host: str, app_id: str) -> dict[str, Any]:
    """The manifest of the app at ``host`` (Microsoft Teams app manifest, version 1.17)."""
    site = f"https://{host}"
    meetings = ["OnlineMeeting.ReadBasic.Chat", "ChannelMeeting.ReadBasic.Group"]
    return {
        "$schema": SCHEMA,
        "manifestVersion": "1.17",
        "version": "1.0.0",
        "id": app_id,
        "developer": {"name": "Rowgate", "websiteUrl": site, "privacyUrl": site, "termsOfUseUrl": site},
        "name": {"short": "Rowgate", "full": "Rowgate notifications"},
        "description": {
            "short": "Notifications, meetings and approvals",
            "full": "Shows notifications as they happen, meetings and how you are notified; a bot listens in channels.",
        },
        "icons": {"color": ICONS[0], "outline": ICONS[1]},
        "accentColor": "#4F52B2",
        "showLoadingIndicator": True,
        "validDomains": [host.partition(":")[0]],
        "configurableTabs": [
            {
                "configurationUrl": f"{site}/api/integrations/teams/tab/config",
                "canUpdateConfiguration": True,
                "scopes": ["team", "groupChat"],
                "context": ["channelTab", "privateChatTab", "meetingChatTab", "meetingDetailsTab", "meetingSidePanel"],
            }
        ],
        "staticTabs": [
            {"entityId": "rowgate", "name": "Rowgate", "contentUrl": f"{site}/teams-tab",
             "websiteUrl": f"{site}/teams-tab", "scopes": ["personal"]},
        ],
        "bots": [{"botId": app_id, "scopes": ["personal", "team", "groupChat"]}],
        "webApplicationInfo": {"id": app_id, "resource": f"api://{host}/botid-{app_id}"},
        "authorization": {
            "permissions": {"resourceSpecific": [{"name": name, "type": "Application"} for name in meetings]}
        },
    }  # fmt: skip


@group.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the settings for Teams and say what is missing; exit status 1 when something is."""
    logging.disable(logging.WARNING)  # what the log would say is among the findings
    try:
        found = [{"setting": name, "state": state, "note": note} for name, state, note in _findings()]
    finally:
        logging.disable(logging.NOTSET)
    show(found, as_json, COLUMNS)
    if any(each["state"] in ("missing", "wrong") for each in found):
        raise SystemExit(1)


def _findings() -> Iterator[tuple[str, str, str]]:
    for name, why in (
        ("teams_app_id", "without it the webhook believes nobody"),
        ("teams_app_secret", "without it the bot cannot write"),
    ):
        yield name.upper(), "ok" if getattr(settings, name) else "missing", "" if getattr(settings, name) else why
    tenant = "" if settings.teams_tenant_id else "empty means an old multi-tenant bot; new ones have a tenant"
    yield "TEAMS_TENANT_ID", "ok" if settings.teams_tenant_id else "note", tenant
    secure = settings.base_url.startswith("https://")
    yield "BASE_URL", "ok" if secure else "missing", "" if secure else "Teams calls and frames https addresses only"
    if settings.teams_emulator:
        yield "TEAMS_EMULATOR", "wrong" if settings.production else "note", "activities of the emulator are believed"
    yield _keys()
    if settings.teams_app_id and settings.teams_app_secret:
        yield _credentials()
    yield _certificates()


def _keys() -> tuple[str, str, str]:
    try:
        with suppress(UnknownKey):  # which shows that there are some
            key_set(settings.teams_bot_metadata_url).find("")
    except KeysAway:
        return "TEAMS_BOT_METADATA_URL", "wrong", "the keys of the Bot Framework cannot be fetched"
    return "TEAMS_BOT_METADATA_URL", "ok", ""


def _credentials() -> tuple[str, str, str]:
    try:
        bot_token()
    except Failure as error:
        return "MICROSOFT_AUTHORITY", "wrong", f"no token for the bot: {error.text}"[:120]
    return "MICROSOFT_AUTHORITY", "ok", ""


def _certificates() -> tuple[str, str, str]:
    folder = Path(settings.teams_certificates) if settings.teams_certificates else None
    if folder is None:
        return "TEAMS_CERTIFICATES", "note", "notifications with content are ignored"
    keys = sorted(path.stem for path in folder.glob("*.pem")) if folder.is_dir() else []
    return "TEAMS_CERTIFICATES", "ok" if keys else "missing", ", ".join(keys) or "there is no private key in it"

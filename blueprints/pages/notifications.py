"""How one is notified: of what, by which channels, and when not."""

from __future__ import annotations

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from flask import Response
from wtforms import BooleanField, IntegerField, SelectField, SelectMultipleField, StringField
from wtforms.fields import SelectChoice
from wtforms.validators import InputRequired, NumberRange, Regexp
from wtforms.widgets import CheckboxInput, ListWidget, TimeInput

from app.auth.credentials.authentication import caller
from app.foundation.languages import gettext, marked
from app.foundation.languages import lazy as _
from app.notification import preferences
from app.notification.routing import default_of
from blueprints.http.base import load
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm
from schemas.content.notifications import preferences_update

CHANNELS = {
    "stream": marked("On the pages, as it happens"),
    "teams": marked("In Microsoft Teams"),
    "email": marked("By e-mail"),
}
TYPES = {
    "APPROVAL_REQUEST": marked("Work waits for your approval"),
    "CANVAS_ACCESS": marked("A canvas is shared with you"),
    "CANVAS_MENTION": marked("A canvas names you"),
    "IMPORT_FINISHED": marked("An import is finished"),
    "INSIGHT_READY": marked("An insight is ready"),
    "MEETING_STARTING": marked("A meeting starts"),
    "MENTION": marked("Somebody names you"),
    "MESSAGE": marked("Messages"),
}
CLOCK_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


class Switches(SelectMultipleField):
    """Several switches, of which any may be on."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


def _clock_time(label: Any) -> Any:
    rules = [InputRequired(), Regexp(CLOCK_TIME, message=_("Enter a time such as 22:00."))]
    return StringField(label, rules, widget=TimeInput())


class PreferencesForm(AccountForm):
    enabled = BooleanField(_("Notify me at all"))
    channels = Switches(_("Where"))
    types = Switches(_("Of what"))
    by_channel = Switches(_("Of what, by each way"))
    quiet = BooleanField(_("Quiet hours: nothing by e-mail or in Teams"))
    start = _clock_time(_("From"))
    end = _clock_time(_("Until"))
    timeZone = SelectField(_("Time zone"))  # noqa: N815 - the wire name
    meetingLeadMinutes = IntegerField(  # noqa: N815 - the wire name
        _("Minutes before a meeting"), [InputRequired(), NumberRange(0, 120)], render_kw={"inputmode": "numeric"}
    )

    def offer(self, stored: dict[str, Any]) -> None:
        """Offer what can be chosen: what there is, and what is stored."""
        self.channels.choices = [SelectChoice(name, _label(CHANNELS, name)) for name in _channels(stored)]
        types = {name: _label(TYPES, name) for name in _types(stored)}
        self.types.choices = [SelectChoice(name, label) for name, label in types.items()]
        self.by_channel.choices = [
            SelectChoice(f"{name}/{channel}", label) for channel in _channels(stored) for name, label in types.items()
        ]
        zones = sorted({*_zones(), stored["quietHours"]["timeZone"]})
        self.timeZone.choices = [SelectChoice(name, name.replace("_", " ")) for name in zones]


@pages.signed_in
def notifications() -> Response:
    stored = preferences.own(caller())
    hours = stored["quietHours"]
    form = pages.shown(
        PreferencesForm, enabled=stored["enabled"], channels=_on(_channels(stored)), types=_on(_types(stored)),
        by_channel=_on(_by_channel(stored)),
        quiet=hours["enabled"], start=hours["start"], end=hours["end"], timeZone=hours["timeZone"],
        meetingLeadMinutes=stored["meetingLeadMinutes"],
    )  # fmt: skip
    form.offer(stored)
    return pages.page("notifications", form=form)


@pages.signed_in
@pages.acts_on("notifications")
def change() -> Response:
    stored = preferences.own(caller())
    form = pages.sent(PreferencesForm, lambda form: form.offer(stored))
    sent = {
        "enabled": form.enabled.data,
        "channels": {name: name in form.channels.data for name in _channels(stored)},
        "types": {name: name in form.types.data for name in _types(stored)} | _exceptions(stored, form.by_channel.data),
        "quietHours": {
            "enabled": form.quiet.data, "start": form.start.data, "end": form.end.data, "timeZone": form.timeZone.data,
        },
        "meetingLeadMinutes": form.meetingLeadMinutes.data,
    }  # fmt: skip
    preferences.change(caller(), load(preferences_update(), sent))
    return pages.done("notifications", gettext("Saved."))


def _channels(stored: dict[str, Any]) -> dict[str, bool]:
    """Every channel that there is, or that is stored, and whether it is on."""
    return default_of("channels") | stored["channels"]


def _types(stored: dict[str, Any]) -> dict[str, bool]:
    """Every type likewise, by name."""
    known = default_of("types") | {name: is_on for name, is_on in stored["types"].items() if "/" not in name}
    return dict(sorted(known.items()))


def _by_channel(stored: dict[str, Any]) -> dict[str, bool]:
    """Every type by every channel; what is not stored is on."""
    names = (f"{name}/{channel}" for channel in _channels(stored) for name in _types(stored))
    return {name: stored["types"].get(name, True) for name in names}


def _exceptions(stored: dict[str, Any], chosen: list[str]) -> dict[str, bool]:
    """What is to be stored of the types by channel: those that are off, and those that were. A page from before there
    were such switches sends none."""
    if not chosen:
        return {}
    return {name: name in chosen for name in _by_channel(stored) if name not in chosen or name in stored["types"]}


def _on(switches: dict[str, bool]) -> list[str]:
    return [name for name, is_on in switches.items() if is_on]


def _label(known: dict[str, str], name: str) -> str:
    """What a switch is called; those of plugins by their names."""
    return gettext(known[name]) if name in known else name.replace("_", " ").capitalize()


@cache
def _zones() -> frozenset[str]:
    """The zones that people know by a place."""
    return frozenset({"UTC", *(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))})


ROUTES = (
    ("/notifications", "notifications", notifications),
    ("/notifications", "change_notifications", change, "POST"),
)

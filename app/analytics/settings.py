"""The settings of events, insights and reports."""

from config import Setting

SETTINGS = (
    Setting(
        "analytics_days",
        0,
        "days that analytics events and activities are kept; 0 keeps them for good",
        low=0,
        high=36500,
    ),
)

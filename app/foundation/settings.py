"""The settings of the running application."""

from flask import current_app
from werkzeug.local import LocalProxy

from config import Settings

settings: Settings = LocalProxy(lambda: current_app.config["SETTINGS"])  # type: ignore[assignment]

"""The application that gunicorn serves and the flask command loads."""

import sys
from logging.config import dictConfig

from app import logs
from app.factory import create_app
from config import SettingError, Settings

try:
    settings = Settings.from_environment()
    dictConfig(logs.configuration(settings))
    app = create_app(settings)
except SettingError as error:
    sys.exit(f"rowgate: {error}")
except OSError as error:
    sys.exit(f"rowgate: VAR_DIR cannot be used: {error}")

"""The application that gunicorn serves and the flask command loads."""

import sys

from app.factory import create_app
from config import SettingError

try:
    app = create_app()
except SettingError as error:
    sys.exit(f"rowgate: {error}")

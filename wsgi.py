"""The application that gunicorn serves and the flask command loads."""

import logging
import sys

from app.factory import create_app
from config import SettingError

logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

try:
    app = create_app()
except SettingError as error:
    sys.exit(f"rowgate: {error}")
except OSError as error:
    sys.exit(f"rowgate: VAR_DIR cannot be used: {error}")

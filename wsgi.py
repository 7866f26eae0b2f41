"""The application that gunicorn serves and the flask command loads."""

from app.factory import create_app

app = create_app()

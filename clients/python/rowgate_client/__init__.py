"""Typed client of a Rowgate service.

``openapi`` is generated: a module for each operation under ``openapi.api``, a class for each body under
``openapi.models``. ``models`` is too: ``Rowgate`` in it has the lists of every model, typed. The two things that a
description cannot say, answers and notifications that stream, are here.
"""

from rowgate_client.chat import ChatAnswer, stream_chat
from rowgate_client.errors import RowgateError
from rowgate_client.notifications import Place, follow_notifications
from rowgate_client.openapi import AuthenticatedClient, Client

__all__ = [
    "AuthenticatedClient",
    "ChatAnswer",
    "Client",
    "Place",
    "RowgateError",
    "follow_notifications",
    "stream_chat",
]

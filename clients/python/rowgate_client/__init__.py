"""Typed client of a Rowgate service.

``openapi`` is generated: a module for each operation under ``openapi.api``, a class for each body under
``openapi.models``. ``models`` is too: ``Rowgate`` in it has the records of every model, typed. What a description
cannot say is here: answers and notifications that stream, and writes that are sent again when no answer comes.
"""

from rowgate_client.batch import BatchReply, BatchRequest, reference
from rowgate_client.changes import Change, ChangesPage, DeletedRecord, Reset, Resync, Undone, Version
from rowgate_client.chat import ChatAnswer, stream_chat
from rowgate_client.connection import AuthenticatedClient
from rowgate_client.errors import RowgateError, VersionConflict
from rowgate_client.events import Place
from rowgate_client.notifications import follow_notifications
from rowgate_client.openapi import Client
from rowgate_client.versions import version_of
from rowgate_client.writing import transactions

__all__ = [
    "AuthenticatedClient",
    "BatchReply",
    "BatchRequest",
    "Change",
    "ChangesPage",
    "ChatAnswer",
    "Client",
    "DeletedRecord",
    "Place",
    "Reset",
    "Resync",
    "RowgateError",
    "Undone",
    "Version",
    "VersionConflict",
    "follow_notifications",
    "reference",
    "stream_chat",
    "transactions",
    "version_of",
]

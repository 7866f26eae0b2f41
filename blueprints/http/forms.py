"""Forms with a file, read as they come."""

from __future__ import annotations

from typing import Any

from flask import request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from app.engine.write.hooks import require
from app.foundation.errors import Invalid, PayloadTooLarge

# What surrounds the file in a form: boundaries and headers.
FORM_ROOM = 64 * 1024
# What the parser may hold: a piece of 64 KiB, and what is left of the one before while it looks for a boundary.
PARSER_ROOM = 4 * FORM_ROOM


def parsed_form(open_file: Any) -> FileStorage:
    """The one file of a form, written to what ``open_file`` makes as it comes; raises Invalid and PayloadTooLarge."""
    parser = FormDataParser(stream_factory=open_file, max_form_memory_size=PARSER_ROOM, max_form_parts=8, silent=False)
    try:
        _, form, files = parser.parse(request.stream, request.mimetype, request.content_length, request.mimetype_params)
    except RequestEntityTooLarge:
        raise PayloadTooLarge("The file is larger than uploads may be") from None
    except (ValueError, ClientDisconnected):
        raise Invalid("The form is broken off or malformed") from None
    for name in (*form, *files):
        require(name == "file", name, "Unknown field.")
    require("file" in files, "file", "Missing data for required field.")
    return files["file"]

"""Commands of ``flask``: failures are one line, and what is listed is a table or JSON."""

from app.commands.groups import Command, Group, as_json, show

__all__ = ["Command", "Group", "as_json", "show"]

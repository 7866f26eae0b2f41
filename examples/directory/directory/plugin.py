"""What the directory brings to the service."""

from __future__ import annotations

from directory import people
from rowgate import Plugin, Setting, SignIn

plugin = Plugin(
    "directory",
    "Sign in with the name and the password of an LDAP directory.",
    version="1.0.0",
    requires="rowgate>=0.3",
    sign_in={"company": SignIn("Company account", people.prove)},
    settings=(
        Setting("directory_url", "ldap://localhost", "where it is, such as ldaps://ldap.example.com",
                pattern=r"ldaps?://[^/?#@\s]+"),
        Setting("directory_base", "", "below which entry people are, such as ou=people,dc=example,dc=com"),
        Setting("directory_filter", "(uid={login})", "what finds somebody by the name that they type"),
        Setting("directory_reader", "", "name of the entry that searches; empty for anybody"),
        Setting("directory_reader_password", "", "its password"),
    ),
)  # fmt: skip

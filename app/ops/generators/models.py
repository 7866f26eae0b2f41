"""A model as a class, and the places where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import indent

from app.ops.generators.columns import Column, Misread

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
CLASS = '''class {name}(Record):
    """{says}"""

    __tablename__ = "{table}"
    domain, segment, plural = "{domain}", "{segment}", "{plural}"
    policy = Policy(Organization("organization_id")){keys}

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
{columns}'''
IMPORTS = {
    "rowgate": ("CALLER_ORGANIZATION", "FILTERABLE", "IMMUTABLE", "Organization", "Policy", "Record", "reference"),
    "uuid": ("UUID",), "sqlalchemy.orm": ("Mapped",),
}  # fmt: skip


def class_name(domain: str, segment: str) -> str:
    """What the class of a model is called: ``ShopBooking``."""
    return "".join(part.capitalize() for part in re.split("[-_]", f"{domain}-{segment}"))


def table_name(domain: str, segment: str) -> str:
    return f"{domain}_{segment}".replace("-", "_")


def split_name(qualified: str) -> tuple[str, str]:
    """The domain and the segment of ``shop/booking``; raises Misread."""
    domain, slash, segment = qualified.partition("/")
    if not slash or not NAME.fullmatch(domain) or not NAME.fullmatch(segment):
        raise Misread(f"{qualified} is no name of a model: write it as in its path, such as shop/booking")
    return domain, segment


def written(domain: str, segment: str, columns: Sequence[Column]) -> str:
    """The class of a model of an organization."""
    noun, name = segment.replace("-", " "), class_name(domain, segment)
    numbers = [each.attribute for each in columns if "sequence" in each.imports["rowgate"]]
    lines = "\n".join(column.text for column in columns)
    return CLASS.format(
        name=name,
        says=f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}.",
        table=table_name(domain, segment),
        domain=domain,
        segment=segment,
        plural=f"{name[0].lower()}{name[1:]}s",
        keys="".join(f'\n    keys = (unique("organization_id", "{each}"),)' for each in numbers[:1]),
        columns=indent(lines, "    "),
    )


def keys_of(columns: Sequence[Column]) -> tuple[str, ...]:
    """The names that the keys of a class with ``columns`` take."""
    return ("unique",) if any("sequence" in each.imports["rowgate"] for each in columns) else ()


def imports_of(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """The names that columns take, by module."""
    found: dict[str, tuple[str, ...]] = {}
    for column in columns:
        for module, names in column.imports.items():
            found[module] = (*found.get(module, ()), *names)
    return found

"""How text compares and sorts: case aside first, then exactly, both in the order of code points.

Statements and indexes say it in the same words, so that the one serves the other.
"""


def folded(text: str) -> str:
    """The SQL of ``text`` with case aside."""
    return f'lower({text}) COLLATE "C"'


def sorted_as(value: str, *, is_text: bool) -> list[str]:
    """The SQL of what ``value`` sorts by."""
    return [folded(value), f'{value} COLLATE "C"'] if is_text else [value]

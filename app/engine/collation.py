"""How text compares and sorts: case aside first, then exactly, both in the order of code points.

Statements and indexes say it in the same words, so that the one serves the other.
"""


def folded(text: str) -> str:
    """The SQL of ``text`` with case aside."""
    return f'lower({text}) COLLATE "C"'


def sorted_as(text: str) -> list[str]:
    """The SQL of what ``text`` sorts by."""
    return [folded(text), f'{text} COLLATE "C"']

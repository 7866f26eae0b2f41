"""Places are drawn, found again and changed as they are meant to be, and asked about by the tests that are closest."""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from dataclasses import replace

import pytest

from config import ROOT
from tests.mutations import places
from tests.mutations.changes import REACHED, changes, compiles
from tests.mutations.places import Gone, Place
from tests.mutations.report import Result, lost, table

CHANGED = {
    "comparison turned round": ("x = a < b", "x = a >= b"),
    "and/or swapped": ("x = a and not_b", "x = (a or not_b)"),
    "not removed": ("x = not a", "x = bool(a)"),
    "condition always": ("if a: f(b)", "if True: f(b)"),
    "condition never": ("x = b if a else c", "x = b if False else c"),
    "number raised": ("LIMIT = 4", "LIMIT = 5"),
    "nothing returned": ("def f(): return a", "def f(): return None"),
    "call removed": ("with a: f(b)", "with a: None"),
    "default changed": ("def f(a=True): pass", "def f(a=False): pass"),
    "element dropped": ('x = {"a", "b"}', 'x = {"b"}'),
    "+/- swapped": ("x = a + b * c", "x = a - (b * c)"),
}
LEFT_ALONE = [
    '"""It has 3 words."""', "x: Literal[3]", "def f(a: list[3]) -> Literal[3]: pass", 'log.info("told", 3)',
    "class A:\n    def __repr__(self): return 3", "if TYPE_CHECKING:\n    LIMIT = 3", 'x = f(help="3" + 3)', "assert 3",
    '__all__ = ["a"]', "def f(): return None",
]  # fmt: skip
MODULE = "def one():\n    return 1\n\n\ndef two():\n    return 1\n"


@pytest.fixture(scope="module")
def drawn():
    return places.drawn(ROOT)


@pytest.fixture
def tree(tmp_path):
    """Sources of one module, and a place in the second of its functions."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "numbers.py").write_text(MODULE)
    return tmp_path


PLACE = Place("app/numbers.py", 6, "number raised", "    return 1", "    return 2", f"    return ({REACHED} or 1)")


@pytest.mark.parametrize("kind", CHANGED)
def test_a_place_is_changed_and_all_around_it_is_left(kind):
    before, after = CHANGED[kind]
    found = {each.applied(before.encode()).decode() for each in changes(before.encode()) if each.kind == kind}
    assert found == {after}


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_people_and_checkers_read_is_no_place(text):
    assert [each.kind for each in changes(text.encode())] == []


def test_each_room_has_a_place_and_large_ones_have_more(drawn):
    found = Counter(places.room(each.file) for each in drawn)
    assert len(drawn) == places.COUNT
    assert {*found} == {places.room(str(path.relative_to(ROOT))) for path in places.sources(ROOT)}
    assert found["app/engine"] > found["app/crm"] == 1


def test_the_same_seed_draws_the_same_places(tmp_path):
    for name in ("crm", "jobs"):
        shutil.copytree(ROOT / "app" / name, tmp_path / "app" / name)
    first, again, other = (places.drawn(tmp_path, count=8, seed=seed) for seed in (1, 1, 2))
    assert len(first) == 8
    assert first == again != other


def test_what_is_kept_was_drawn_of_plain_python():
    assert len(places.kept()) == places.COUNT
    assert len({(each.file, each.line) for each in places.kept()}) == places.COUNT
    assert all(REACHED in each.probe and each.before != each.after for each in places.kept())


def test_what_is_drawn_compiles_changed_and_with_its_probe(drawn):
    for each in drawn:
        text = (ROOT / each.file).read_text()
        for changed in (each.after, each.probe.replace(REACHED, "False")):
            # Whole lines, as others may begin alike.
            assert compiles(text.replace(f"{each.before}\n", f"{changed}\n", 1).encode()), each.name


def test_a_place_that_has_moved_is_found_by_its_text(tree):
    path = tree / "app" / "numbers.py"
    path.write_text("# One line more.\n" + MODULE)
    PLACE.change(tree)
    assert path.read_text() == "# One line more.\n" + MODULE.replace("two():\n    return 1", "two():\n    return 2")


def test_a_place_whose_file_has_another_name_is_found_where_it_is_the_only_one(tree):
    (tree / "app" / "numbers.py").rename(tree / "app" / "counts.py")
    with pytest.raises(Gone):
        PLACE.change(tree)
    replace(PLACE, before="def two():", after="def three():").change(tree)
    assert "def three():" in (tree / "app" / "counts.py").read_text()


def test_a_place_that_is_not_there_any_more_is_gone(tree):
    with pytest.raises(Gone):
        replace(PLACE, before="    return 3").change(tree)


def test_a_probe_tells_that_its_place_is_reached_and_changes_nothing(tree):
    mark = tree / "reached"
    PLACE.reach(tree, mark)
    names = {}
    exec(compile(ast.parse((tree / "app" / "numbers.py").read_text()), "numbers", "exec"), names)
    assert names["one"]() == 1
    assert not mark.exists()
    assert names["two"]() == 1
    assert mark.exists()


def test_a_report_counts_and_names_what_is_caught_no_more():
    before = [Result("one", "`a|b`", "caught", "tests/test_a.py::test_a", 7.4), Result("two", "b", "survived")]
    after = [Result("one", "`a|b`", "survived", "", 240.0, 12, False), Result("two", "b", "survived")]
    assert table("before", before).splitlines()[0] == "before: 1 caught, 1 survived of 2"
    assert table("after", after).splitlines()[4] == "| one | `a\\|b` | survived, of the first 12 tests | 240 |"
    assert lost(before, after) == ["one"]

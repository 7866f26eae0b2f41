"""Code that is written into modules of somebody: what was asked for is there, and all else is as it was."""

from __future__ import annotations

import ast
import difflib

import pytest

from app.ops.generators import columns, models, source

# Classes as people write them: the text, and what an import of `money` and a column make of it.
STYLES = {
    "one import a line": "from rowgate import (\n    FILTERABLE,\n    Record,\n    string,\n)\n",
    "imports in one line": "from rowgate import FILTERABLE, Record, string\n",
    "imports in parentheses": "from rowgate import (FILTERABLE, Record, string)\n",
    "one import": "from rowgate import Record\nfrom rowgate.models import CrmDeal\n",
    "imports with comments": (
        "from rowgate import (  # ours\n    FILTERABLE,  # asked by\n    Record,\n    string,  # text\n)\n"
    ),
    "an import with a name": "from rowgate import FILTERABLE as F\nfrom rowgate import Record, string\n",
    "a future": (
        "from __future__ import annotations\n\nimport re\n\nfrom sqlalchemy.orm import Mapped\n\n"
        "from rowgate import Record\n"
    ),
    "no imports": "import rowgate\n",
    "tabs": "from rowgate import Record, string\n\n\nif True:\n\tpass\n",
    "lines of Windows": "from rowgate import (\r\n    FILTERABLE,\r\n    Record,\r\n)\r\n",
}
CLASS = '''

class ShopTask(Record):
    """A task."""   # odd   blanks

    __tablename__ = 'shop_task'
    policy = Policy( Organization("organization_id") )

    title: Mapped[str] = string(FILTERABLE,
                                max=200)
    note: Mapped[str | None] = string( max = 5 )  # last

    words = virtual(Integer(0, 5), expression=lambda row: 1)

    @classmethod
    def other(cls): return 1


class ShopOther(Record):
    title: Mapped[str] = string(max=1)
'''
LINE = "price: Mapped[dict[str, str]] = money(FILTERABLE, SORTABLE)"
TAKEN = {"rowgate": ("money", "FILTERABLE", "SORTABLE"), "uuid": ("UUID",)}


def table_of(called):
    return f"shop_{called.replace('/', '_')}"


def changed(before, after):
    """The lines that went and those that came."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [each[2:] for each in lines if each[0] == "-"], [each[2:] for each in lines if each[0] == "+"]


@pytest.mark.parametrize("style", STYLES)
def test_a_column_is_put_behind_the_others_and_nothing_else_changes(style):
    before = STYLES[style] + (CLASS.replace("\n", "\r\n") if "Windows" in style else CLASS)
    after = source.with_field(before, "ShopTask", [LINE], TAKEN)
    ast.parse(after)
    gone, come = changed(before, after)
    assert f"    {LINE}" in come
    assert after.index("# last") < after.index(LINE) < after.index("words = virtual")
    # Imports in one line change with it; of those in many lines none does.
    assert all("import" in each for each in gone), gone
    rest = [each.strip(" ,") for each in come if "import" not in each and LINE not in each]
    assert set(rest) <= {"money", "SORTABLE", "FILTERABLE"}, rest
    assert ("\r\n" in after) == ("\r\n" in before)
    imported = [node.names for node in ast.walk(ast.parse(after)) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for each in imported for alias in each}
    assert {"money", "SORTABLE", "UUID", "FILTERABLE"} <= names


def test_a_module_without_the_class_is_refused():
    with pytest.raises(LookupError):
        source.with_field(CLASS, "ShopBooking", [LINE], {})


@pytest.mark.parametrize(
    "module",
    ["def money(): pass\n", "from datetime import date as money\n", "class ShopTask: pass\n"],
)
def test_a_module_in_which_the_names_are_others_is_refused(module):
    with pytest.raises(LookupError):
        source.with_field(module + (CLASS if "ShopTask" not in module else ""), "ShopTask", [LINE], TAKEN)


def test_a_class_within_another_is_another():
    inner = "class Outer:\n    class ShopTask(Record):\n        a: Mapped[int] = integer()\n"
    after = source.with_field(inner + CLASS, "ShopTask", [LINE], {})
    assert after.startswith(inner)
    assert after.count(LINE) == 1


def test_a_class_without_columns_gets_its_first_at_its_end():
    after = source.with_field("class A(Record):\n    label = ()\n", "A", [LINE], {})
    assert after == f"class A(Record):\n    label = ()\n    {LINE}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from a import A\n\nMODELS = [A]\n", "from a import A, B\n\nMODELS = [A, B]\n"),
        ("from a import (\n    A,\n    C,\n)\n\nMODELS = [\n    A,\n    C,\n]\n",
         "from a import (\n    A,\n    B,\n    C,\n)\n\nMODELS = [\n    A,\n    C,\n    B,\n]\n"),
        ("MODELS = []\n", "from a import B\nMODELS = [B]\n"),
    ],
)  # fmt: skip
def test_a_model_is_named_in_the_tests(before, after):
    assert source.with_test(before, "a", "B") == after


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("title:string", "title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)"),
        ("title:string(40)?", "title: Mapped[str | None] = string(FILTERABLE, SORTABLE, min=1, max=40)"),
        ("count:integer(1,5)=3", "count: Mapped[int] = integer(FILTERABLE, SORTABLE, min=1, max=5, default=3)"),
        ("state:enum(open,done)=open",
         'state: Mapped[str] = enum("open", "done", flags=(FILTERABLE,), default="open")'),
        ("item:belongs_to", 'item_id: Mapped[UUID] = reference("shop_item", "cascade", FILTERABLE)'),
        ("owner:belongs_to(auth/user)?",
         'owner_id: Mapped[UUID | None] = reference("shop_auth_user", "set null", FILTERABLE)'),
        ("called:slug(title)", 'called: Mapped[str] = slug("title")'),
        ("weight:decimal(8,3)", "weight: Mapped[Decimal] = decimal(FILTERABLE, SORTABLE, precision=8, scale=3)"),
        ("cover:image", "cover_id: Mapped[UUID | None] = image(FILTERABLE, max_bytes=10 * 1024 * 1024)"),
        ("rank:position(list_id)", 'rank: Mapped[Decimal] = position("list_id")'),
        ("code:encrypted(20)?", "code: Mapped[str | None] = encrypted(max=20)"),
        ("done:boolean=false", "done: Mapped[bool] = boolean(FILTERABLE, default=False)"),
    ],
)  # fmt: skip
def test_a_column_is_read_of_what_somebody_types(asked, line):
    made = columns.read(asked, table_of)
    assert made.text == line
    assert set(made.imports["rowgate"]) <= {*ast_names(line)}


@pytest.mark.parametrize("kind", columns.TYPES)
def test_every_type_becomes_a_call_of_a_public_function_with_all_that_it_needs(kind):
    import rowgate

    given = {"enum": "(a,b)", "slug": "(name)", "sequence": "(organization_id)", "position": "(list_id)"}.get(kind, "")
    made = columns.read(f"it:{kind}{given}", table_of)
    namespace = {}
    for module, names in made.imports.items():
        exec(f"from {module} import {', '.join(names)}", namespace)
    call = made.text.partition(" = ")[2]
    assert eval(call, namespace).column.info["spec"].kind is not None
    assert set(made.imports["rowgate"]) <= {*rowgate.__all__}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("title", "is no column"), ("title:", "is no column"), ("Title:string", "is no column"),
        ("a:text", "is no type"),
        ("id:string", "is no name of a column"), ("class:string", "is no name of a column"),
        ("a:enum", "wants its values"),
        ("metadata:string", "is no name of a column"), ("color:color", "is no name of a column"),
        ("organization:belongs_to", "is no name of a column"), ("a:integer=-1", "is not from 0"),
        ("a:enum(x,y)=z", "is none of"), ("a:enum(x,x)", "each once"), ("a:decimal(2)", "takes 2"),
        ("a:money(5)", "takes no"),
        ("a:decimal(2,5)", "wants digits"), ("a:integer(5,1)", "is above"), ("a:string(2)=long", "longer"),
        ("a:belongs_to(x)=5", "no default"), ("a:color=red", "written by hand"),
        ("a:slug", "want a column"), ("a:integer(x)", "is no whole number"),
        ("a:boolean=yes", "neither true nor false"),
        ("a:money=5", "written by hand"), ('a:enum(a"b)', "is no word"), ("a:string=__import__('os')", "is no word"),
    ],
)  # fmt: skip
def test_what_is_no_column_is_refused_in_words(asked, told):
    with pytest.raises(columns.Misread, match=told):
        columns.read(asked, table_of)


@pytest.mark.parametrize("asked", ["a:string", "a:money", "a:slug(name)=x"])
def test_rows_that_are_there_need_a_value_or_nothing(asked):
    with pytest.raises(columns.Misread, match="Rows that are there"):
        columns.read(asked, table_of, has_rows=True)
    assert 'server_default="3"' in columns.read("a:integer=3", table_of, has_rows=True).text


@pytest.mark.parametrize("name", ["booking", "shop/", "/booking", "Shop/booking", "shop/book_ing", "shop/a/b"])
def test_a_name_of_a_model_is_as_in_its_path(name):
    with pytest.raises(models.Misread):
        models.split_name(name)


def ast_names(line):
    return {node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}

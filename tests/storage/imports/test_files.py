"""Files as programs write them, and files that are something else: told by name and line, and nothing is written."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from app.engine.transfer.tabular import MAX_CELL_LENGTH, MAX_COLUMNS
from tests.storage.imports.files import COMPANIES, all_of, array, in_form, lines, meta, refused, send, values

NAMES = ["Harbour Works", "Müller & Söhne 😀"]
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "content",
    [
        "name,industry\r\nHarbour Works,x\r\nMüller & Söhne 😀,x\r\n",
        "name,industry\nHarbour Works,x\nMüller & Söhne 😀,x",
        "name,industry\rHarbour Works,x\rMüller & Söhne 😀,x\r",
        "name;industry\nHarbour Works;x\nMüller & Söhne 😀;x\n",
        "name\tindustry\nHarbour Works\tx\nMüller & Söhne 😀\tx\n",
        "sep=;\r\nname;industry\r\nHarbour Works;x\r\nMüller & Söhne 😀;x\r\n",
        "SEP=,\r\nname,industry\r\nHarbour Works,x\r\nMüller & Söhne 😀,x\r\n",
        '"name","industry"\n"Harbour Works","x"\n"Müller & Söhne 😀","x"',
        " name , industry \nHarbour Works,x\nMüller & Söhne 😀,x\n",
        "\n\nname,industry\n\nHarbour Works,x\n\n\nMüller & Söhne 😀,x\n\n",
    ],
    ids=["crlf", "lf", "cr", "semicolons", "tabs", "sep-semicolon", "sep-comma", "quoted", "blanks", "empty-lines"],
)
@pytest.mark.parametrize("start", [b"", BOM], ids=["plain", "bom"])
def test_tables_of_all_kinds_are_read(owner, content, start):
    assert meta(send(owner, COMPANIES, start + content.encode())) == {"rows": 2, "created": 2}
    assert values(owner, COMPANIES, "name") == NAMES
    assert values(owner, COMPANIES, "industry") == ["x", "x"]


@pytest.mark.parametrize("start", [b"", BOM], ids=["plain", "bom"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\n"])
def test_json_of_all_kinds_is_read(owner, start, end):
    rows = [{"name": name} for name in NAMES]
    assert meta(send(owner, COMPANIES, start + lines(*rows).replace(b"\n", b"\r\n") + end, "ndjson"))["created"] == 2
    assert meta(send(owner, COMPANIES, start + b" \n" + array(*rows) + end, "json"))["created"] == 2
    assert values(owner, COMPANIES, "name") == sorted(2 * NAMES)


def test_cells_hold_lines_quotes_separators_and_formulas(owner):
    texts = ["a\r\nb", "a\nb", "a\rb", 'a "word"', "a,b;c\td", '"', "HYPERLINK(x)", "1;2"]
    cells = ['"{}"'.format(text.replace('"', '""')) for text in texts]
    assert meta(send(owner, COMPANIES, "name\r\n" + "\r\n".join(cells)))["created"] == len(texts)
    assert values(owner, COMPANIES, "name") == sorted(texts)


def test_a_formula_is_a_text_like_any_other(owner):
    assert meta(send(owner, COMPANIES, "name\r\n=1+1\r\n@SUM(A1)\r\n"))["created"] == 2
    assert values(owner, COMPANIES, "name") == ["=1+1", "@SUM(A1)"]


def test_lines_are_counted_as_editors_do(owner):
    content = 'sep=,\r\nname,revenue\r\n"two\r\nlines",1\r\n\r\nHarbour Works,none\r\n'
    answer = send(owner, COMPANIES, content)
    assert [each["line"] for each in answer.json["data"]] == [6]


@pytest.mark.parametrize("form", ["ndjson", "json"])
def test_so_they_are_in_json(owner, form):
    content = {"ndjson": '{"name": "a"}\n\n{"name": 1}\n', "json": '[\n{"name":\n "a"},\n\n{"name": 1}]'}[form]
    answer = send(owner, COMPANIES, content, form)
    assert [each["line"] for each in answer.json["data"]] == [{"ndjson": 3, "json": 5}[form]]


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


LONGEST = str(MAX_CELL_LENGTH)
# Long ones are made when they are sent.
BROKEN = {
    "empty": ("csv", b"", 1, "no header"),
    "blank": ("csv", b"\r\n\r\n", 1, "no header"),
    "zip": ("csv", zipped(), 1, "ZIP archive"),
    "gzip": ("csv", gzip.compress(b"name\r\n"), 1, "gzip"),
    "pdf": ("csv", b"%PDF-1.7\n", 1, "PDF"),
    "utf-16-le": ("csv", "name\nx\n".encode("utf-16"), 1, "UTF-16"),
    "utf-16-be": ("ndjson", b"\xfe\xff" + "{}".encode("utf-16-be"), 1, "UTF-16"),
    "latin-1": ("csv", "name\nHarbour\nMüller\n".encode("latin-1"), 3, "not UTF-8"),
    "cut-short": ("csv", b"name\nHarbour\nM\xc3", 3, "not UTF-8"),
    "late-latin-1": ("csv", lambda: b"name\n" + "Müller\n".encode() * 500_000 + b"M\xfcller\n", 500_002, "not UTF-8"),
    "latin-1-lines": ("ndjson", '{"name": "a"}\n{"name": "Mü"}\n'.encode("latin-1"), 2, "not UTF-8"),
    "latin-1-array": ("json", '[{"name": "a"},\n{"name": "Mü"}]'.encode("latin-1"), 2, "not UTF-8"),
    "nul": ("csv", b"name\nHarbour\na\x00b\n", 3, "NUL"),
    "nul-lines": ("ndjson", b'{"name": "a"}\n{"name": "a\\u0000b"}\n', 2, "NUL"),
    "nul-array": ("json", b'[{"name": "a"},\n{"name": "\\u0000"}]', 2, "NUL"),
    "open-quote": ("csv", b'name\nHarbour\n"Works\nx\n', 3, "quote"),
    "quote-within": ("csv", b'name\nHarbour\nWo"rks\n', 3, "quote"),
    "behind-a-quote": ("csv", b'name\nHarbour\n"Works" x\n', 3, "quote"),
    "too-many-cells": ("csv", b"name\nHarbour\nWorks,x\n", 3, "2 cells"),
    "a-name-twice": ("csv", b"name,name\nHarbour,x\n", 1, "twice"),
    "no-object": ("ndjson", b'{"name": "a"}\n[1]\n', 2, "JSON object"),
    "no-json": ("ndjson", b'{"name": "a"}\n{"name": \n', 2, "JSON"),
    "a-member-twice": ("ndjson", b'{"name": "a"}\n{"name": "b", "name": "c"}\n', 2, "twice"),
    "no-array": ("json", b'{"name": "a"}', 1, "array"),
    "empty-json": ("json", b"", 1, "array"),
    "array-of-numbers": ("json", b"[1]", 1, "object"),
    "array-without-end": ("json", b'[{"name": "a"},\n{"name": "b"}\n', 2, "not valid JSON"),
    "array-without-commas": ("json", b'[{"name": "a"}\n{"name": "b"}]', 1, "not valid JSON"),
    "array-nested-deeply": ("json", b'[{"name": "a"},\n' + b'{"name": ' * 100_000, 2, "not valid JSON"),
    "array-of-arrays": ("json", b'[{"name": "a"},\n' + b"[" * 100_000, 2, "object"),
    # Read as JSON, each of these would take twenty times its bytes of memory.
    "array-of-much": ("json", lambda: b'[{"name": "a"},\n{"name": [' + b"[]," * 1_000_000 + b"0]}]", 2, LONGEST),
    "more-behind-the-array": ("json", b'[{"name": "a"}]\nx', 2, "not valid JSON"),
    "a-comma-too-many": ("json", b'[{"name": "a"},\n{"name": "b"},]', 2, "not valid JSON"),
    "too-many-columns": ("csv", b",".join(b"c%d" % number for number in range(10_000)) + b"\n", 1, f"{MAX_COLUMNS}"),
    "a-long-cell": ("csv", lambda: b"name\nHarbour\n" + b"x" * 50_000_000, 3, LONGEST),
    "a-long-quoted-cell": ("csv", lambda: b'name\nHarbour\n"' + b"x" * 50_000_000 + b'"', 3, LONGEST),
    "a-long-line": ("ndjson", lambda: b'{"name": "a"}\n{"name": "' + b"x" * 50_000_000 + b'"}', 2, LONGEST),
}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_is_refused_with_the_line_and_the_reason(owner, name, partial):
    form, content, line, said = BROKEN[name]
    answer = send(owner, "crm/deal", content() if callable(content) else content, form, partial=partial)
    status, error, told = refused(answer)
    assert (status, told) == (400, line)
    assert said in error
    assert all_of(owner, "crm/deal") == []


def test_a_header_alone_and_an_empty_array_are_no_records(owner):
    assert meta(send(owner, COMPANIES, "name\r\n")) == {}
    assert meta(send(owner, COMPANIES, "[]", "json")) == {}
    assert meta(send(owner, COMPANIES, "", "ndjson")) == {}


def test_a_file_beyond_the_limit_is_refused(build, owner):
    small = type(owner)(build(import_max_bytes=1000), owner.token)
    content = b"name\r\n" + b"Harbour Works\r\n" * 100
    assert send(small, COMPANIES, content).status_code == 413
    assert in_form(small, COMPANIES, content).status_code == 413
    assert all_of(owner, COMPANIES) == []
    assert meta(send(small, COMPANIES, content[:906])) == {"rows": 60, "created": 60}

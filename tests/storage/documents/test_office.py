"""Office documents and tables: what their texts hold, and the passages that these are cut into."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pytest

from app.ai_rag.chunking import cut
from app.runtime.sandboxed import Refusal
from app.storage import office
from app.storage.extraction import Unreadable, extract, is_readable
from app.storage.extraction import text_of as bounded_text_of
from app.testing.waiting import work
from tests.storage.documents.test_documents import DOCUMENTS, made, upload

CSV = "text/csv"
DOCX, PPTX, XLSX, EPUB, EML = office.TYPES.values()
CHAPTERS = {"c1": "<h1>Chapter one</h1><p>It was dark.</p>", "c2": "<h1>Chapter two</h1><p>Morning.</p>"}


def text_of(content, kind, pages=10):
    return bounded_text_of(content, kind, pages, 100_000)


def saved(document):
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def lease():
    document = docx.Document()
    document.add_heading("The lease", 1)
    document.add_paragraph("The tenant pays on the third.")
    table = document.add_table(rows=0, cols=2)
    for row in (("Room", "Rent"), ("Attic", "300")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = row
    return saved(document)


def slides(*titles):
    show = pptx.Presentation()
    for title in titles:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, f"About {title}"
    return saved(show)


def prices():
    book = openpyxl.Workbook()
    book.active.title = "Prices"
    for row in (("Article", "Price"), ("Screw", 1.5), ("Nail", 2)):
        book.active.append(row)
    book.create_sheet("Empty")
    book.create_sheet("People").append(("Ada",))
    return saved(book)


def packed(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return file.getvalue()


def book():
    items = "".join(f'<item id="{c}" href="{c}.xhtml" media-type="application/xhtml+xml"/>' for c in CHAPTERS)
    spine = "".join(f'<itemref idref="{c}"/>' for c in CHAPTERS)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">i</dc:identifier>'
        f"<dc:title>T</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>{}</body></html>'
    chapters = {f"{name}_xhtml": page.format(body) for name, body in CHAPTERS.items()}
    return packed(mimetype=EPUB, **{"META-INF__container_xml": container, "book_opf": package}, **chapters)


def letter():
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "The crane", "ada@example.com", "bo@example.com"
    message.set_content("It stands since nine.\n")
    message.add_attachment(b"secret", maintype="application", subtype="octet-stream", filename="a.bin")
    return bytes(message)


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        (
            lease(), DOCX,
            "# The lease\n\nThe tenant pays on the third.\n\n| Room | Rent |\n| --- | --- |\n| Attic | 300 |",
        ),
        (slides("2024", "Plans"), PPTX, "## 2024\n\nAbout 2024\n\n\f## Plans\n\nAbout Plans"),
        (
            prices(), XLSX,
            "## Prices\n\nArticle: Screw\nPrice: 1.5\n\n\x1eArticle: Nail\nPrice: 2\n\n\x1e## People\n\nAda",
        ),
        (book(), EPUB, "# Chapter one\n\nIt was dark.\n\n# Chapter two\n\nMorning."),
        (
            letter(), EML,
            "**Subject**: The crane\n\n**From**: ada@example.com\n\n**To**: bo@example.com\n\nIt stands since nine.",
        ),
        (b'Article,Note\r\n"Screw, long","10"" of it"\r\n\r\nNail,\r\n', CSV,
            'Article: Screw, long\nNote: 10" of it\n\n\x1eArticle: Nail'),
        (b"Article;Price\nScrew;1,50;spare\n", CSV, "Article: Screw\nPrice: 1,50\nspare"),
        (b"Article\n", CSV, "Article"),
        (b'\xef\xbb\xbf"Name, first",City\n"Ada, L",London\n', CSV, "Name, first: Ada, L\nCity: London"),
        (b"sep=|\r\nName|City, land\r\nAda|London\r\n", CSV, "Name: Ada\nCity, land: London"),
    ],
    ids=["docx", "pptx", "xlsx", "epub", "eml", "csv", "semicolons", "headings", "mark", "separator"],
)  # fmt: skip
def test_the_text_of_a_document_is_read(content, kind, text):
    assert is_readable(kind)
    assert text_of(content, kind) == text


def bomb():
    with zipfile.ZipFile(io.BytesIO(lease())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part.replace(b"third", b"A" * 300_000_000) if name == "word/document.xml" else part)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (lease()[:-400], DOCX),
        (bomb(), DOCX),
        # What Office makes of a document with a password.
        (bytes.fromhex("D0CF11E0A1B11AE1") + bytes(4096), XLSX),
        (packed(hello="there"), PPTX),
        (packed(hello="there"), EPUB),
        (b'a,b\n"' + b"x" * 1_000_001 + b'",1\n', CSV),
    ],
    ids=["cut", "bomb", "password", "slides", "book", "table"],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(app, tmp_path, content, kind):
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file, pytest.raises(Unreadable, match=r"cannot be had: It (is|holds) "):
        extract(file, kind, app.config["SETTINGS"])


@pytest.mark.parametrize(("content", "kind"), [(slides("One", "Two", "Three"), PPTX), (prices(), XLSX)])
def test_slides_and_sheets_are_counted(content, kind):
    with pytest.raises(Refusal, match=r"more than 2 s(lides|heets)"):
        text_of(content, kind, 2)


def test_each_row_is_a_passage_with_its_headings_unless_it_is_short():
    long = "x " * 60
    rows = text_of(f"Name,Note\nCrane,{long}\nShip,{long}\nBuoy,red\nBell,brass\n".encode(), CSV)
    assert [passage.content.split("\n")[0] for passage in cut(rows, 400, 50)] == [
        "Name: Crane", "Name: Ship", "Name: Buoy",
    ]  # fmt: skip
    assert [passage.content for passage in cut(rows, 400, 50)][-1].endswith("Name: Bell\nNote: brass")


def test_a_row_knows_its_sheet_and_a_slide_its_number():
    sheet = f"## Prices\n\nArticle: {'x ' * 60}\n\n\x1eArticle: {'y ' * 60}"
    assert [passage.heading for passage in cut(sheet, 400, 0)] == ["Prices", "Prices"]
    show = text_of(slides("One", "Two"), PPTX)
    assert [(passage.heading, passage.page) for passage in cut(show, 400, 0)] == [("One", 1), ("Two", 2)]


def test_a_file_whose_sender_names_no_type_is_known_by_its_name(app, owner):
    document = made(owner, uploadId=upload(owner, lease(), "Lease.DOCX", "application/octet-stream"))
    work(app)
    assert "pays on the third" in owner.get(f"{DOCUMENTS}/{document['id']}").json["content"]


def test_without_the_extra_a_document_is_refused_as_any_file_without_text(owner, monkeypatch):
    monkeypatch.setattr(office, "_is_installed", lambda: False)
    answer = owner.post(DOCUMENTS, {"uploadId": upload(owner, lease(), "Lease.docx", DOCX)})
    assert answer.json["details"]["fields"]["uploadId"] == ["No text can be read from this file."]

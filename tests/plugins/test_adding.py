"""rowgate add, in a project of `rowgate new`: the model and its fields are written, migrated, tested and served."""

from __future__ import annotations

import pytest

from app.commands.new import write

pytestmark = pytest.mark.full

ADD = ("-m", "flask", "--app", "wsgi:app", "add")
KIT = ("-p", "app.testing.plugin", "-p", "no:cacheprovider", "-o", "rowgate_plugins=shop.plugin")
REFUSED = (
    ("model", "shop/booking"), ("field", "shop/booking", "note:string?"), ("field", "crm/deal", "x:string?"),
    ("field", "shop/lease", "x:string?"),
)  # fmt: skip


def test_a_model_and_its_fields_are_written_migrated_and_tested(project, tmp_path):
    folder = tmp_path / "shop"
    write("shop", folder)
    start, models = project(folder), folder / "shop" / "models.py"

    def rowgate(*arguments):
        # In a folder that no service has.
        given = {"plugins": "shop.plugin", "var_dir": str(tmp_path / "var")}
        done = start("-m", "flask", "--app", "wsgi:app", *arguments, **given)
        assert done.returncode == 0, done.stderr
        return done.stdout

    rowgate("db", "upgrade")
    shown = rowgate("add", "model", "shop/booking", "task:belongs_to", "starts_at:timestamp", "price:money", "--yes")
    assert '+    task_id: Mapped[UUID] = reference("shop_task", "cascade", FILTERABLE)' in shown
    assert "+MODELS = [ShopProject, ShopTask, ShopBooking]" in shown
    assert "It is applied; nothing serves now" in shown
    rowgate("add", "field", "shop/booking", "note:long_text?", "seats:integer(1,9)=1", "--yes")
    written = models.read_text()
    for refused in REFUSED:
        assert start(*ADD, *refused, "--yes", plugins="shop.plugin").returncode == 1
    assert models.read_text() == written
    tests = ("-q", *KIT, "-c", str(folder / "pyproject.toml"), str(folder / "tests" / "test_models.py"))
    done = start("-m", "pytest", *tests, "-k", "booking", pytest_disable_plugin_autoload="1")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr


def test_nothing_is_written_that_is_not_agreed_to(project, tmp_path):
    folder = tmp_path / "shop"
    write("shop", folder)
    start, models = project(folder), folder / "shop" / "models.py"
    before = models.read_text()
    done = start(*ADD, "model", "shop/booking", plugins="shop.plugin")
    assert (done.returncode, models.read_text()) == (1, before)
    assert "+class ShopBooking(Record):" in done.stdout

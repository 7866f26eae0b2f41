"""Imports of what is called otherwise now are rewritten, and all else stays as it is."""

from __future__ import annotations

import pytest

from app.ops.moved_imports import rewritten


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("from app.engine.record import Record\n", "from rowgate import Record\n"),
        (
            "from app.engine.policy import Policy\nfrom app.engine.record import Record\nfrom flask import g\n",
            "from rowgate import Policy, Record\nfrom flask import g\n",
        ),
        (
            "from app.engine.fields import After as Later\nx = Later(1)\n",
            "from rowgate import FromNow as Later\nx = Later(1)\n",
        ),
        ("from app.engine.fields import After\nx = After(1)\n", "from rowgate import FromNow\nx = FromNow(1)\n"),
        (
            "from app.engine.fields import After\ndef f(After):\n    return After\n",
            "from rowgate import FromNow as After\ndef f(After):\n    return After\n",
        ),
        (
            "from app.engine.fields import After\nFromNow = After(1)\n",
            "from rowgate import FromNow as After\nFromNow = After(1)\n",
        ),
        ("from app.jobs import queue\nqueue.defer(1)\n", "from rowgate import defer\ndefer(1)\n"),
        ("from app.crm.models import CrmDeal\n", "from rowgate.models import CrmDeal\n"),
        ("from app.testing.workshop import examples\n", "from rowgate.testing import examples\n"),
        (
            "from app.testing.every_model import *  # noqa: F403\n",
            "from rowgate.testing.every_model import *  # noqa: F403\n",
        ),
        ('name = "ä"; x = 1\nfrom config import Setting\n', 'name = "ä"; x = 1\nfrom rowgate import Setting\n'),
    ],
)
def test_it_is_imported_from_where_it_is_now(code, new):
    assert rewritten(code) == new


@pytest.mark.parametrize(
    "code",
    [
        "from app.engine.hooks import run_many\n",
        "from app.jobs import queue\nqueue.defer(1)\nqueue.QUEUES\n",
        "from rowgate import Record\nimport app\nfrom .models import After\n",
        "",
    ],
)
def test_what_is_private_gone_or_elsewhere_stays(code):
    assert rewritten(code) == code


def test_names_that_do_not_fit_in_a_line_have_one_each():
    flags = "READ_ONLY, WRITE_ONLY, IMMUTABLE, HIDDEN, FILTERABLE, SORTABLE, UNLISTED, ENCRYPTED, RETURNED_ONCE, NOW"
    new = rewritten(f"from app.engine.fields import {flags}, string\nfrom app.engine.record import Record\n")
    assert new.splitlines()[0] == "from rowgate import ("
    assert "    Record,\n    string,\n)\n" in new

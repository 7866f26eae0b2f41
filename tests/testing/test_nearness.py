"""Which tests `make check` runs of a change."""

from __future__ import annotations

import pytest

from tests.checking import within
from tests.durations import Durations
from tests.nearness import Change, near_tests

HOOKS, COMPANY = "app/crm/hooks.py", "tests/crm/test_company.py"


def change_of(*files):
    return Change(files)


def test_a_test_that_has_changed_comes_before_those_of_the_room():
    changed = "tests/crm/test_hooks.py"
    assert near_tests(change_of(HOOKS, changed))[:2] == [changed, COMPANY]


def test_tests_that_import_a_changed_part_of_the_tests_are_near():
    assert "tests/engine/writes/test_upserts.py" in near_tests(change_of("tests/engine/writes/twins.py"))


@pytest.mark.parametrize(("files", "is_wide", "is_hot"), [
    ((HOOKS, "tests/engine/test_lists.py", "CHANGELOG.md"), False, False),
    ((HOOKS, "app/storage/archives.py"), True, False),
    (("app/engine/read/query.py",), True, True),
    (("blueprints/records/bindings.py",), True, True),
    (("app/auth/accounts/users.py",), False, True),
    (("docs/tour.md",), False, False),
], ids=str)  # fmt: skip
def test_a_change_of_one_domain_is_narrow_and_one_of_what_requests_pass_through_is_hot(files, is_wide, is_hot):
    change = change_of(*files)
    assert (change.is_wide, change.is_hot) == (is_wide, is_hot)


@pytest.mark.variants
@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ("app/notification/live.py", "tests/notification/"), ("app/mail/templates.py", "tests/mail/"),
        ("app/engine/transfer/exporting.py", "tests/engine/transfers/"),
    ],
)  # fmt: skip
def test_tests_of_what_the_change_is_about_come_first(changed, first):
    files = near_tests(change_of(changed))
    assert files[0].startswith(first)
    assert len({file.split("/")[1] for file in files}) > 1


def test_what_no_test_imports_has_its_own_tests():
    assert "tests/end_to_end/test_documentation.py" in near_tests(change_of("docs/tour.md"))


def test_the_nearest_tests_are_run_as_far_as_the_time_goes(monkeypatch):
    monkeypatch.setattr(Durations, "of", lambda self, file: {"near": 3.0, "far": 4.0, "farther": 2.0}[file])
    assert within(6.0, ["near", "far", "farther"]) == (["near", "farther"], ["far"])

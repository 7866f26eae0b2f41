"""Workers of before a reload, as gunicorn knows them."""

from __future__ import annotations

import time

from app.runtime.reloading import Former


def test_a_worker_of_before_is_well_until_it_should_have_left():
    now = time.monotonic()
    assert Former(1, 1, now + 60).last_update() < now + 1
    stuck = Former(1, 1, now - 60)
    assert stuck.last_update() == now - 60

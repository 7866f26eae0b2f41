"""Workers of before a reload, as gunicorn knows them."""

from __future__ import annotations

import socket
import time

import gevent
from gevent import socket as green

from app.runtime.reloading import DrainingServer, OutgoingWorker


def test_a_worker_of_before_is_well_until_it_should_have_left():
    now = time.monotonic()
    assert OutgoingWorker(1, 1, now + 60).last_update() < now + 1
    stuck = OutgoingWorker(1, 1, now - 60)
    assert stuck.last_update() == now - 60


def test_connections_that_have_come_are_served_when_no_more_are_taken():
    with green.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(20)
        address = listener.getsockname()
        served = []
        server = DrainingServer(listener, handle=lambda connection, _: served.append(connection))
        clients = [socket.create_connection(address) for _ in range(10)]
        server.close()
        gevent.sleep(0)
        assert len(served) == len(clients)
        with socket.socket() as late:
            assert late.connect_ex(address) != 0
        for each in (*clients, *served):
            each.close()

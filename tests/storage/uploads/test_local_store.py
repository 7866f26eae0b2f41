"""Files of the local store: readable by the service alone, and not forgotten by a crash."""

from __future__ import annotations

from app.storage.object_store.local import LocalStore


def test_stored_files_are_nobody_elses_and_their_names_are_on_the_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("app.storage.object_store.local.sync_folder", synced.append)
    store = LocalStore(tmp_path / "uploads")
    writer = store.open("abcdef")
    writer.write(b"x")
    writer.commit()
    path = store.path("abcdef")
    assert [each.stat().st_mode & 0o777 for each in (path, path.parent, store.root)] == [0o600, 0o700, 0o700]
    assert synced == [tmp_path, store.root, path.parent]

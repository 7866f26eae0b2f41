"""Models of buckets, uploads and documents."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    BYTES,
    CALLER_BUCKET,
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILE,
    FILTERABLE,
    GENERATED,
    HIDDEN,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    UNLISTED,
    WRITE_ONLY,
    FromNow,
    boolean,
    enum,
    integer,
    json,
    long_text,
    reference,
    string,
    strings,
    timestamp,
    virtual,
)
from app.engine.declare.indexes import index, sorted_by, unique
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX, String
from app.engine.declare.policy import Policy
from app.engine.declare.record import Base, Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import PUBLISHED, Organization, Owner


class StorageBucket(Record):
    """A named place for files, with limits."""

    __tablename__ = "storage_bucket"
    domain, segment = "storage", "bucket"
    searchable = ("name", "description")
    policy = Policy(
        Organization("organization_id", public=PUBLISHED, write=Rule.MANAGERS),
        create=Rule.MANAGERS,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
    )
    operations_note = "delete is refused while uploads remain"
    bookkeeping = ("deleted_bytes",)
    keys = (unique("organization_id", "name"),)

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(IMMUTABLE, FILTERABLE, SORTABLE, min=3, max=63, pattern=r"^[a-z0-9][a-z0-9.-]*[a-z0-9]$")
    description: Mapped[str | None] = string(max=1000)
    max_file_size: Mapped[int] = integer(min=1, max=1_073_741_824, default=26214400, note="bytes", display=BYTES)
    allowed_content_types: Mapped[list[str]] = strings(
        max_items=100, default=[], note="empty allows every type that the service accepts"
    )
    quota_bytes: Mapped[int] = integer(min=1, max=SAFE_MAX, default=1073741824)
    used_bytes: Mapped[int] = integer(READ_ONLY, SORTABLE, min=0, max=SAFE_MAX, default=0)
    upload_count: Mapped[int] = integer(READ_ONLY, SORTABLE, min=0, max=INTEGER_MAX, default=0)
    deleted_bytes: Mapped[int] = integer(HIDDEN, min=0, max=SAFE_MAX, default=0, note="of uploads that can come back")
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")


def _content_url(model: Any) -> Any:
    return func.concat("/api/upload/", model.id, "/content")


class StorageUpload(Record):
    """A stored file."""

    __tablename__ = "storage_upload"
    domain, segment = "storage", "upload"
    searchable = ("filename",)
    bookkeeping = ("storage_key", "is_attached", "sizes")
    policy = Policy(Owner("user_id", public=PUBLISHED), managed="organization_id")
    operations_note = (
        "the upload route takes the bytes as multipart; here small files may come as contentBase64; bytes "
        "never change afterwards"
    )
    keys = (index("user_id", "-created_at"), sorted_by("user_id", "filename"))
    transitions = {"status": {"pending": ["stored", "rejected"], "stored": [], "rejected": []}}

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", READ_ONLY, FILTERABLE, default=DERIVED, note="that of the bucket"
    )
    bucket_id: Mapped[UUID] = reference("storage_bucket", "restrict", IMMUTABLE, FILTERABLE, default=CALLER_BUCKET)
    filename: Mapped[str] = string(
        FILTERABLE, SORTABLE, min=1, max=255, note="path parts and control characters removed"
    )
    content_type: Mapped[str] = string(
        IMMUTABLE, FILTERABLE, min=1, max=127, default=DERIVED, note="checked against the first bytes"
    )
    content_base64 = virtual(
        String(699052, 1),
        WRITE_ONLY,
        required=True,
        note="required on create here; at most 512 KiB decoded, so that it fits a JSON body",
        display=FILE,
    )
    size: Mapped[int] = integer(READ_ONLY, SORTABLE, min=0, max=1_073_741_824, default=DERIVED, display=BYTES)
    sha256: Mapped[str] = string(READ_ONLY, FILTERABLE, min=64, max=64, pattern=r"^[0-9a-f]{64}$", default=DERIVED)
    storage_key: Mapped[str] = string(HIDDEN, min=1, max=512, unique=True, default=GENERATED)
    is_attached: Mapped[bool] = boolean(HIDDEN, default=False, note="goes with the last record that has it")
    sizes: Mapped[dict[str, bool]] = json(
        HIDDEN, shape="object", default={}, note="whether the picture is there in each"
    )
    url = virtual(
        String(), READ_ONLY, expression=_content_url, note="where the bytes can be fetched under the same access rule"
    )
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
    status: Mapped[str] = enum("pending", "stored", "rejected", flags=(READ_ONLY, FILTERABLE), default="pending")
    metadata_: Mapped[dict[str, Any]] = json(name="metadata", shape="object", max_bytes=16384, default={})


class StorageDocument(Record):
    """A text document of a user."""

    __tablename__ = "storage_document"
    domain, segment = "storage", "document"
    plural = "storageDocuments"
    searchable = ("title", "content")
    semantic = ("title", "content")
    policy = Policy(Owner("user_id", public=PUBLISHED), links=True, shares=True)
    keys = (
        index("user_id", "-updated_at"),
        index("tags", using="gin"),
        sorted_by("user_id", "title"),
    )
    transitions = {
        "status": {"draft": ["published", "archived"], "published": ["draft", "archived"], "archived": ["draft"]}
    }

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    kind: Mapped[str] = enum("text", "code", "image", "sheet", flags=(FILTERABLE,), default="text")
    content: Mapped[str] = long_text(UNLISTED, max=1_000_000, default="")
    upload_id: Mapped[UUID | None] = reference(
        "storage_upload", "set null", FILTERABLE, note="file the text belongs to"
    )
    tags: Mapped[list[str]] = strings(FILTERABLE, max_items=50, item_max=50, default=[])
    status: Mapped[str] = enum("draft", "published", "archived", flags=(FILTERABLE,), default="draft")
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
    version: Mapped[int] = integer(
        READ_ONLY, min=1, max=INTEGER_MAX, default=1, note="grows when title or content changes"
    )
    published_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class StorageExport(Base):
    """What belongs to one user, as an archive to fetch."""

    __tablename__ = "storage_export"
    keys = (index("expires_at"),)
    transitions = {"status": {"pending": ["ready", "failed"], "ready": [], "failed": []}}

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    status: Mapped[str] = enum("pending", "ready", "failed", default="pending")
    storage_key: Mapped[str | None] = string(min=1, max=200)
    size: Mapped[int | None] = integer(min=0, max=SAFE_MAX, display=BYTES)
    expires_at: Mapped[datetime] = timestamp(default=FromNow(timedelta(days=7)))
    error_message: Mapped[str | None] = string(max=1000)

"""Hooks of uploads, buckets and documents: quotas, types, bytes and versions."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from codecs import getincrementaldecoder
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

import puremagic
from sqlalchemy import func, select, update

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.auth.organizations.organizations import organization_provisioned
from app.engine.changes.returning import on_restore
from app.engine.write.hooks import Write, on_create, on_delete, on_update, prepare, require
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Invalid, PayloadTooLarge, require_found
from app.storage.deleted_files import came_back, keep_deleted, take_back
from app.storage.models import StorageBucket, StorageDocument, StorageUpload
from app.storage.object_store import object_store, put

DEFAULT_BUCKET = "default"
ZIP = b"PK\x03\x04"
MAX_INLINE_BYTES = 512 * 1024
# Formats that the library doubts, as their signatures are short, or several are alike.
SIGNATURES = {
    b"%PDF-": "application/pdf", b"\xff\xd8\xff": "image/jpeg", b"GIF87a": "image/gif", b"GIF89a": "image/gif",
}  # fmt: skip
UNKNOWN_TYPE = "application/octet-stream"
# type "/" subtype of RFC 6838, without parameters.
MEDIA_TYPE = re.compile(r"[A-Za-z0-9][\w!#$&^.+-]{0,63}/[A-Za-z0-9][\w!#$&^.+-]{0,62}", re.ASCII)


class TypeRefused(Invalid):
    """A type that the bucket does not take."""


class Inline(NamedTuple):
    """A file that came within a body, and where its bytes are."""

    content: bytes
    content_type: str
    key: str

    def discard(self) -> None:
        object_store().remove(self.key)


@organization_provisioned.subscribe
def give_bucket(unit: Unit, organization: AuthOrganization, owner_id: UUID | None) -> None:
    """Give a new organization an empty bucket."""
    unit.session.add(StorageBucket(organization_id=organization.id, created_by_id=owner_id, name=DEFAULT_BUCKET))


@prepare(StorageUpload)
def keep_content(given: Mapping[str, Any]) -> Inline:
    """Store the bytes before the transaction begins: a slow store would keep locks and connections from others."""
    content = _decoded(given["content_base64"])
    name = clean_filename(given["filename"])
    return Inline(content, content_type(content, name, given.get("content_type")), put(content))


@on_create(StorageUpload, callers_only=True)
def store_upload(upload: StorageUpload, write: Write) -> None:
    content, upload.content_type, upload.storage_key = write.prepared
    upload.filename, upload.status = clean_filename(upload.filename), "stored"
    upload.size, upload.sha256 = len(content), sha256(content).hexdigest()
    place(write.unit, upload, write.unit.principal.organization_id)


def place(unit: Unit, upload: StorageUpload, organization_id: UUID | None) -> StorageBucket:
    """Give a measured file its place in the bucket it names, or in the default one of the organization, and return the
    bucket; raises PayloadTooLarge and TypeRefused where it does not take the file."""
    return _place_in(_bucket(unit, upload.bucket_id, organization_id), upload)


def _place_in(bucket: StorageBucket, upload: StorageUpload) -> StorageBucket:
    _admit(upload, bucket)
    upload.bucket_id, upload.organization_id = bucket.id, bucket.organization_id
    bucket.used_bytes += upload.size
    bucket.upload_count += 1
    return bucket


@on_update(StorageUpload, callers_only=True)
def rename_upload(upload: StorageUpload, write: Write) -> None:
    if write.changed("filename"):
        upload.filename = clean_filename(upload.filename)


@on_delete(StorageUpload, callers_only=True)
def remove_upload(upload: StorageUpload, write: Write) -> None:
    take_out(write.unit, upload)


@on_restore(StorageUpload)
def put_back(unit: Unit, upload: StorageUpload, with_parent: bool) -> None:
    if not (with_parent and came_back(unit, upload.bucket_id)):
        take_back(unit, place(unit, upload, upload.organization_id), upload)
    if not with_parent:
        upload.is_attached = False


def take_out(unit: Unit, upload: StorageUpload) -> None:
    """Give the space of a file that goes back; its bytes stay as long as the log can bring it back."""
    keep_deleted(unit, _leave(unit, upload), upload)


def move(unit: Unit, upload: StorageUpload, organization_id: UUID) -> None:
    """Give a file its place in the default bucket of another organization; raises as ``place`` does."""
    _leave(unit, upload)
    _place_in(_bucket(unit, None, organization_id), upload)


def _leave(unit: Unit, upload: StorageUpload) -> StorageBucket:
    bucket = unit.get(StorageBucket, upload.bucket_id, lock=True)
    bucket.used_bytes = max(0, bucket.used_bytes - upload.size)
    bucket.upload_count = max(0, bucket.upload_count - 1)
    return bucket


@on_delete(AuthUser)
def hand_over_files(user: AuthUser, write: Write) -> None:
    """Give the owners of organizations the files that go with records of these, and not with a user."""
    owned = (AuthMember.organization_id == StorageUpload.organization_id) & (AuthMember.role == "owner")
    owner = select(AuthMember.user_id).where(owned, AuthMember.user_id != user.id).order_by(AuthMember.id).limit(1)
    attached = update(StorageUpload).where(StorageUpload.user_id == user.id, StorageUpload.is_attached, owner.exists())
    handed_over = attached.values(user_id=owner.scalar_subquery()).execution_options(synchronize_session=False)
    write.unit.bookkeep(handed_over)


@on_delete(AuthUser)
def release_uploads(user: AuthUser, write: Write) -> None:
    """Give back the space of all uploads of a user, whose rows are about to go with the user."""
    own = select(StorageUpload.bucket_id, func.sum(StorageUpload.size).label("size"), func.count().label("number"))
    freed = own.where(StorageUpload.user_id == user.id).group_by(StorageUpload.bucket_id).subquery()
    write.unit.bookkeep(
        update(StorageBucket)
        .where(StorageBucket.id == freed.c.bucket_id)
        .values(
            used_bytes=func.greatest(0, StorageBucket.used_bytes - freed.c.size),
            upload_count=func.greatest(0, StorageBucket.upload_count - freed.c.number),
        )
        .execution_options(synchronize_session=False)
    )


def _decoded(text: str) -> bytes:
    try:
        content = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        raise Invalid({"contentBase64": ["Is not base64."]}) from None
    if len(content) > MAX_INLINE_BYTES:
        raise PayloadTooLarge("The file is over 512 KiB; use the upload route")
    return content


def _bucket(unit: Unit, bucket_id: UUID | None, organization_id: UUID | None) -> StorageBucket:
    wanted = StorageBucket.id == bucket_id
    if bucket_id is None:
        wanted = (StorageBucket.organization_id == organization_id) & (StorageBucket.name == DEFAULT_BUCKET)
    bucket = unit.session.scalar(select(StorageBucket).where(wanted).with_for_update())
    return require_found(bucket, Invalid({"bucketId": ["Is required: the organization has no default bucket."]}))


def _admit(upload: StorageUpload, bucket: StorageBucket) -> None:
    if upload.size > bucket.max_file_size:
        raise PayloadTooLarge("The file is larger than the bucket allows")
    if bucket.used_bytes + upload.size > bucket.quota_bytes:
        raise PayloadTooLarge("The bucket is full")
    allowed = bucket.allowed_content_types
    if allowed and upload.content_type not in allowed:
        raise TypeRefused({"contentType": ["The bucket does not take this type."]})


def clean_filename(name: str) -> str:
    """Keep the last part of a path, without control characters; raises Invalid when nothing is left."""
    last = re.split(r"[\\/]", name)[-1]
    cleaned = "".join(character for character in last if character.isprintable()).strip().strip(".") or ""
    require(bool(cleaned), "filename", "Must name a file.")
    return cleaned


def content_type(content: bytes, name: str, declared: str | None) -> str:
    """Tell the type from the first bytes; a declared type has to agree with what they show."""
    found = _sniffed(content, name)
    if declared is None:
        return found or ("text/plain" if _is_text(content) else UNKNOWN_TYPE)
    require(bool(MEDIA_TYPE.fullmatch(declared)), "contentType", "Must be a type such as text/plain.")
    plausible = declared == found if found else not _is_binary_media(declared)
    require(plausible or declared == UNKNOWN_TYPE, "contentType", "Does not fit the content.")
    return declared


def type_of(head: bytes, name: str, declared: str) -> str:
    """Tell the type of a file from its first bytes. What they leave open, the declared type may say, as long as it does
    not claim what they would show."""
    found = _sniffed(head, name)
    if found:
        return found
    if MEDIA_TYPE.fullmatch(declared) and not _is_binary_media(declared) and declared != UNKNOWN_TYPE:
        return declared
    return "text/plain" if _is_text(head) else UNKNOWN_TYPE


def _sniffed(content: bytes, name: str) -> str | None:
    """The type of the format with an unmistakable signature, or None. Office documents share one, and their ``name``
    tells which it is."""
    for signature, media_type in SIGNATURES.items():
        if content.startswith(signature):
            return media_type
    try:
        best = puremagic.magic_string(content[:4096], name if content.startswith(ZIP) else "")[0]
    except (puremagic.PureError, ValueError, IndexError):
        return None
    return best.mime_type or None if best.confidence >= 0.8 else None


def _is_binary_media(declared: str) -> bool:
    return declared.startswith(("image/", "audio/", "video/")) and declared != "image/svg+xml"


def _is_text(content: bytes) -> bool:
    try:
        # The end may lie in the middle of a character.
        return "\x00" not in getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False


@on_create(StorageDocument, callers_only=True)
def open_document(document: StorageDocument, write: Write) -> None:
    if document.status == "published":
        document.published_at = now()


@on_update(StorageDocument, callers_only=True)
def revise_document(document: StorageDocument, write: Write) -> None:
    if write.changed("title", "content"):
        document.version += 1
    if write.entered("status", document, "published"):
        document.published_at = now()

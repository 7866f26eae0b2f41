"""Pictures in smaller sizes, made in the sandbox by a job."""

from __future__ import annotations

import io
import logging
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import IO
from uuid import UUID

from sqlalchemy import select, update

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.settings import settings
from app.runtime import sandbox
from app.runtime.sandboxed import Refusal
from app.storage.models import StorageUpload
from app.storage.object_store import object_store, writing
from app.storage.uploads import Stored

log = logging.getLogger(__name__)

SCALE = "scale_picture"
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "AVIF")
TYPE, ENDING, QUALITY = "image/webp", ".webp", 80
# MiB that a picture is written in at most, and pixels that one is opened with.
LARGEST, MOST_PIXELS = 16, 50_000_000


def scale(upload_id: UUID, sizes: Sequence[int]) -> None:
    """Make a picture in ``sizes``, of those that are not there. One that cannot be read, or is as small already, stays
    as it is."""
    with reading() as session:
        upload = session.get(StorageUpload, upload_id)
    lacking = [size for size in sizes if str(size) not in upload.sizes] if upload is not None else []
    if upload is None or not lacking:
        return
    with tempfile.TemporaryFile() as whole:
        object_store().fetch(upload.storage_key, whole)
        made = {str(size): _is_made(whole, upload.storage_key, size) for size in lacking}
    run_unit(SYSTEM, _keep, upload_id, made)


def in_size(upload_id: UUID, stored: Stored, size: int) -> Stored:
    """A picture in one of its sizes; whole, where it is not there in that."""
    with reading() as session:
        made = session.scalar(select(StorageUpload.sizes).where(StorageUpload.id == upload_id))
    if not made or not made.get(str(size)):
        return stored
    name = PurePath(stored.filename).with_suffix(ENDING).name
    return replace(
        stored, key=_key(stored.key, size), filename=name, content_type=TYPE, sha256=f"{stored.sha256}-{size}"
    )


def scaled(content: bytes, target: IO[bytes], pixels: int) -> bool:
    """Write a picture to ``target`` in the child process, its longer side ``pixels`` long; tell whether it was larger.
    Raises Refusal."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if max(picture.size) <= pixels:
                return False
            picture.draft("RGB", (pixels, pixels))
            turned = ImageOps.exif_transpose(picture)
            turned.thumbnail((pixels, pixels))
            turned.convert("RGBA" if turned.has_transparency_data else "RGB").save(target, "WEBP", quality=QUALITY)
    except (
        UnidentifiedImageError,
        Image.DecompressionBombWarning,
        Image.DecompressionBombError,
        OSError,
        ValueError,
        SyntaxError,
    ) as error:
        raise Refusal("It is no picture that can be read") from error
    return True


def _is_made(whole: IO[bytes], key: str, size: int) -> bool:
    whole.seek(0)
    with tempfile.TemporaryFile() as smaller:
        try:
            is_smaller: bool = sandbox.run(
                "app.storage.pictures:scaled", whole, seconds=settings.extraction_seconds,
                memory=settings.extraction_memory, target=smaller, largest=LARGEST, pixels=size,
            )  # fmt: skip
        except Refusal as refusal:
            log.info("A picture is not made smaller: %s", refusal)
            return False
        if is_smaller:
            smaller.seek(0)
            with writing(_key(key, size)) as writer:
                writer.write(smaller.read())
        return is_smaller


def _keep(unit: Unit, upload_id: UUID, made: dict[str, bool]) -> None:
    sizes = StorageUpload.sizes.concat(made)
    unit.bookkeep(update(StorageUpload).where(StorageUpload.id == upload_id).values(sizes=sizes))


def _key(key: str, size: int) -> str:
    return f"{key}-{size}"

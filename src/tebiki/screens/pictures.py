"""Which pictures of a manual are shown: by what is in them, whatever they are called. Pure."""

from __future__ import annotations

MOST_BYTES = 8 * 1024 * 1024
VECTOR = "image/svg+xml"
"""May hold script; given only as a download, in which nothing runs."""

PICTURE_KINDS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": VECTOR,
}
"""By the end of a name, for links to them."""

_RIFF, _WEBP = b"RIFF", b"WEBP"
_BOXES = (b"ftypavif", b"ftypavis")
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_LOOKED_AT = 4096


def kind_of_picture(data: bytes) -> str | None:
    """The kind of a picture by its first bytes; None of anything else."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    if data.startswith(_RIFF) and data[8:12] == _WEBP:
        return "image/webp"
    if data[4:12] in _BOXES:
        return "image/avif"
    head = data[:_LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return VECTOR if head.startswith((b"<?xml", b"<svg", b"<!--")) and b"<svg" in head else None

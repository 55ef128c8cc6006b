"""Manuals and notes as resources: what is listed, and what is read by a URI.

The same gate and the same text as the tools have; nothing here depends on who asks. `.system/` is
the vault's own and is not there for readers, wherever it lies.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments, InvalidPath, NotFound
from tebiki.files.names import OWN_FOLDER, fold_name
from tebiki.files.patience import patience_of
from tebiki.server.enquiries import (
    Resource,
    ResourceCollection,
    ResourceTemplate,
    ResourceText,
)
from tebiki.tools.guarding import PROVENANCE
from tebiki.tools.uris import MANUAL, VAULT, manual_uri, parse_uri, rest_of, vault_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from tebiki.files.patience import Patience
    from tebiki.files.reading import Page
    from tebiki.files.text import FileText
    from tebiki.manuals.browsing import Browser
    from tebiki.server.enquiries import Suggestions, Typed
    from tebiki.tools.uris import ResourceAddress
    from tebiki.vault.vault import Vault

MARKDOWN = "text/markdown"
PLAIN = "text/plain"
MIME_TYPES = {"md": MARKDOWN, "markdown": MARKDOWN, "json": "application/json"}


def manual_collection(
    browser: Callable[[], Browser], suggest: Callable[[Typed], Suggestions]
) -> ResourceCollection:
    """The manuals: one resource for each, and every file of them by its URI."""

    def listed() -> list[Resource]:
        return [
            Resource(
                uri=manual_uri(manual_id),
                name=manual_id,
                title=manual_id,
                description="A manual: its folders and files, with their URIs.",
                mime_type=MARKDOWN,
            )
            for manual_id in browser().ids()
            if not is_hidden([manual_id])
        ]

    return ResourceCollection(
        scheme=MANUAL,
        template=ResourceTemplate(
            uri_template="manual://{manual_id}/{+path}",
            name="manual",
            title="A file or folder of a manual",
            description="With #L10 the section at that line, with #L10-L24 those lines.",
            mime_type=MARKDOWN,
        ),
        arguments=("manual_id", "path"),
        listed=listed,
        read=lambda uri, is_cancelled: _read_manual(
            browser(), parse_uri(uri, MANUAL), patience_of(is_cancelled, time.monotonic)
        )._replace(meta={PROVENANCE: "manual"}),
        suggest=suggest,
    )


def vault_collection(
    vault: Callable[[], Vault], suggest: Callable[[Typed], Suggestions]
) -> ResourceCollection:
    """The notes: one resource for all of them, and every note by its URI."""
    top = Resource(
        uri=vault_uri(),
        name="vault",
        title="Notes vault",
        description="The user's notes: folders and notes, with their URIs.",
        mime_type=MARKDOWN,
    )
    return ResourceCollection(
        scheme=VAULT,
        template=ResourceTemplate(
            uri_template="vault:///{+path}",
            name="note",
            title="A note or folder of the vault",
            description="With #L10 the section at that line, with #L10-L24 those lines.",
            mime_type=MARKDOWN,
        ),
        arguments=("path",),
        listed=lambda: [top],
        read=lambda uri, is_cancelled: _read_note(
            vault(), parse_uri(uri, VAULT), patience_of(is_cancelled, time.monotonic)
        )._replace(meta={PROVENANCE: "vault"}),
        suggest=suggest,
    )


def is_hidden(names: Iterable[str]) -> bool:
    """Tell whether a path leads into the vault's own folder, however it is written."""
    return any(fold_name(name) == OWN_FOLDER for name in names)


def _read_manual(browser: Browser, address: ResourceAddress, patience: Patience) -> ResourceText:
    manual_id, path = address.authority, address.path
    parts = _parts(path)
    if is_hidden([manual_id, *parts]):
        raise NotFound("There is no such manual.")

    def folder() -> tuple[str, str]:
        found = browser.folder(manual_id, path)
        above = found.id.split("/")
        names = [(item.name, item.kind == "dir") for item in found.items]
        uri = manual_uri(above[0], [*above[1:], ""] if above[1:] else ())
        return uri, _listing(uri, names)

    uri = manual_uri(manual_id, parts)
    with _words_of_uris():
        return _read(
            uri, address, folder, lambda: browser.open_text(manual_id, path, patience), patience
        )


def _read_note(vault: Vault, address: ResourceAddress, patience: Patience) -> ResourceText:
    parts = _parts(address.path)
    if address.authority:
        raise InvalidPath("The URI of a note has three slashes, as in vault:///ideas/a.md.")
    if is_hidden(parts):
        raise NotFound("There is no such note.")

    def folder() -> tuple[str, str]:
        found = vault.ls("/".join(parts) or None)
        base = found.base_path.split("/") if found.base_path else []
        uri = vault_uri([*base, ""] if base else ())
        names = [(item.name, item.kind == "dir") for item in found.items]
        return uri, _listing(uri, names)

    uri = vault_uri(parts)
    with _words_of_uris():
        return _read(
            uri, address, folder, lambda: vault.open_text(address.path, patience), patience
        )


NO_ID = "The URI must begin with an id that resources/list has, as in manual://id/path."
TOLD_OF_URIS = {
    "manual_id ": NO_ID,
    "id is that of a file": "The URI is that of a file; leave out the slash at its end.",
    "id ": NO_ID,
    **dict.fromkeys(
        ("start_line ", "end_line "),
        "The fragment names lines that the file does not have, or not in this order.",
    ),
}
"""What the engines say of parameters, by its beginning, as whoever wrote a URI understands it."""


@contextmanager
def _words_of_uris() -> Iterator[None]:
    try:
        yield
    except InvalidArguments as refused:
        told = str(refused)
        instead = next((to for of, to in TOLD_OF_URIS.items() if told.startswith(of)), None)
        if instead is None:
            raise
        lines = told.partition("the file has ")[2]
        words = f"{instead} It has {lines}" if lines else instead
        raise InvalidArguments(words, details=refused.details) from refused


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]


def _listing(uri: str, names: Sequence[tuple[str, bool]]) -> str:
    """What is in a folder, each line with the URI to read on at."""
    from urllib.parse import quote  # only where names are made into URIs

    lines = []
    for name, is_folder in names:
        if is_hidden([name]):
            continue
        end = "/" if is_folder else ""
        shown = name.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        lines.append(f"- [{shown}{end}]({uri}{quote(name, safe='')}{end})\n")
    return "".join(lines)


def _read(
    uri: str,
    address: ResourceAddress,
    folder: Callable[[], tuple[str, str]],
    open_text: Callable[[], AbstractContextManager[FileText]],
    patience: Patience,
) -> ResourceText:
    """Read a file; where there is none, the folder of that name."""
    if not address.names_a_folder:
        try:
            with open_text() as text:
                return _part(text, uri, address, patience)
        except NotFound as missing:
            nothing = missing
        try:
            shown, listing = folder()
        except (NotFound, InvalidArguments):
            raise nothing from None
    else:
        shown, listing = folder()
    return _part(_text_of(listing), shown, address, patience)


def _text_of(words: str) -> FileText:
    """Text that was made here, read like that of a file."""
    import io  # only for folders

    from tebiki.files.text import FileText, index_of

    file = io.BytesIO(words.encode())
    return FileText(file, index_of(file))


def _part(text: FileText, uri: str, address: ResourceAddress, patience: Patience) -> ResourceText:
    """The part of a text that a fragment names, as far as one answer goes."""
    ending = uri.rpartition("/")[2].rpartition(".")
    mime_type = MARKDOWN if uri.endswith("/") else MIME_TYPES.get(ending[2].lower(), PLAIN)
    page, stop = _page(text, uri, address, patience, is_markdown=mime_type == MARKDOWN)
    asked = f"{uri}#{address.fragment}" if address.fragment else uri
    goes_on = rest_of(uri, page.end, stop) if page.is_cut else None
    return ResourceText(asked, mime_type, page.text, goes_on)


def _page(
    text: FileText, uri: str, address: ResourceAddress, patience: Patience, *, is_markdown: bool
) -> tuple[Page, int | None]:
    """A page of what is asked for, and where that ends; None when it is the end of the text."""
    from tebiki.files.reading import lines_page, page

    where = address.where
    if where.start is not None:
        return _characters(text, where.start, where.stop)
    if where.first_line is None:
        return page(text, 0), None
    if where.last_line is not None:
        lines = lines_page(text, where.first_line, where.last_line)
        return lines, text.start_of_line(where.last_line + 1)
    if uri.endswith("/"):
        return lines_page(text, where.first_line, None), None
    from tebiki.manuals.reading import section_at, snippet_at  # what a section is, they know

    if not is_markdown:
        return snippet_at(text, where.first_line), None
    start, stop = section_at(text, address.path, where.first_line, patience)
    return page(text, start, stop), stop


def _characters(text: FileText, start: int, stop: int | None) -> tuple[Page, int | None]:
    from tebiki.files.reading import page

    last = text.index.chars
    if start > last or (stop is not None and stop < start):
        raise InvalidArguments(f"The text has the characters 0 to {last}; give a range in it.")
    return page(text, start, None if stop is None else min(stop, last)), stop

"""What the user owns: manuals and their indexes, the notes vault, the ledger.

Nothing is left behind in any of them.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.errors import TebikiError
from tebiki.manuals.documents import kinds
from tebiki.manuals.documents.folders import IGNORED
from tebiki.manuals.find import Watch
from tebiki.values.numerals import counted, in_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tebiki.doctor.findings import Finding
    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.library import Library
    from tebiki.vault.forwarder import Forwarder
    from tebiki.vault.vault import Vault

MOST_SKIPPED_TOLD = 50
BUILD = "tebiki manuals index"
CLEAN = "tebiki manuals clean"


def manuals(
    library: Library, root: Path, seconds: float, clock: Callable[[], float]
) -> Iterator[Finding]:
    """Tell the state of each manual's index, brought up to date as far as the time allows."""
    try:
        ids = [item.id for item in library.ls().items]
    except TebikiError as error:
        yield wrong("manuals", str(error), "correct manuals.root")
        return
    if not ids:
        yield no_manuals(library, root)
        return
    elsewhere = library.named_manuals()
    words = f"{len(ids) - len(elsewhere)} in {root}"
    if elsewhere:
        words = f"{words}, {len(elsewhere)} elsewhere (manuals.roots)"
    yield good("manuals", words, root=str(root), manuals=ids)
    deadline = clock() + seconds
    for manual_id in ids:
        watch = Watch(is_cancelled=lambda: clock() >= deadline)
        try:
            yield _manual(manual_id, library.index(manual_id, watch))
            yield from _watching(manual_id, library)
        except TebikiError as error:
            yield wrong("manuals", f"{manual_id}: {error}", "check the folder and its permissions")


def missing_roots(named: Mapping[str, str]) -> Iterator[Finding]:
    """Tell which folders elsewhere are not there."""
    for name, folder in named.items():
        if not Path(folder).expanduser().is_dir():
            words = f"manuals.roots.{name}: there is no folder {folder}"
            advice = f"bring it back, or: tebiki manuals rm {shlex.quote(name)}"
            yield doubtful("manuals", words, advice, manual_id=name, folder=folder)


def no_manuals(library: Library, root: Path) -> Finding:
    """Tell why there are no manuals, and what to type."""
    setting = "name another folder of manuals with --manuals DIR, MANUALS_ROOT or manuals.root"
    facts = {"root": str(root)}
    if not root.is_dir():
        advice = f"make it and put each manual into a folder of its own there, or {setting}"
        return doubtful("manuals", f"there is no folder {root}", advice, **facts)
    if count := library.loose_files():
        what = counted(count, "Markdown or JSON file", "Markdown or JSON files")
        words = f"{root} holds {what} and no manual, which is a folder in it"
        above = shlex.quote(str(root.parent))
        advice = (
            f"to use {root} itself as the manual {root.name}, name the folder above it: "
            f"tebiki manuals ls --manuals {above} (for good: MANUALS_ROOT={above})"
        )
        return doubtful("manuals", words, advice, **facts)
    advice = f"put each manual into a folder of its own there, or {setting}"
    return doubtful("manuals", f"{root} holds no manual", advice, **facts)


def indexes(library: Library) -> Finding:
    """Tell what the indexes of manuals take on the disk, and what of that nobody needs."""
    kept = library.kept_indexes()
    gone = [one for one in kept if one.state == "gone"]
    words = f"{counted(len(kept), 'index', 'indexes')}, {in_bytes(sum(one.size for one in kept))}"
    if gone:  # no warning: they harm nobody
        size = in_bytes(sum(one.size for one in gone))
        words = f"{words}; {size} of manuals that are gone ({CLEAN})"
    return good("indexes", words, indexes=[one.row() for one in kept])


def _manual(manual_id: str, fresh: Fresh) -> Finding:
    words = f"{manual_id}: {counted(fresh.files, 'file')}, {counted(fresh.sections, 'section')}"
    facts = {
        "manual_id": manual_id,
        "files": fresh.files,
        "sections": fresh.sections,
        "late": len(fresh.unreached),
        "skipped": [one.row() for one in fresh.skipped[:MOST_SKIPPED_TOLD]],
    }
    if fresh.kinds:
        facts["unsupported"] = dict(fresh.kinds)
        words = f"{words}; {kinds.in_words(fresh.kinds)}"
    if fresh.unreached:
        state = "more are not built yet" if fresh.files else "not built yet"
        words = f"{words}, {len(fresh.unreached)} {state}"
        return doubtful("manuals", words, f"{BUILD} {manual_id}", **facts)
    reasons = Counter(one.reason for one in fresh.skipped)
    if set(reasons) - {IGNORED}:
        counts = [(reason.replace("_", " "), count) for reason, count in sorted(reasons.items())]
        each = ", ".join(f"{count} {reason}" for reason, count in counts)
        words = f"{words}; left out: {each}"
        return doubtful("manuals", words, f"{BUILD} {manual_id} names them", **facts)
    if not fresh.files:
        words = f"{words}; there is no Markdown or JSON file to search"
        return doubtful("manuals", words, f"put .md or .json files into {manual_id}", **facts)
    return good("manuals", words, **facts)


def _watching(manual_id: str, library: Library) -> Iterator[Finding]:
    """Tell of a manual of which a server is not told what changes."""
    state = library.watching(manual_id)
    if not state.is_on:
        words = f"{manual_id}: servers look at every file at each find: {state.reason}"
        yield good("watching", words, manual_id=manual_id, **state.row())


def vault(notes: Vault, root: Path) -> Finding:
    """Whether notes can be written and locked."""
    setting = "correct its permissions, or set vault.root (VAULT_ROOT)"
    try:
        is_there = notes.try_out()
    except TebikiError as error:
        return wrong("vault", f"{root}: {error}", setting, root=str(root))
    if is_there:
        return good("vault", f"{root} can be written and locked", root=str(root))
    if not _can_be_made(root):
        return wrong("vault", f"{root} cannot be made", setting, root=str(root))
    return good("vault", f"{root} is made with the first note", root=str(root))


def forwarded_notes(forwarder: Callable[[], Forwarder], url: str) -> Finding:
    """Whether the server that owns the notes lists them for this one."""
    try:
        forwarder().call("vault_ls", {}, "doctor", writes=False)
    except TebikiError as error:
        advice = "the vault's tools refuse until it answers; see vault.owner_url"
        return wrong("vault", str(error), advice, owner=url)
    return good("vault", f"{url} owns the notes and answers", owner=url)


def ledger(path: str | None) -> Finding:
    """Whether paid calls can be noted; no path: the user does not want it."""
    if path is None:
        return good("ledger", "is off (ledger.enabled)")
    from tebiki.budget.database import LedgerDatabase  # only here

    advice = "correct its permissions, or set ledger.path; caps of budget.* rest on it"
    try:
        is_there = LedgerDatabase(path, lambda _words: None).try_out()
    except OSError as refused:
        words = f"{path} cannot be written: {refused.strerror or refused}"
        return wrong("ledger", words, advice, path=path)
    if is_there:
        return good("ledger", f"{path} can be written", path=path)
    if not _can_be_made(Path(path)):
        return wrong("ledger", f"{path} cannot be made", advice, path=path)
    return good("ledger", f"{path} is made with the first paid call", path=path)


def _can_be_made(path: Path) -> bool:
    """Tell whether the lowest folder that is there takes new names."""
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    return above.is_dir() and os.access(above, os.W_OK | os.X_OK)

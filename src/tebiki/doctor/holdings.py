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
from tebiki.manuals.documents.folders import IGNORED
from tebiki.manuals.find import Watch
from tebiki.values.numerals import in_bytes
from tebiki.values.phrases import as_is, counted_phrase, listed, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tebiki.doctor.findings import Finding
    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.library import Library
    from tebiki.vault.forwarder import Forwarder
    from tebiki.vault.vault import Vault

MOST_SKIPPED_TOLD = 50
LEFT_OUT = {
    "candidate_cap": phrase("candidate cap"),
    "encoding": phrase("encoding"),
    "gone": phrase("gone"),
    "ignored": phrase("ignored"),
    "not_indexed": phrase("not indexed"),
    "permission": phrase("permission"),
    "same_name": phrase("same name"),
    "special": phrase("special"),
    "symlink": phrase("symlink"),
    "time_budget": phrase("time budget"),
    "too_large": phrase("too large"),
    "unusable_name": phrase("unusable name"),
}
"""Why files are not searched, in a word or two."""
BUILD = "tebiki manuals index"


def manuals(
    library: Library, root: Path, seconds: float, clock: Callable[[], float]
) -> Iterator[Finding]:
    """Tell the state of each manual's index, brought up to date as far as the time allows."""
    try:
        ids = [item.id for item in library.ls().items]
    except TebikiError as error:
        yield wrong("manuals", as_is(error), phrase("correct manuals.root"))
        return
    if not ids:
        yield no_manuals(library, root)
        return
    elsewhere = library.named_manuals()
    below = counted_phrase(len(ids) - len(elsewhere), "{n} manual", "{n} manuals")
    words = phrase("{manuals} in {folder}", manuals=below, folder=root)
    if elsewhere:
        words = phrase("{words}, {n} elsewhere (manuals.roots)", words=words, n=len(elsewhere))
    yield good("manuals", words, root=str(root), manuals=ids)
    deadline = clock() + seconds
    for manual_id in ids:
        watch = Watch(is_cancelled=lambda: clock() >= deadline)
        try:
            yield _manual(manual_id, library.index(manual_id, watch))
            yield from _watching(manual_id, library)
        except TebikiError as error:
            words = phrase("{manual}: {error}", manual=manual_id, error=error)
            yield wrong("manuals", words, phrase("check the folder and its permissions"))


def missing_roots(named: Mapping[str, str]) -> Iterator[Finding]:
    """Tell which folders elsewhere are not there."""
    for name, folder in named.items():
        if not Path(folder).expanduser().is_dir():
            words = phrase(
                "manuals.roots.{name}: there is no folder {folder}", name=name, folder=folder
            )
            advice = phrase("bring it back, or: tebiki manuals rm {name}", name=shlex.quote(name))
            yield doubtful("manuals", words, advice, manual_id=name, folder=folder)


def no_manuals(library: Library, root: Path) -> Finding:
    """Tell why there are no manuals, and what to type."""
    setting = phrase(
        "name another folder of manuals with --manuals DIR, MANUALS_ROOT or manuals.root"
    )
    facts = {"root": str(root)}
    if not root.is_dir():
        advice = phrase(
            "make it and put each manual into a folder of its own there, or {otherwise}",
            otherwise=setting,
        )
        return doubtful(
            "manuals", phrase("there is no folder {folder}", folder=root), advice, **facts
        )
    if count := library.loose_files():
        words = phrase(
            "{folder} holds {files} and no manual, which is a folder in it",
            folder=root,
            files=counted_phrase(count, "{n} Markdown or JSON file", "{n} Markdown or JSON files"),
        )
        advice = phrase(
            "to use {folder} itself as the manual {name}, name the folder above it: "
            "tebiki manuals ls --manuals {above} (for good: MANUALS_ROOT={above})",
            folder=root,
            name=root.name,
            above=shlex.quote(str(root.parent)),
        )
        return doubtful("manuals", words, advice, **facts)
    advice = phrase(
        "put each manual into a folder of its own there, or {otherwise}", otherwise=setting
    )
    return doubtful("manuals", phrase("{folder} holds no manual", folder=root), advice, **facts)


def indexes(library: Library) -> Finding:
    """Tell what the indexes of manuals take on the disk, and what of that nobody needs."""
    kept = library.kept_indexes()
    gone = [one for one in kept if one.state == "gone"]
    words = phrase(
        "{indexes}, {size}",
        indexes=counted_phrase(len(kept), "{n} index", "{n} indexes"),
        size=in_bytes(sum(one.size for one in kept)),
    )
    if gone:  # no warning: they harm nobody
        size = in_bytes(sum(one.size for one in gone))
        words = phrase(
            "{words}; {size} of manuals that are gone (tebiki manuals clean)",
            words=words,
            size=size,
        )
    return good("indexes", words, indexes=[one.row() for one in kept])


def _manual(manual_id: str, fresh: Fresh) -> Finding:
    words = phrase(
        "{manual}: {files}, {sections}",
        manual=manual_id,
        files=counted_phrase(fresh.files, "{n} file", "{n} files"),
        sections=counted_phrase(fresh.sections, "{n} section", "{n} sections"),
    )
    facts = {
        "manual_id": manual_id,
        "files": fresh.files,
        "sections": fresh.sections,
        "late": len(fresh.unreached),
        "skipped": [one.row() for one in fresh.skipped[:MOST_SKIPPED_TOLD]],
    }
    if fresh.kinds:
        facts["unsupported"] = dict(fresh.kinds)
        counts = (f"{count} {kind}" for kind, count in fresh.kinds.items())
        words = phrase("{words}; not searched: {kinds}", words=words, kinds=listed(counts))
    if fresh.unreached:
        n = len(fresh.unreached)
        words = (
            phrase("{words}, {n} more are not built yet", words=words, n=n)
            if fresh.files
            else phrase("{words}, {n} not built yet", words=words, n=n)
        )
        return doubtful("manuals", words, as_is(f"{BUILD} {manual_id}"), **facts)
    reasons = Counter(one.reason for one in fresh.skipped)
    if set(reasons) - {IGNORED}:
        each = listed(
            phrase("{n} {reason}", n=count, reason=LEFT_OUT[reason])
            for reason, count in sorted(reasons.items())
        )
        words = phrase("{words}; left out: {files}", words=words, files=each)
        advice = phrase("{command} names them", command=f"{BUILD} {manual_id}")
        return doubtful("manuals", words, advice, **facts)
    if not fresh.files:
        words = phrase("{words}; there is no Markdown or JSON file to search", words=words)
        advice = phrase("put .md or .json files into {manual}", manual=manual_id)
        return doubtful("manuals", words, advice, **facts)
    return good("manuals", words, **facts)


def _watching(manual_id: str, library: Library) -> Iterator[Finding]:
    """Tell of a manual of which a server is not told what changes."""
    state = library.watching(manual_id)
    if not state.is_on:
        words = phrase(
            "{manual}: servers look at every file at each find: {reason}",
            manual=manual_id,
            reason=state.reason,
        )
        yield good("watching", words, manual_id=manual_id, **state.row())


def vault(notes: Vault, root: Path) -> Finding:
    """Whether notes can be written and locked."""
    setting = phrase("correct its permissions, or set vault.root (VAULT_ROOT)")
    try:
        is_there = notes.try_out()
    except TebikiError as error:
        words = phrase("{folder}: {error}", folder=root, error=error)
        return wrong("vault", words, setting, root=str(root))
    if is_there:
        words = phrase("{folder} can be written and locked", folder=root)
        return good("vault", words, root=str(root))
    if not _can_be_made(root):
        words = phrase("{place} cannot be made", place=root)
        return wrong("vault", words, setting, root=str(root))
    words = phrase("{folder} is made with the first note", folder=root)
    return good("vault", words, root=str(root))


def forwarded_notes(forwarder: Callable[[], Forwarder], url: str) -> Finding:
    """Whether the server that owns the notes lists them for this one."""
    try:
        forwarder().call("vault_ls", {}, "doctor", writes=False)
    except TebikiError as error:
        advice = phrase("the vault's tools refuse until it answers; see vault.owner_url")
        return wrong("vault", as_is(error), advice, owner=url)
    return good("vault", phrase("{url} owns the notes and answers", url=url), owner=url)


def ledger(path: str | None) -> Finding:
    """Whether paid calls can be noted; no path: the user does not want it."""
    if path is None:
        return good("ledger", phrase("the ledger is off (ledger.enabled)"))
    from tebiki.budget.database import LedgerDatabase  # only here

    advice = phrase("correct its permissions, or set ledger.path; caps of budget.* rest on it")
    try:
        is_there = LedgerDatabase(path, lambda _words: None).try_out()
    except OSError as refused:
        problem = refused.strerror or refused
        words = phrase("{file} cannot be written: {problem}", file=path, problem=problem)
        return wrong("ledger", words, advice, path=path)
    if is_there:
        return good("ledger", phrase("{file} can be written", file=path), path=path)
    if not _can_be_made(Path(path)):
        return wrong("ledger", phrase("{place} cannot be made", place=path), advice, path=path)
    return good("ledger", phrase("{file} is made with the first paid call", file=path), path=path)


def _can_be_made(path: Path) -> bool:
    """Tell whether the lowest folder that is there takes new names."""
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    return above.is_dir() and os.access(above, os.W_OK | os.X_OK)

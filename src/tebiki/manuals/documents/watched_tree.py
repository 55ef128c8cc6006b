"""The folders of a manual, watched: walked once, and after that only what happened is looked at.

A folder is watched before it is looked into, so nothing can happen in between unseen. What happened
says only where to look: what is there now is asked of the disk. For one thread at a time; not here:
when to begin, to give up and to audit (`watching`).
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from tebiki.errors import Forbidden, NotFound
from tebiki.files.handles import HeldFolder, look_of
from tebiki.files.paths import translate_os_errors
from tebiki.manuals.documents import walking
from tebiki.manuals.documents.file_types import NAMES
from tebiki.manuals.documents.folders import can_be_listed, look_again, sort_out
from tebiki.manuals.documents.walking import Walk, below
from tebiki.system import inotify
from tebiki.system.inotify import LOCAL_FILE_SYSTEMS, Inotify, file_system_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from tebiki.files.handles import Folder, Look
    from tebiki.files.paths import Root
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.folders import InFolder
    from tebiki.system.inotify import Happening

HAPPENED, PERHAPS_CLOSED, ANEW = 0, 1, 2
"""What is to be done with a name: look at it; see whether a folder may still be listed; take a
folder for another one, whatever it looks like."""

_WITH_FOLDERS = inotify.CREATE | inotify.DELETE | inotify.MOVED_FROM | inotify.MOVED_TO
_ITS_END = inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.UNMOUNT | inotify.IGNORED
LIMITS = {
    errno.ENOSPC: "this user has no inotify watches left (fs.inotify.max_user_watches)",
    errno.EMFILE: "no inotify instances or descriptors are left (fs.inotify.max_user_instances)",
    errno.ENFILE: "this system has no descriptors left",
    errno.ENOMEM: "this system has no memory left for watches",
    errno.ENOENT: "there is no /proc to watch folders by",
    errno.ENOSYS: "this system has no inotify",
}


class Lost(Exception):
    """Something happened of which nobody can tell what it was; to be begun anew."""


class Unwatchable(Exception):
    """The manual cannot be watched; says why."""


class WatchedTree:
    """What is in a manual, as of the last time that somebody asked; holds one descriptor."""

    def __init__(
        self,
        root: Root,
        manual_id: str,
        new_head: Callable[[], int],
        most: int,
        types: FileTypes,
    ) -> None:
        self._root = root
        self._types = types
        self._manual_id = manual_id
        self._place = below(manual_id, "")
        self._new_head = new_head
        self._most = most
        self._devices: set[int] = set()
        self._top: tuple[int, int] = (0, 0)
        self._arrived: dict[str, int] = {}
        self._watches: dict[str, int] = {}
        self._places: dict[int, set[str]] = {}
        self._folders: dict[str, InFolder] = {}
        self._files: dict[str, Look] = {}
        self._denied: set[str] = set()
        self._linked: dict[str, frozenset[str]] = {}
        self._to_do: dict[str, dict[str, int]] = {}
        self._dead: set[str] = set()
        self._unwalked: set[str] = set()
        self._touched: dict[str, int] = {}
        self._now_touched: set[str] = set()
        self._since = 0
        self._audited: int | None = None
        self._process = os.getpid()
        try:
            self._inotify = Inotify()
        except OSError as error:
            raise Unwatchable(_limit(error)) from error
        self.walk = Walk({}, (), {}, {}, is_whole=False)

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return len(self._watches)

    def close(self) -> None:
        """Watch no longer."""
        self._inotify.close()

    def begin(self, stop: Callable[[], bool]) -> Walk:
        """Walk all of it; not whole, and not to be gone on with, when there was no time.

        Raises:
            Unwatchable: something of it cannot be watched.
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        walk = walking.walk_manual(
            self._root, self._manual_id, stop, arrive=self._arrive, types=self._types
        )
        if not walk.is_whole:
            return walk
        self._adopt(walk)
        self._now_touched.clear()  # whoever has no earlier head asks for no change since
        self._publish()
        self._since = self.walk.head
        return self.walk

    def catch_up(self, stop: Callable[[], bool]) -> Walk:
        """Look at all that has happened until now; not whole when there was no time for that.

        Raises:
            Lost: that cannot be told.
            Unwatchable: a new folder cannot be watched.
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        with self._root.folder(self._place) as (folder, _):
            if self._process != os.getpid() or _identity(folder) != self._top:
                raise Lost("its folder was replaced")
        self._note(self._inotify.read())
        self._look_at_linked()
        if not self._look_where_it_happened(stop):
            return self.walk._replace(files=dict(self._files), is_whole=False)
        if self._now_touched:
            self._publish()
        return self.walk

    def changed(self, since: int) -> AbstractSet[str] | None:
        """Paths where something happened after a head; what is older is forgotten."""
        if since < self._since:
            return None
        self._since = since
        oldest = since if self._audited is None else min(since, self._audited)
        self._touched = {path: head for path, head in self._touched.items() if head > oldest}
        return frozenset(path for path, head in self._touched.items() if head > since)

    def begin_audit(self) -> Walk:
        """What is known now; what happens after this is kept until the audit ends."""
        self._audited = self.walk.head
        return self.walk

    def end_audit(self) -> set[str]:
        """Paths where something happened since the audit began."""
        begun, self._audited = self._audited or 0, None
        return {path for path, head in self._touched.items() if head > begun}

    def doubt(self, missed: Iterable[tuple[str, str]]) -> None:
        """Look at some names again, next time: folders by what stands before their paths."""
        for before, name in missed:
            self._mark(before, name, ANEW)

    def _arrive(self, folder: Folder, before: str) -> None:
        """Watch a folder that is about to be looked into."""
        if not isinstance(folder, HeldFolder):
            raise Unwatchable("this system has no folder descriptors")
        descriptor = folder.fileno()
        device, number = _identity(folder)
        if not before:
            self._top = device, number
        if device not in self._devices:
            if (kind := file_system_of(descriptor)) not in LOCAL_FILE_SYSTEMS:
                raise Unwatchable(f"its file system ({kind:#x}) may not tell of every change")
            self._devices.add(device)
        if len(self._watches) + len(self._arrived) >= self._most:
            raise Unwatchable(f"it has more than {self._most:,} folders")
        try:
            self._arrived[before] = self._inotify.watch(descriptor)
        except PermissionError:
            raise  # as when it may not be listed
        except OSError as error:
            raise Unwatchable(_limit(error)) from error

    def _adopt(self, walk: Walk) -> None:
        """Take over what a walk found, in folders that are not known yet."""
        for before, inside in walk.folders.items():
            watch = self._arrived.pop(before)
            self._watches[before] = watch
            self._places.setdefault(watch, set()).add(before)
            self._folders[before] = inside
            if inside.linked:
                self._linked[before] = inside.linked
        for watch in self._arrived.values():  # of folders that went, or may not be listed
            if watch not in self._places:
                self._inotify.unwatch(watch)
        self._arrived.clear()
        self._denied.update(walk.denied)
        self._own_files().update(walk.files)
        self._now_touched.update(walk.files, walk.denied)

    def _note(self, happenings: list[Happening]) -> None:
        """Note where to look."""
        for watch, mask, name in happenings:
            if mask & inotify.OVERFLOW:
                raise Lost("more happened at once than the system keeps (max_queued_events)")
            for before in tuple(self._places.get(watch, ())):
                if mask & _ITS_END:
                    self._end(before, mask)
                elif name:
                    self._mark(before, name, _duty(mask))
                elif not before and mask & inotify.ATTRIB:
                    raise Lost("the permissions of its folder were changed")

    def _end(self, before: str, mask: int) -> None:
        if mask & inotify.UNMOUNT:
            raise Lost("a file system was unmounted")
        if not before:
            raise Lost("its folder was removed or moved")
        self._dead.add(before)
        self._to_do.setdefault(_above(before), {})

    def _mark(self, before: str, name: str, duty: int) -> None:
        names = self._to_do.setdefault(before, {})
        names[name] = max(duty, names.get(name, HAPPENED))

    def _look_at_linked(self) -> None:
        """Look at files that may be written by another name, of which no folder here is told."""
        for before, names in self._linked.items():
            inside = self._folders[before]
            try:
                with self._root.folder(below(self._manual_id, before)) as (folder, _):
                    for name in names:
                        known = inside.seen.files.get(before + name) or inside.files.get(
                            before + NAMES[name].normal
                        )
                        if look_of(folder.look(name)) != known:
                            self._mark(before, name, HAPPENED)
            except (NotFound, Forbidden, OSError):
                for name in names:
                    self._mark(before, name, HAPPENED)

    def _look_where_it_happened(self, stop: Callable[[], bool]) -> bool:
        """Do all that is to be done; false when there was no time for the rest, which is kept."""
        while self._to_do or self._unwalked:
            # From the top: what is gone with a folder above need not be looked at.
            for before in sorted(self._to_do, key=lambda before: before.count("/")):
                if stop():
                    return False
                if before in self._folders and before in self._to_do:
                    self._look_into(before, self._to_do[before])
                self._to_do.pop(before, None)
            # After all that has gone: a folder that was moved keeps its watch.
            while self._unwalked and not self._to_do:
                path = next(iter(self._unwalked))
                self._denied.discard(path)
                walk = walking.walk_below(
                    self._root,
                    self._manual_id,
                    path,
                    stop,
                    arrive=self._arrive,
                    types=self._types,
                )
                if not walk.is_whole:
                    self._arrived.clear()
                    return False
                self._unwalked.discard(path)
                self._adopt(walk)
        return True

    def _look_into(self, before: str, names: dict[str, int]) -> None:
        """Look at some names of a folder again."""
        old = self._folders[before]
        try:
            with (
                self._root.folder(below(self._manual_id, before)) as (folder, _),
                translate_os_errors(before or self._manual_id),
            ):
                seen = look_again(folder, before, old.seen, names, self._types)
                new = sort_out(folder, before, seen, old, self._types)
                closed = {name for name, duty in names.items() if duty == ANEW} | {
                    name
                    for name, duty in names.items()
                    if duty == PERHAPS_CLOSED and not can_be_listed(folder, name)
                }
        except (NotFound, Forbidden):
            if not before:
                raise
            self._dead.add(before)
            self._to_do.setdefault(_above(before), {})
            return
        stay = set(new.folders)
        for one in old.folders:
            if one not in stay or one[0] in closed or f"{one[1]}/" in self._dead:
                self._drop(one[1])
        self._unwalked |= {path for _, path in stay if f"{path}/" not in self._folders}
        self._replace(before, old, new, names)

    def _replace(self, before: str, old: InFolder, new: InFolder, names: Iterable[str]) -> None:
        """Know a folder as it is now."""
        files = self._own_files()
        self._folders[before] = new
        paths = {before + NAMES[name].normal for name in names}
        # They were looked at again, each of them.
        odd = {before + NAMES[name].normal for name in (*old.odd, *new.odd)}
        paths |= {path for path in odd if old.files.get(path) != new.files.get(path)}
        self._now_touched |= paths
        for path in paths:
            if (look := new.files.get(path)) is None:
                files.pop(path, None)
            else:
                files[path] = look
        if new.linked:
            self._linked[before] = new.linked
        else:
            self._linked.pop(before, None)

    def _drop(self, path: str) -> None:
        """Forget a folder and those in it."""
        files = self._own_files()
        waiting = [path]
        while waiting:
            path = waiting.pop()
            before = f"{path}/"
            self._denied.discard(path)
            self._unwalked.discard(path)
            self._dead.discard(before)
            self._now_touched.add(path)
            if (inside := self._folders.pop(before, None)) is None:
                continue
            for gone in inside.files:
                files.pop(gone, None)
            self._now_touched.update(inside.files)
            self._to_do.pop(before, None)
            self._linked.pop(before, None)
            self._unwatch(before)
            waiting += [inner for _, inner in inside.folders]

    def _unwatch(self, before: str) -> None:
        watch = self._watches.pop(before)
        places = self._places[watch]
        places.discard(before)
        if not places:  # or it was moved, and is watched where it is now
            del self._places[watch]
            self._inotify.unwatch(watch)

    def _own_files(self) -> dict[str, Look]:
        """The files, to be changed: those that were given away stay as they are."""
        if self._files is self.walk.files:
            self._files = dict(self._files)
        return self._files

    def _publish(self) -> None:
        """Give what there is now a head of its own; what is as it was stays the same object."""
        last, folders, denied = self.walk, dict(self._folders), tuple(sorted(self._denied))
        head = self._new_head()
        skipped, left = walking.skipped_in(folders, denied), walking.unsupported_in(folders)
        self.walk = Walk(
            self._files,
            last.skipped if skipped == last.skipped else skipped,
            folders,
            last.unsupported if left == last.unsupported else left,
            is_whole=True,
            denied=denied,
            head=head,
        )
        self._touched.update(dict.fromkeys(self._now_touched, head))
        self._now_touched.clear()


def _duty(mask: int) -> int:
    if not mask & inotify.IS_FOLDER:
        return HAPPENED
    return ANEW if mask & _WITH_FOLDERS else PERHAPS_CLOSED


def _above(before: str) -> str:
    """What stands before the paths in the folder above."""
    above = before[:-1].rpartition("/")[0]
    return f"{above}/" if above else ""


def _identity(folder: Folder) -> tuple[int, int]:
    status = folder.look(".")
    return status.st_dev, status.st_ino


def _limit(error: OSError) -> str:
    return LIMITS.get(error.errno or 0, f"it cannot be watched ({error.strerror})")

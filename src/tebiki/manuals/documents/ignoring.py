"""What the rules in a manual's `.tebikiignore` take out of its search: listed, and not read.

The rules are those of gitignore, read by a library that is imported where there are any. They stand
at the top of the manual; a walk sees them as it sees every file.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments, NotFound
from tebiki.files.encodings import decode
from tebiki.files.handles import Kind
from tebiki.manuals.documents.folders import IGNORE_FILE, IGNORED, Skipped, Unsupported
from tebiki.manuals.documents.kinds import kind_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from pathspec import GitIgnoreSpec

    from tebiki.files.handles import Look
    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import FileReader, Walk

MOST_RULES = 1_000
MOST_STARS_OF_A_NAME = 3
MOST_STARS = 6
"""In a rule: each multiplies the ways in which a long name can be tried."""

PATHS_BETWEEN_CHECKS = 256


class IgnoreRules:
    """Rules as they are written; remembers what they said of each path."""

    def __init__(self, data: bytes) -> None:
        from pathspec import GitIgnoreSpec  # only where somebody wrote rules

        self.data = data
        self.refused: list[int] = []
        lines = decode(data)[0].splitlines()
        rules = [self._rule(number, line) for number, line in enumerate(lines, 1)]
        self._spec: GitIgnoreSpec = GitIgnoreSpec.from_lines(rules)
        self._known: dict[str, bool] = {}

    def ignore(self, path: str) -> bool:
        """Tell whether a file is not to be searched."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._spec.match_file(path)
        return known

    def forget_all_but(self, paths: AbstractSet[str]) -> None:
        """Keep what is remembered within what there is."""
        if len(self._known) > 2 * len(paths) + PATHS_BETWEEN_CHECKS:
            self._known = {path: said for path, said in self._known.items() if path in paths}

    def _rule(self, number: int, line: str) -> str:
        """A line, if it is a rule that can be kept; else nothing, and its number is noted."""
        from pathspec import GitIgnoreSpec  # see above

        stars = [len(re.findall(r"\*+", name)) for name in line.split("/")]
        is_kept = max(stars) <= MOST_STARS_OF_A_NAME and sum(stars) <= MOST_STARS
        if is_kept and number <= MOST_RULES:
            try:
                GitIgnoreSpec.from_lines([line])
            except ValueError:
                is_kept = False
        if is_kept and number <= MOST_RULES:
            return line
        self.refused.append(number)
        return ""


class IgnoringManual:
    """A manual without what its rules name; a `ManualSource` around another one."""

    def __init__(self, source: ManualSource, say: Callable[[str], None]) -> None:
        self._source = source
        self._say = say
        self._lock = threading.Lock()
        self._rules: IgnoreRules | None = None
        self._unread: Skipped | None = None
        self._since = 0
        self._last: tuple[Walk, Walk] | None = None

    def head(self, stop: Callable[[], bool]) -> int:
        """What the source says: an edit of the rules is an edit of a file."""
        return self._source.head(stop)

    def walk(self, stop: Callable[[], bool]) -> Walk:
        """What there is, without what the rules name."""
        walk = self._source.walk(stop)
        with self._lock:
            if walk.is_whole:
                self._read_rules(walk)
            if self._rules is None and self._unread is None:
                return walk
            if self._last is not None and self._last[0] is walk:
                return self._last[1]
            left = self._leave_out(walk, stop)
            if left.is_whole:
                self._last = walk, left
            return left

    def changed(self, since: int) -> AbstractSet[str] | None:
        """What the source says; other rules may concern any file."""
        return None if since < self._since else self._source.changed(since)

    def contents(self, path: str) -> bytes | Skipped:
        """Read a file."""
        return self._source.contents(path)

    def reader(self) -> FileReader:
        """What reads many files."""
        return self._source.reader()

    def _read_rules(self, walk: Walk) -> None:
        """Take the rules that are there now; what says the same stays the same."""
        data = rules_in(walk, self._source.contents)
        before = self._rules.data if self._rules else self._unread
        if data == before:
            return
        self._since, self._last = walk.head, None
        self._rules, self._unread = None, None
        if isinstance(data, Skipped):
            self._unread = data
        elif data is not None:
            try:
                self._rules = IgnoreRules(data)
            except InvalidArguments:
                self._unread = Skipped(IGNORE_FILE, "encoding")
            else:
                self._tell_refused(self._rules.refused)

    def _tell_refused(self, lines: list[int]) -> None:
        if lines:
            shown = ", ".join(map(str, lines[:10]))
            self._say(f"{IGNORE_FILE}: no rule that can be kept in line {shown}")

    def _leave_out(self, walk: Walk, stop: Callable[[], bool]) -> Walk:
        if self._rules is None:
            return walk._replace(skipped=(*walk.skipped, *filter(None, [self._unread])))
        left = leave_out(walk, self._rules, stop)
        if self._last is not None and left.unsupported == self._last[1].unsupported:
            # Whoever knows these need not count them again.
            left = left._replace(unsupported=self._last[1].unsupported)
        return left


def without_ignored(
    walk: Walk, contents: Callable[[str], bytes | Skipped], stop: Callable[[], bool]
) -> Walk:
    """A walk without what the rules of its manual name, for whoever walks once."""
    data = rules_in(walk, contents)
    if not isinstance(data, bytes):
        return walk
    try:
        return leave_out(walk, IgnoreRules(data), stop)
    except InvalidArguments:
        return walk  # in no encoding that is known; a find tells


def rules_in(walk: Walk, contents: Callable[[str], bytes | Skipped]) -> bytes | Skipped | None:
    """The rules of a manual that was walked, or why they cannot be read; None if there are none."""
    top = walk.folders.get("")
    if top is None or (IGNORE_FILE, Kind.FILE) not in top.seen.others:
        return None
    try:
        return contents(IGNORE_FILE)
    except NotFound:
        return None  # removed since its folder was listed


def leave_out(walk: Walk, rules: IgnoreRules, stop: Callable[[], bool]) -> Walk:
    """A walk without the files that rules name, which it tells of; not whole when out of time."""
    ignored: list[str] = []
    files: dict[str, Look] = {}
    for number, (path, look) in enumerate(walk.files.items()):
        if number % PATHS_BETWEEN_CHECKS == PATHS_BETWEEN_CHECKS - 1 and stop():
            return walk._replace(files=files, is_whole=False)
        if rules.ignore(path):
            ignored.append(path)
        else:
            files[path] = look
    unsupported = _without(walk.unsupported, rules, ignored)
    skipped = [one for one in walk.skipped if not rules.ignore(one.path) or one.reason == IGNORED]
    ignored += [one.path for one in walk.skipped if one not in skipped]
    rules.forget_all_but(walk.files.keys())
    told = tuple(Skipped(path, IGNORED) for path in sorted(ignored))
    return walk._replace(files=files, skipped=(*skipped, *told), unsupported=unsupported)


def _without(
    folders: Mapping[str, Unsupported], rules: IgnoreRules, ignored: list[str]
) -> dict[str, Unsupported]:
    """Files that search does not take, without those that rules name, which are ignored."""
    found: dict[str, Unsupported] = {}
    for before, inside in folders.items():
        left = tuple(one for one in inside.files if not rules.ignore(one.path))
        if len(left) == len(inside.files):
            found[before] = inside
            continue
        ignored += [one.path for one in inside.files if one not in left]
        if left:
            names = (one.path.rpartition("/")[2] for one in left)
            found[before] = Unsupported(left, Counter(map(kind_of_name, names)))
    return found

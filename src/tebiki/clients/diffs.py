"""A small change in a long text, as a unified diff of one hunk."""

from __future__ import annotations

from itertools import takewhile

CONTEXT = 3


def diff(path: str, before: str, after: str) -> str:
    """What changes, with a few lines around it; nothing when nothing does."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return ""
    same = _common(old, new)
    tail = _common(old[same:][::-1], new[same:][::-1])
    start = max(0, same - CONTEXT)
    removed, added = old[same : len(old) - tail], new[same : len(new) - tail]
    following = old[len(old) - tail :][:CONTEXT]
    around = same - start + len(following)
    return "\n".join(
        [
            f"--- {path if old else '/dev/null'}",
            f"+++ {path if new else '/dev/null'}",
            f"@@ -{_span(start, around + len(removed))} +{_span(start, around + len(added))} @@",
            *(f" {line}" for line in old[start:same]),
            *(f"-{line}" for line in removed),
            *(f"+{line}" for line in added),
            *(f" {line}" for line in following),
            "",
        ]
    )


def _common(old: list[str], new: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _span(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"

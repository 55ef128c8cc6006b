"""What OpenSearch, or whatever stands at its address, did not do: in words that say what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LOGIN_WANTED = 401
FORBIDDEN = 403

OLDEST = 2
"""The first line of OpenSearch that has all we ask for."""

OURS = "opensearch"
LONGEST = 300
CAUSE = re.compile(r"\[Errno -?\d+\] ([^\[\]()'\"]+)|(certificate verify failed[^()]*)")
ADDRESSES = "manuals.opensearch.addresses"
NOT_OURS = f"what answers is not OpenSearch; see {ADDRESSES}"
LOGIN = "manuals.opensearch.user and manuals.opensearch.password_env"


def unreached(error: Exception, addresses: Iterable[str]) -> str:
    """No node was reached: which were asked, why, and what to look at."""
    return (
        f"OpenSearch does not answer at {', '.join(addresses)} ({_cause(error)}); "
        f"see that its nodes run, and that {ADDRESSES} names them"
    )


def refused(status: int | str, kind: object, told: object) -> str:
    """A node answers, and does not do it: what it says, and what to do about some of it."""
    said = _said(status, kind, told)
    if status == LOGIN_WANTED:
        return f"it wants to know who asks ({said}); set {LOGIN}"
    if status == FORBIDDEN:
        return f"its user may not do that ({said}); docs/cluster.md has what a user needs"
    return said


def foreign(told: object) -> str | None:
    """Why what introduces itself like this is no cluster for us; None where it is one."""
    version = told.get("version") if isinstance(told, dict) else None
    if not isinstance(version, dict) or "number" not in version:
        return NOT_OURS
    number = str(version["number"])
    if version.get("distribution") != OURS:
        return (
            f"what answers is not OpenSearch, but says that it is {number[:20]} of another "
            f"kind; see {ADDRESSES}, and that compatibility.override_main_response_version is "
            "not set at its nodes"
        )
    line = number.partition(".")[0]
    if not line.isdigit() or int(line) < OLDEST:
        return f"its nodes are OpenSearch {number[:20]}; tebiki needs {OLDEST}.0 or newer"
    return None


def in_short(text: object) -> str:
    """Text on one line that does not fill a screen."""
    return " ".join(str(text).split())[:LONGEST]


def _cause(error: Exception) -> str:
    found = CAUSE.search(str(error))
    if found:
        return (found[1] or found[2]).strip(" :.")
    kind = type(error).__name__
    return "no answer in time" if "imeout" in kind else in_short(error) or kind


def _said(status: int | str, kind: object, told: object) -> str:
    if not isinstance(told, dict):
        return f"status {status}, and no words of OpenSearch; see {ADDRESSES}"
    error = told.get("error")
    if isinstance(error, dict):
        causes = error.get("root_cause") or [error]
        return in_short(f"{kind}: {causes[0].get('reason') or error.get('reason')}")
    return in_short(error or kind)

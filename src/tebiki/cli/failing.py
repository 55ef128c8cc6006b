"""What a command that fails leaves behind: one line for people, and with `--json` a document too.

Engines speak to models as well, by the names of parameters; people are told what they can type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tebiki.errors import UnknownTool
from tebiki.observability.redact import Redactor
from tebiki.values.keys import clean_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.errors import TebikiError

END_OF_FLAGS = "--"
CAPITALS = re.compile(r"(?<!^)(?=[A-Z])")

TYPED = {
    "manual_ls": "`tebiki manuals ls`",
    "manual_toc": "`tebiki manuals toc`",
    "manual_find": "`tebiki manuals find`",
    "manual_hits": "`tebiki manuals find`",
    "manual_read": "`tebiki manuals read`",
    "manual_scan": "`tebiki manuals scan`",
    "vault_ls": "`tebiki vault ls`",
    "vault_create": "`tebiki vault create`",
    "vault_read": "`tebiki vault read`",
    "vault_scan": "`tebiki vault read`",
    "vault_replace": "`tebiki vault replace`",
    "path_prefix is needed with depth deep": "--headings needs a PREFIX",
    "one of the folders in details as path_prefix": "one of the folders above as PREFIX",
    "path_prefix": "PREFIX",
    "a term of required_terms": "a word of --require",
    "required_terms takes": "--require takes",
    "put the rest into query": "put the rest into the question",
    "query is": "the question is",
    "query has": "the question has",
    "query must": "the question must",
    "budget.max_candidates": "--max-candidates",
    "budget.time_ms": "--time-ms",
    "cursor.offset": "--offset",
    "start_line is": "line is",
    "is after end_line": "is after --end",
    "end_line is": "--end is",
    "manual_id must be": "MANUAL must be",
    "allow_file: true": "--allow-file",
    "use scope": "use --scope",
    "scope is": "--scope is",
    "find is empty": "FIND is empty",
}
"""What an engine's message calls something, and what a person types instead; the longer first."""

ANY_OF_THEM = "|".join(map(re.escape, sorted(TYPED, key=len, reverse=True)))
FIRST_LINE = re.compile(r"\bstart_line (?=\d+ is after)")
SAID = re.compile(rf"(?<![\w/.-])(?:{ANY_OF_THEM})(?![\w/-]|\.\w)")


REMEDIES = {
    "list_first": "`tebiki manuals ls` lists them.",
    "list": "`tebiki manuals ls` lists those there are.",
    "list_files": "`tebiki manuals ls` and `tebiki manuals toc` list those there are.",
    "read": "Read it with `tebiki manuals read` or `tebiki manuals scan`.",
    "scan": "Use `tebiki manuals scan`.",
    "search": "Use `tebiki manuals find`.",
}
"""What a person can type where an engine knows a remedy."""


def message_of(failure: TebikiError) -> str:
    """What to tell a person about a failure, and what to do about it."""
    if isinstance(failure, UnknownTool):
        return str(failure)  # here tools are what was typed
    words = for_people(str(failure))
    return words if failure.remedy is None else f"{words} {REMEDIES[failure.remedy]}"


def for_people(message: str) -> str:
    """A message without the names that only a program gives; those of files stay."""
    return SAID.sub(lambda found: TYPED[found[0]], FIRST_LINE.sub("--start ", message))


def wants_json(words: Sequence[str]) -> bool:
    """Tell whether the words ask for JSON, whatever else is wrong with them."""
    flags = words[: words.index(END_OF_FLAGS)] if END_OF_FLAGS in words else words
    return "--json" in flags


def document(failure: TebikiError, message: str, secret: str | None) -> dict[str, Any]:
    """A failure as a program reads it: `{"error": {code, message, details?}}`, without the key."""
    told: dict[str, Any] = {"code": code_of(failure), "message": message}
    if failure.details:
        told["details"] = failure.details
    without_secrets: dict[str, Any] = clean_value({"error": told}, Redactor(secret).clean)
    return without_secrets


def code_of(failure: TebikiError) -> str:
    """The code that a tool would give for it, or else its kind: `missing_key`, `usage_error`."""
    from tebiki.server.error_map import FILE_CODES  # only when something is wrong

    kind = type(failure)
    return FILE_CODES.get(kind) or CAPITALS.sub("_", kind.__name__).lower()

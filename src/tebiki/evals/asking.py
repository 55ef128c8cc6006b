"""Puts a case to a library as a model does with the tools: find, then read until it is right.

What a model would get is counted from the same short forms that the tools give.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tebiki.evals.cases import same_path
from tebiki.evals.metrics import GAIN_AT
from tebiki.evals.run import SearchReply
from tebiki.evals.tokens import tokens_in
from tebiki.manuals.reading import Ref
from tebiki.manuals.request import FindRequest
from tebiki.protocol.messages import compact
from tebiki.tools import manual_forms as forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.evals.cases import Case, Place
    from tebiki.manuals.client_memory import FindAnswer
    from tebiki.manuals.library import Library

KIND = "integrated_top"


def request_of(case: Case) -> FindRequest:
    """The find that a case stands for."""
    return FindRequest(case.query, case.manual_id, case.required_terms)


class Asker:
    """Asks one library; `depth` is how far its ranking is looked at."""

    def __init__(self, library: Library, k: int, *, use_cache: bool = False) -> None:
        self._library = library
        self._depth = max(k, GAIN_AT)
        self._use_cache = use_cache
        self._readers = count()

    def find(self, case: Case) -> tuple[FindAnswer, dict[str, Any]]:
        """Search; gives the answer, and the short form of it that a model gets."""
        answer = self._library.find(request_of(case), use_cache=self._use_cache)
        return answer, forms.find_form(answer)

    def reply_to(self, case: Case, found: tuple[FindAnswer, dict[str, Any]]) -> SearchReply:
        """What a find told, and what reading on would cost."""
        answer, short = found
        rows = self._library.hits(answer.trace_id, KIND, limit=self._depth).rows
        places = [(row["ref"]["path"], row["ref"]["start_line"]) for row in rows]
        refs = tuple((same_path(path), line) for path, line in places)
        tokens = tokens_in(compact(short))
        to_right = None
        if right := _first_right(case, refs):
            shown = len(short["inline_hits"]["items"])
            to_right = tokens + self._more(answer, shown, right) + self._read(case, places[:right])
        summary = answer.found.summary
        return SearchReply(refs, summary["gap_count"], summary["conflict_count"], tokens, to_right)

    def _more(self, answer: FindAnswer, shown: int, right: int) -> int:
        """Tokens of the page that a model asks for when the right one is not shown at once."""
        if right <= shown:
            return 0
        limit = self._depth - shown
        page = self._library.hits(answer.trace_id, KIND, offset=shown, limit=limit)
        return tokens_in(compact(forms.hits_form(page)))

    def _read(self, case: Case, places: Sequence[Place]) -> int:
        """Tokens of all that is read, place by place."""
        # As a client of its own: a section that was read last would be gone on with.
        reader = self._library.for_client(f"reader {next(self._readers)}")
        reader.ls()
        return sum(tokens_in(_passage(reader, case, place)) for place in places)


def _passage(reader: Library, case: Case, place: Place) -> str:
    try:
        return compact(forms.passage_form(reader.read(Ref(case.manual_id, *place))))
    except TebikiError as refused:
        # A model gets this to read instead.
        return str(refused)


def _first_right(case: Case, refs: Sequence[Place]) -> int:
    """The place of the first right section: one that is expected, or one of an expected file."""
    for at, (path, line) in enumerate(refs, 1):
        if (path, line) in case.refs or (not case.refs and path in case.paths):
            return at
    return 0

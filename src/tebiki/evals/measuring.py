"""A whole set put to one library: indexes made ready, then every case asked and timed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments, TebikiError
from tebiki.evals.asking import Asker
from tebiki.evals.run import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.evals.cases import Case, Dataset
    from tebiki.evals.run import Outcome
    from tebiki.manuals.find import Watch
    from tebiki.manuals.library import Library


def make_ready(library: Library, dataset: Dataset, watch: Callable[[str], Watch]) -> None:
    """Bring the index of every manual of a set up to date, so that no find has to.

    Raises:
        InvalidArguments: a case names a manual that is not there; says which.
    """
    library.ls()
    for case in _one_of_each_manual(dataset):
        try:
            library.index(case.manual_id, watch(case.manual_id))
        except TebikiError as refused:
            where = f"{dataset.name}, line {case.line}"
            raise InvalidArguments(f"{where}: manual_id {case.manual_id!r}: {refused}") from refused


def measure(
    library: Library,
    dataset: Dataset,
    k: int,
    clock: Callable[[], float],
    progress: Callable[[int, int], None],
    *,
    use_cache: bool = False,
) -> list[Outcome]:
    """Ask every case; with the cache each is asked before, so that the answer is there."""
    asker = Asker(library, k, use_cache=use_cache)
    for case in _one_of_each_manual(dataset):
        # The first find of a process loads what all the others have.
        _leave_unmeasured(asker, case)
    outcomes = []
    for number, case in enumerate(dataset.cases, 1):
        if use_cache:
            _leave_unmeasured(asker, case)
        outcomes.append(ask(case, asker.find, asker.reply_to, clock))
        progress(number, len(dataset.cases))
    return outcomes


def _one_of_each_manual(dataset: Dataset) -> list[Case]:
    return list({case.manual_id: case for case in reversed(dataset.cases)}.values())


def _leave_unmeasured(asker: Asker, case: Case) -> None:
    with suppress(TebikiError):
        asker.find(case)

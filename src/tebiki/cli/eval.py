"""`tebiki eval`: how well the user's own manuals are searched, by a set of questions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tebiki import __version__
from tebiki.app.app import App
from tebiki.cli import eval_words, render, shared
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.parsers import CommandParser, whole_number
from tebiki.config.layers import Origin
from tebiki.config.schema import BY_KEY
from tebiki.errors import UsageError
from tebiki.evals import thresholds
from tebiki.evals.cases import dataset_in
from tebiki.evals.measures import BY_NAME
from tebiki.evals.measuring import make_ready, measure
from tebiki.evals.page import page
from tebiki.evals.sides import Report, Side, worth_of
from tebiki.evals.signals import SIGNALS
from tebiki.evals.troubles import troubles_of
from tebiki.manuals.find import Watch
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    import argparse

    from tebiki.app.faces import Face
    from tebiki.config.layers import Settings
    from tebiki.evals.cases import Dataset
    from tebiki.evals.signals import SignalWorth

USUAL_K, MOST_K = 5, 100
SUB_QUESTIONS = "manuals.find.query_decomp_enabled"
NOT_TOLD = frozenset(["manuals.root", "manuals.adaptive.stats_path"])
"""Where things are on this machine; it changes no answer and is nobody else's business."""


class Arrangement(NamedTuple):
    """A configuration to be measured."""

    name: str
    app: App
    use_cache: bool = False


def run(face: Face, words: list[str]) -> int:
    """Measure and print; 1 when a bar that is enforced was not reached."""
    typed = parser().parse_args(words)
    _check(typed)
    file = Path(typed.dataset)
    dataset = dataset_in(file)
    bars = thresholds.beside(file) if typed.enforce_thresholds else {}
    bars |= dict(thresholds.from_flag(text) for text in typed.threshold)
    if typed.enforce_thresholds and not bars:
        raise UsageError(
            f"--enforce-thresholds: no thresholds; give --threshold hit=0.9, or write "
            f'{{"thresholds": {{"hit": 0.9}}}} to {thresholds.sibling(file).name} beside the set'
        )
    arranged = _arrangements(face, typed)
    sides = [_measure(one, dataset, typed.k) for one in arranged]
    signals = _signals(arranged[0].app, dataset, sides[0]) if typed.signals else []
    report = Report(
        dataset,
        typed.k,
        __version__,
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        sides,
        thresholds.verdicts(sides[-1].values(), bars),
        _mode(typed),
        signals,
    )
    _tell(report, typed)
    return NEGATIVE if typed.enforce_thresholds and not report.is_met else DONE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki eval",
        description="Measure how well your manuals are searched, by a set of questions.",
        epilog=f"Measures: {', '.join(BY_NAME)}. See docs/evaluation.md.",
    )
    made.add_argument(
        "--dataset", required=True, metavar="FILE", help="the questions (.jsonl), one case per line"
    )
    made.add_argument(
        "--k",
        type=whole_number(1, MOST_K),
        default=USUAL_K,
        metavar="N",
        help="sections that count as seen (%(default)s)",
    )
    modes = made.add_mutually_exclusive_group()
    modes.add_argument(
        "--compare", nargs=2, metavar="A.yaml B.yaml", help="measure two configurations"
    )
    modes.add_argument(
        "--compare-sem-cache", action="store_true", help="measure without and with the cache"
    )
    modes.add_argument(
        "--compare-query-decomp",
        action="store_true",
        help="measure without and with sub-questions",
    )
    modes.add_argument(
        "--signals",
        action="store_true",
        help="also measure without each signal in turn, and tell what it is worth on this set",
    )
    made.add_argument(
        "--threshold",
        action="append",
        default=[],
        metavar="MEASURE=N",
        help="a threshold, such as hit=0.9; can be repeated",
    )
    made.add_argument(
        "--enforce-thresholds",
        action="store_true",
        help="exit 1 below a threshold; thresholds are also read from the .json beside the set",
    )
    made.add_argument("--report", metavar="FILE", help="write a page (.html) with tables and plots")
    made.add_shared()
    return made


def _check(typed: argparse.Namespace) -> None:
    """Refuse what would only fail after all the measuring."""
    if typed.compare and typed.config:
        raise UsageError("--compare names the configurations itself; leave --config out")
    if typed.report is None:
        return
    out = Path(typed.report)
    if out.suffix.lower() not in {".html", ".htm"}:
        raise UsageError(f"--report {out}: name a file that ends in .html; it is written over")
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise UsageError(f"--report {out}: there is no folder for such a file; make it first")


def _mode(typed: argparse.Namespace) -> str | None:
    if typed.compare:
        return "compare"
    if typed.compare_sem_cache:
        return "compare-sem-cache"
    return "compare-query-decomp" if typed.compare_query_decomp else None


def _arrangements(face: Face, typed: argparse.Namespace) -> list[Arrangement]:
    mode = _mode(typed)
    if mode == "compare":
        return [_of_file(face, path, typed.compare) for path in typed.compare]
    app = shared.open_app(face, typed.config, ("manuals",))
    if mode == "compare-sem-cache":
        return [
            Arrangement("cache off", app),
            Arrangement("cache on", app, use_cache=True),
        ]
    if mode == "compare-query-decomp":
        return [
            Arrangement("sub-questions off", _with(app, {SUB_QUESTIONS: False}, f"--{mode}")),
            Arrangement("sub-questions on", _with(app, {SUB_QUESTIONS: True}, f"--{mode}")),
        ]
    return [Arrangement("", app)]


def _of_file(face: Face, path: str, both: list[str]) -> Arrangement:
    names = {Path(one).name for one in both}
    name = Path(path).name if len(names) > 1 else path
    return Arrangement(name, shared.open_app(face, path, ("manuals",)))


def _with(app: App, values: dict[str, Any], flag: str) -> App:
    settings = app.loaded.settings.with_values(values, Origin("cli", flag))
    return App(app.face, app.loaded._replace(settings=settings), app.toolsets)


def _measure(one: Arrangement, dataset: Dataset, k: int, *, explains: bool = True) -> Side:
    library = one.app.engines.unnoted_library()
    with shared.progress_bar() as show:

        def watch(manual_id: str) -> Watch:
            return Watch(progress=lambda done, all_: show(f"indexing {manual_id}", done, all_))

        make_ready(library, dataset, watch)
        outcomes = measure(
            library,
            dataset,
            k,
            time.perf_counter,
            lambda done, of_all: show(f"asking {one.name}".strip(), done, of_all, "questions"),
            use_cache=one.use_cache,
        )
        troubles = troubles_of(library, outcomes, k) if explains else []
    return Side(one.name, _unusual(one.app.loaded.settings), outcomes, troubles, k)


def _signals(app: App, dataset: Dataset, usual: Side) -> list[SignalWorth]:
    """What each signal is worth that is on, the best first."""
    found: list[SignalWorth] = []
    for signal in SIGNALS:
        if app.loaded.settings[signal.key] != signal.off:
            without = _with(app, {signal.key: signal.off}, "--signals")
            name = f"without {signal.name}"
            side = _measure(Arrangement(name, without), dataset, usual.k, explains=False)
            found.append(worth_of(signal, side, usual))
    return sorted(found, key=lambda one: one.order)


def _unusual(settings: Settings) -> dict[str, Any]:
    """What is set otherwise than by default, of all that a find may depend on."""
    return {
        key: found.value
        for key, found in settings.items()
        if key.startswith("manuals.") and key not in NOT_TOLD and found.value != BY_KEY[key].default
    }


def _tell(report: Report, typed: argparse.Namespace) -> None:
    if typed.report is not None:
        try:
            Path(typed.report).write_text(page(report), encoding="utf-8")
        except OSError as refused:
            why = refused.strerror or str(refused)
            raise UsageError(f"--report {typed.report} cannot be written: {why}") from refused
    if typed.json:
        render.out_json(report.as_json())
        return
    for parts in eval_words.lines(report, render.screen().width, render.shows):
        render.out_line(*parts)
    if typed.report is not None:
        render.out(f"The report is {typed.report}")

"""`tebiki usage`: what the paid calls took, by tool, by model and by day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.app.usage import MOST_DAYS, USUAL_DAYS, read_usage
from tebiki.budget.summary import GROUPS, add_up, group
from tebiki.cli import render, shared
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.parsers import CommandParser, whole_number
from tebiki.cli.tables import BLOCKS, Bars
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from tebiki.app.faces import Face
    from tebiki.app.usage import LedgerExtract
    from tebiki.budget.summary import Sums

HEAD = ("calls", "not ok", "in", "out", "web", "USD")
THOUSAND = 1000


def run(face: Face, words: list[str]) -> int:
    """Add up and print; 1 when there was no call."""
    typed = parser().parse_args(words)
    app = shared.open_app(face, typed.config, ())
    found = read_usage(app.loaded, typed.days, app.log.warning)
    wanted = list(GROUPS) if typed.by is None else [typed.by]
    if typed.json:
        render.out_json(found.as_json(wanted))
    else:
        _show(found, typed.days, wanted)
    return DONE if found.calls else NEGATIVE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki usage",
        description="What the paid calls took and may cost, by tool, model and day (UTC).",
    )
    made.add_argument(
        "--days",
        type=whole_number(1, MOST_DAYS),
        default=USUAL_DAYS,
        metavar="N",
        help="days back, today included (%(default)s)",
    )
    made.add_argument("--by", choices=tuple(GROUPS), help="only this table")
    made.add_shared()
    return made


def _show(found: LedgerExtract, days: int, wanted: list[str]) -> None:
    when = "today" if days == 1 else f"in {days} days, since {found.since}"
    if not found.calls:
        render.out(f"No paid calls {when} (UTC). The ledger is {found.path}")
    else:
        total = add_up(found.calls)
        calls = counted(total.calls, "call")
        render.out(f"{calls} {when} (UTC), about {total.cost_usd:.2f} USD\n\n")
        for by in wanted:
            table = _table(by, group(found.calls, by))
            for parts in table.lines(render.screen().width, blocks=render.shows(BLOCKS)):
                render.out_line(*parts)
            render.out("")
    render.out("\n".join(_notes(found)))


def _notes(found: LedgerExtract) -> list[str]:
    total, today = add_up(found.calls), found.today
    notes = [f"Cost is an estimate by prices of {found.prices_as_of} (budget.prices_file)."]
    if total.unknown:
        more = f", perhaps {total.held_usd:.2f} USD more" if total.held_usd else ""
        notes.append(f"Not in it: {counted(total.unknown, 'call')} of unknown cost{more}.")
    if today["daily_usd"] is not None:
        notes.append(
            f"Daily cap: {today['spent_usd'] + today['held_usd']:.2f} of "
            f"{today['daily_usd']:g} USD on {today['day']} (UTC)."
        )
    if found.broken_lines:
        notes.append(f"Passed over: {counted(found.broken_lines, 'broken line')} of {found.path}")
    return notes


def _table(by: str, groups: dict[str, Sums]) -> Bars:
    """One row a group; bars show cost, or calls of unknown cost where nothing else has one."""
    costs = any(sums.cost_usd for sums in groups.values())
    sizes = [sums.cost_usd if costs else float(sums.unknown) for sums in groups.values()]
    most = max(sizes) or 1.0
    return Bars(
        (by, *HEAD),
        tuple(
            (
                name,
                str(sums.calls),
                str(sums.not_ok) if sums.not_ok else "-",
                _short(sums.input),
                _short(sums.output),
                str(sums.searches),
                "?" if sums.unknown == sums.calls else f"{sums.cost_usd:.3f}",
            )
            for name, sums in groups.items()
        ),
        tuple(size / most for size in sizes),
    )


def _short(count: int) -> str:
    """A number of tokens that fits a narrow column."""
    size = float(count)
    for unit in ("", "k", "M", "G"):
        if size < THOUSAND:
            return f"{size:.0f}{unit}" if not unit or size >= THOUSAND / 10 else f"{size:.1f}{unit}"
        size /= THOUSAND
    return f"{size:.0f}T"

"""`tebiki doctor`: what `doctor/` found, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.app.app import App
from tebiki.cli import render
from tebiki.cli.arguments import chosen_toolsets
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.failing import for_people
from tebiki.cli.parsers import CommandParser
from tebiki.cli.wrapping import wrap
from tebiki.clients import places
from tebiki.config.sources import Given, load, this_system, usual_key
from tebiki.doctor.examination import examine, examine_without_settings, worst
from tebiki.doctor.findings import FindingLevel
from tebiki.errors import ConfigError
from tebiki.observability.redact import Redactor
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from tebiki.app.faces import Face
    from tebiki.doctor.findings import Finding

STYLES = {FindingLevel.OK: "green", FindingLevel.WARNING: "yellow", FindingLevel.FAULT: "red"}
VERDICT_CELLS = 9
AREA_CELLS = 10
NARROWEST = 40


def run(face: Face, words: list[str]) -> int:
    """Look at everything and tell; 1 when something does not work."""
    typed = parser().parse_args(words)
    toolsets = chosen_toolsets(face, typed.toolsets)
    try:
        loaded = load(Given(typed.config), face.config_path)
    except ConfigError as error:
        findings = examine_without_settings(face.name, error)
        clean = Redactor(usual_key()).clean
    else:
        app = App(face, loaded, toolsets)
        machine = places.Machine(*this_system(places.VARIABLES))
        findings = examine(app, machine, offline=typed.offline)
        clean = app.log.clean
    found = list(_print_each(findings, clean, typed))
    verdict = worst(found)
    if typed.json:
        rows = [finding.as_json() for finding in found]
        render.out_json({"verdict": verdict.value, "findings": rows})
    else:
        render.out_line(_summary(found))
    return NEGATIVE if verdict is FindingLevel.FAULT else DONE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki doctor",
        description="Look at the installation from all sides and tell what to do. Nothing is "
        "changed; manuals are indexed as far as a few seconds allow.",
        epilog="Exit codes: 0 all well or warnings only, 1 something does not work, 2 error.",
    )
    made.add_argument("--offline", action="store_true", help="do not use the network")
    made.add_argument("--toolsets", metavar="A,B", help="check only what these need")
    made.add_shared()
    return made


def _print_each(
    findings: Iterator[Finding], clean: Callable[[str], str], typed: argparse.Namespace
) -> Iterator[Finding]:
    """Print each finding as it comes, without secrets, and pass it on."""
    width = max(NARROWEST, render.screen().width)
    for found in findings:
        cleaned = found.without_secrets(lambda text: clean(for_people(text)))
        if not typed.json:
            _print(cleaned, width)
        yield cleaned


def _print(found: Finding, width: int) -> None:
    left = VERDICT_CELLS + AREA_CELLS
    first, *rest = wrap(found.words, width - left)
    render.out_line(
        render.Styled(f"{found.verdict.value:<{VERDICT_CELLS}}", STYLES[found.verdict]),
        f"{found.area:<{AREA_CELLS}}{first}",
    )
    for line in rest:
        render.out_line(" " * left + line)
    if found.advice:
        for line in wrap(f"-> {found.advice}", width - left):
            render.out_line(" " * left, render.Styled(line, "bold"))


def _summary(found: list[Finding]) -> str:
    told = [
        counted(count, verdict.value)
        for verdict in (FindingLevel.FAULT, FindingLevel.WARNING)
        if (count := sum(one.verdict is verdict for one in found))
    ]
    return f"\n{', '.join(told) or 'All well'}."

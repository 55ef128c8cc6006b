"""Every scenario that is let off has its reason, and calls and readings are never let off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "expected_failures"
FILES = sorted(FOLDER.glob("*/*.yml"))
ENTRY = re.compile(r"  - ([a-z0-9-]+)  # \S.{20,}")


@pytest.mark.requirement("http:conformance:let-off")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_line_has_its_reason(path: Path) -> None:
    """One entry, one reason; none twice."""
    start, *entries = [line for line in path.read_text().splitlines() if not line.startswith("#")]

    found = [ENTRY.fullmatch(line) for line in entries]

    assert start == "server:"
    assert [line for line, match in zip(entries, found, strict=True) if match is None] == []
    names = [match[1] for match in found if match is not None]
    assert len(names) == len(set(names))


@pytest.mark.requirement("http:conformance:let-off")
def test_the_diagnostic_server_passes_every_call_resource_and_prompt() -> None:
    """And whatever it is let off, the product is let off too: it has the same server."""
    for path in FOLDER.glob("diagnostic/*.yml"):
        names = set(re.findall(r"- ([a-z0-9-]+)", path.read_text()))
        product = (FOLDER / "product" / path.name).read_text()
        assert not {name for name in names if name.startswith(("tools-call-", "prompts-"))}
        assert {name for name in names if name.startswith(("resources-", "completion-"))} <= {
            "resources-subscribe",
            "resources-unsubscribe",
        }
        assert names <= set(re.findall(r"- ([a-z0-9-]+)", product))
    assert len(FILES) == 6

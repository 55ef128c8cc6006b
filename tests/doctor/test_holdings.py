"""The state of manuals when there is no time to index them."""

from __future__ import annotations

import time
from pathlib import Path

from tebiki.doctor.findings import FindingLevel
from tebiki.doctor.holdings import manuals
from tebiki.manuals.find import Clocks
from tebiki.manuals.library import Library
from tests.manuals import usual

SAMPLES = Path(__file__).parents[2] / "samples" / "manuals"


def test_an_index_that_is_not_built_is_not_waited_for(tmp_path: Path) -> None:
    """The command that builds it is named."""
    library = Library(
        SAMPLES,
        usual.LIBRARY._replace(
            finder=usual.FINDER._replace(index_root=str(tmp_path), tuning=False)
        ),
        Clocks(time.time, time.monotonic, time.time_ns),
        lambda: "id",
        log=lambda _: None,
    )

    root, *each = manuals(library, SAMPLES, 0.0, time.monotonic)
    built = list(manuals(library, SAMPLES, 60.0, time.monotonic))

    assert root.verdict is FindingLevel.OK
    assert [found.verdict for found in each] == [FindingLevel.WARNING] * 2
    assert all("not built yet" in found.words for found in each)
    assert each[0].advice == "tebiki manuals index kaede-fukugouki"
    assert [found.verdict for found in built] == [FindingLevel.OK] * 3

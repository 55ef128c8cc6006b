"""The state that several machines share: whether it can be reached, as the server would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.app.shared_state import remote_store, start_warning
from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.errors import TebikiError
from tebiki.state.store import StateAway

if TYPE_CHECKING:
    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding

TOPIC = "state"


def state(loaded: Loaded) -> Finding:
    """Whether the server that `state.url` names answers this user."""
    url = loaded.settings.text("state.url")
    try:
        store = remote_store(loaded)
    except TebikiError as refused:
        return wrong(TOPIC, str(refused), "correct it: no HTTP server starts with it")
    try:
        store.try_out()
    except StateAway as away:
        return wrong(
            TOPIC,
            f"{url} does not answer: {away}",
            "servers go on by themselves and refuse paid calls that have a limit",
        )
    finally:
        store.close()
    warning = start_warning(loaded)
    if warning is not None:
        return doubtful(TOPIC, f"{url} answers", warning)
    return good(TOPIC, f"{url} answers")

"""What the API offers to a key: its list of models, as values; pure.

The API tells when a model shuts down, as soon as that is announced. It names no successor.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from tebiki.errors import BadReply
from tebiki.named_tuples import NamedTuple
from tebiki.responses.headers import moment_in

if TYPE_CHECKING:
    from tebiki.responses.replies import Json

SHUTDOWN = "shutdown_date"


class Offer(NamedTuple):
    """The models by id, each with the day it shuts down, and the API's own time.

    A gateway may list models and know nothing of their days; then it does not tell any.
    """

    models: dict[str, date | None]
    server_time: float | None
    tells_days: bool = True


def offer_from_json(body: Json, date_header: str | None) -> Offer:
    """Read the list of models; an entry of an unknown shape is passed over.

    Raises:
        BadReply: it is no list.
    """
    listed = body.get("data")
    if not isinstance(listed, list):
        raise BadReply("The API answered with something that is no list of models")
    entries = [
        entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    ]
    models = {entry["id"]: _day(entry.get(SHUTDOWN)) for entry in entries}
    tells_days = any(SHUTDOWN in entry for entry in entries)
    return Offer(models, moment_in(date_header), tells_days)


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None

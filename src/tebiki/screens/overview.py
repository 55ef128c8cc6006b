"""The screens of the owner: usage, health, clients and settings; read, never changed here.

What concerns others than the visitor is shown on loopback alone.
"""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tebiki import __version__
from tebiki.app.usage import MOST_DAYS, USUAL_DAYS, read_usage
from tebiki.budget.clients import caps_of, ledger_name
from tebiki.budget.summary import GROUPS
from tebiki.config.schema import BY_KEY
from tebiki.doctor.access import models_in_use
from tebiki.errors import Forbidden, TebikiError
from tebiki.named_tuples import NamedTuple
from tebiki.responses.models import ending_of
from tebiki.screens.languages import LANGUAGE, translator
from tebiki.screens.markup import words_of
from tebiki.screens.screen_tools import screen_tool
from tebiki.server.registry import Parameter
from tebiki.values.callers import principal_in
from tebiki.values.keys import clean_value
from tebiki.values.shapes import Integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.app.app import App
    from tebiki.budget.clients import Allowance
    from tebiki.doctor.findings import Finding
    from tebiki.server.registry import Call, Tool

THREADS = "page"
FRESH_SECONDS = 5.0
"""A look at everything takes a second or more; within so many the last one is given again."""

ELSEWHERE = "This is shown on loopback only."


class Owner(NamedTuple):
    """What a visitor may see besides their own: everything on loopback, nothing elsewhere."""

    sees_all: bool
    allowance: Allowance

    def sees_usage(self) -> bool:
        """Tell whether there is any to show: calls are kept by client where one is capped."""
        return self.sees_all or caps_of("anybody", self.allowance) is not None


class OverviewScreens:
    """Shows what the owner of a server wants to know."""

    def __init__(self, app: App, owner: Owner, clients: Callable[[], list[dict[str, Any]]]) -> None:
        self._app = app
        self._owner = owner
        self._clients = clients
        self._lock = threading.Lock()
        self._looked: tuple[float, list[Finding], dict[str, Any]] | None = None

    def tools(self) -> list[Tool]:
        """What can be asked."""
        days = Parameter("days", Integer(least=1, most=MOST_DAYS), "Days back.", default=USUAL_DAYS)
        return [
            screen_tool("GET usage", THREADS, (days,), self._usage),
            screen_tool("GET health", THREADS, (LANGUAGE,), self._health),
            screen_tool("GET clients", THREADS, (), self._list_clients),
            screen_tool("GET settings", THREADS, (LANGUAGE,), self._settings),
        ]

    def _usage(self, call: Call) -> dict[str, Any]:
        if not self._owner.sees_usage():
            raise Forbidden("What each client uses is not kept apart here.")
        own = not self._owner.sees_all
        client = ledger_name(principal_in(call.client)) if own else ""
        found = read_usage(self._app.loaded, call.arguments["days"], self._app.log.warning, client)
        form = found.as_json(GROUPS)
        today = form["today"]
        most = today["daily_usd"]
        left = None if most is None else max(0.0, most - today["spent_usd"] - today["held_usd"])
        allowance = self._owner.allowance
        caps = {
            "daily_usd": most,
            "client_daily_usd": allowance.daily_usd,
            "client_daily_calls": allowance.daily_calls or None,
            "calls_per_minute": allowance.calls_per_minute or None,
        }
        return {**form, "own": own, "today": {**today, "left_usd": left}, "caps": caps}

    def _health(self, call: Call) -> dict[str, Any]:
        with self._lock:  # one look at a time, whoever asks
            now = time.monotonic()
            if self._looked is None or now - self._looked[0] > FRESH_SECONDS:
                findings, rest = self._look()
                self._looked = (time.monotonic(), findings, rest)
            _, findings, rest = self._looked
        say = translator(call.arguments["language"])
        told = [
            finding.as_json() | {"words": say(finding.words), "advice": say(finding.advice)}
            for finding in findings
        ]
        cleaned: dict[str, Any] = clean_value({**rest, "findings": told}, self._app.log.clean)
        return cleaned

    def _look(self) -> tuple[list[Finding], dict[str, Any]]:
        from tebiki.doctor.examination import worst  # not before somebody looks

        findings = list(self._findings()) if self._owner.sees_all else []
        rest = {
            "verdict": worst(findings).value,
            "models": list(self._models()),
            "manuals": list(self._manuals()),
        }
        return findings, rest

    def _findings(self) -> Iterator[Finding]:
        from tebiki.clients import places  # as above
        from tebiki.config.sources import this_system
        from tebiki.doctor.examination import examine

        machine = places.Machine(*this_system(places.VARIABLES))
        return examine(self._app, machine, offline=True)

    def _models(self) -> Iterator[dict[str, Any]]:
        for model, users in models_in_use(self._app.loaded.settings, self._app.toolsets).items():
            ending = ending_of(model)
            yield {
                "model": model,
                "used_by": list(users),
                "shutdown_date": None if ending is None else ending.day.isoformat(),
                "successor": None if ending is None else ending.successor,
            }

    def _manuals(self) -> Iterator[dict[str, Any]]:
        if "manuals" not in self._app.toolsets:
            return
        library = self._app.engines.library()
        kept = {tuple(one.origin): one for one in library.kept_indexes() if one.origin is not None}
        for item in library.ls().items:
            form: dict[str, Any] = {"id": item.id}
            try:
                fresh = library.index(item.id)
            except TebikiError as failure:
                yield {**form, "error": str(failure)}
                continue
            index = kept.get(library.origin_of(item.id))
            yield {
                **form,
                "files": fresh.files,
                "sections": fresh.sections,
                "skipped": len(fresh.skipped),
                "index_bytes": None if index is None else index.size,
                "index_time": None if index is None else _time_of(index.folder),
            }

    def _list_clients(self, _call: Call) -> dict[str, Any]:
        if not self._owner.sees_all:
            raise Forbidden(ELSEWHERE)
        rows = [{**row, "seen": _moment(row["seen"])} for row in self._clients()]
        return {"clients": rows}

    def _settings(self, call: Call) -> dict[str, Any]:
        if not self._owner.sees_all:
            raise Forbidden(ELSEWHERE)
        loaded = self._app.loaded
        say = translator(call.arguments["language"])
        rows = [
            {
                "key": key,
                "value": found.value,
                "origin": found.origin.layer,
                "detail": found.origin.place,
                "covers": [
                    {"value": one.value, "origin": str(one.origin)} for one in found.shadowed
                ],
                "doc": words_of(say(BY_KEY[key].doc)) if key in BY_KEY else "",
            }
            for key, found in loaded.settings.items()
        ]
        form = {
            "version": __version__,
            "sources": loaded.sources,
            "warnings": list(loaded.warnings),
            "settings": rows,
        }
        cleaned: dict[str, Any] = clean_value(form, self._app.log.clean)
        return cleaned


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _time_of(folder: str) -> str | None:
    try:
        return _moment(os.stat(folder).st_mtime)
    except OSError:
        return None

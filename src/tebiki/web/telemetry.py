"""Spans and metrics of tool calls, for whoever brings an OpenTelemetry SDK; otherwise nothing.

A call is told by its tool's name, how it ended and how long it took; never by its arguments, what
it answered, who made it or any words of a failure.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import metrics, trace
from opentelemetry.trace import StatusCode

from tebiki.server.error_map import WireError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.server.error_map import Outcome

NAME = "tebiki"

OK, CANCELLED, FAILED, TOOL_ERROR = "ok", "cancelled", "failed", "tool_error"


class Ending:
    """How one call ended; what was not told is a failure of ours."""

    def __init__(self) -> None:
        self.outcome = FAILED

    def tell(self, outcome: Outcome) -> None:
        """Note what goes back to the client."""
        if isinstance(outcome, WireError):
            self.outcome = str(outcome.code)
        else:
            self.outcome = TOOL_ERROR if outcome.get("isError") else OK


class Telemetry:
    """Tells OpenTelemetry about tool calls: the environment's, where no other is given."""

    def __init__(
        self,
        version: str,
        tracers: trace.TracerProvider | None = None,
        meters: metrics.MeterProvider | None = None,
    ) -> None:
        self._tracer = trace.get_tracer(NAME, version, tracers)
        meter = metrics.get_meter(NAME, version, meters)
        self._calls = meter.create_counter("tebiki.tool.calls", "{call}", "Tool calls that ended.")
        self._errors = meter.create_counter(
            "tebiki.tool.errors", "{call}", "Tool calls that did not end well."
        )
        self._duration = meter.create_histogram(
            "tebiki.tool.duration", "s", "How long tool calls took."
        )

    @contextmanager
    def call(self, tool: str) -> Iterator[Ending]:
        """Watch one call of a tool we have."""
        begun, ending = time.monotonic(), Ending()
        with self._tracer.start_as_current_span(
            f"tool {tool}",
            attributes={"gen_ai.tool.name": tool},
            # The words of an exception may be anybody's.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield ending
            except asyncio.CancelledError:
                ending.outcome = CANCELLED
                raise
            finally:
                span.set_attribute("tebiki.outcome", ending.outcome)
                if ending.outcome not in {OK, CANCELLED}:
                    span.set_attribute("error.type", ending.outcome)
                    span.set_status(StatusCode.ERROR)
                self._measure(tool, ending.outcome, time.monotonic() - begun)

    def _measure(self, tool: str, outcome: str, seconds: float) -> None:
        attributes = {"gen_ai.tool.name": tool, "tebiki.outcome": outcome}
        self._calls.add(1, attributes)
        self._duration.record(seconds, attributes)
        if outcome not in {OK, CANCELLED}:
            self._errors.add(1, attributes)

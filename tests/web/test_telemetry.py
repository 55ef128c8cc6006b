"""Spans and metrics of tool calls: what happened and how long it took, never what was said."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tebiki.server.error_map import WireError
from tebiki.web.telemetry import Telemetry
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.server.error_map import Outcome
    from tests.web.conftest import StartHttp

SECRET = "quite-secret-words"

# What `opentelemetry-instrument` does, with exporters that write to files.
SET_UP = """
import atexit, os
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
folder = os.environ["TELEMETRY"]
spans = open(f"{folder}/spans", "a")
exporter = ConsoleSpanExporter(out=spans, formatter=lambda span: span.to_json(indent=None) + "\\n")
tracers = TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(tracers)
reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
atexit.register(lambda: open(f"{folder}/metrics", "w").write(reader.get_metrics_data().to_json()))
"""


class Watched:
    """Telemetry that keeps what it is told."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        meters = MeterProvider([self._metrics], shutdown_on_exit=False)
        self.telemetry = Telemetry("1.0", tracers, meters)

    def span(self) -> Any:
        """The one span there is."""
        (span,) = self._spans.get_finished_spans()
        return span

    def sums(self) -> dict[str, Any]:
        """Each metric's one point, by name."""
        data = self._metrics.get_metrics_data()
        assert data is not None
        return points(json.loads(data.to_json()))


def points(data: Any) -> dict[str, Any]:
    """The points of our own metrics, by name."""
    return {
        metric["name"]: metric["data"]["data_points"]
        for resource in data["resource_metrics"]
        for scope in resource["scope_metrics"]
        if scope["scope"]["name"] == "tebiki"
        for metric in scope["metrics"]
    }


@pytest.mark.requirement("http:telemetry:calls")
@pytest.mark.parametrize(
    ("outcome", "told", "is_error"),
    [
        ({"content": []}, "ok", False),
        ({"content": [], "isError": True}, "tool_error", True),
        (WireError(-32001, SECRET, {"message": SECRET}), "-32001", True),
    ],
    ids=["ok", "tool error", "wire error"],
)
def test_a_call_is_a_span_and_a_count(outcome: Outcome, told: str, is_error: bool) -> None:
    """With the tool's name and how it ended, and nothing else."""
    watched = Watched()

    with watched.telemetry.call("answer") as ending:
        ending.tell(outcome)

    span = watched.span()
    expected = {"gen_ai.tool.name": "answer", "tebiki.outcome": told}
    assert span.name == "tool answer"
    assert dict(span.attributes) == expected | ({"error.type": told} if is_error else {})
    assert span.status.is_ok is not is_error
    assert span.events == ()
    sums = watched.sums()
    assert sums["tebiki.tool.calls"][0]["value"] == 1
    assert sums["tebiki.tool.calls"][0]["attributes"] == expected
    assert sums["tebiki.tool.duration"][0]["count"] == 1
    assert ("tebiki.tool.errors" in sums) is is_error


@pytest.mark.requirement("http:telemetry:calls")
@pytest.mark.parametrize(
    ("raised", "told"),
    [(asyncio.CancelledError(SECRET), "cancelled"), (ZeroDivisionError(SECRET), "failed")],
    ids=["cancelled", "bug"],
)
def test_a_call_that_does_not_return_ends_too(raised: BaseException, told: str) -> None:
    """The exception goes on, and its words stay out."""
    watched = Watched()

    with pytest.raises(type(raised)), watched.telemetry.call("answer"):
        raise raised

    assert watched.span().attributes["tebiki.outcome"] == told
    assert SECRET not in watched.span().to_json()
    assert ("tebiki.tool.errors" in watched.sums()) is (told == "failed")


@pytest.mark.requirement("http:telemetry:calls")
def test_a_server_tells_the_environments_sdk(start_http: StartHttp, tmp_path: Path) -> None:
    """Whatever clients say, neither a text of theirs nor a key is in it."""
    (tmp_path / "sitecustomize.py").write_text(SET_UP)
    server = start_http(env={"PYTHONPATH": str(tmp_path), "TELEMETRY": str(tmp_path)})
    talk = server.talk(modern=True)
    talk.call(1, "answer", {"query": f"{SECRET} {CANARY}"})
    talk.call(2, "vault_read", {"path": f"{SECRET}.md", "full": True})
    talk.call(3, "answer", {"query": "simulate: 400"})

    assert server.stop() == 0

    spans = [json.loads(line) for line in (tmp_path / "spans").read_text().splitlines()]
    ours = [span for span in spans if span["name"].startswith("tool ")]
    assert [span["name"] for span in ours] == ["tool answer", "tool vault_read", "tool answer"]
    outcomes = [span["attributes"]["tebiki.outcome"] for span in ours]
    assert outcomes == ["ok", "tool_error", "-32001"]
    # Each is within the SDK's span of its message.
    assert all(span["parent_id"] is not None for span in ours)
    told = (tmp_path / "spans").read_text() + (tmp_path / "metrics").read_text()
    calls = points(json.loads((tmp_path / "metrics").read_text()))["tebiki.tool.calls"]
    assert sum(point["value"] for point in calls) == 3
    assert SECRET not in told
    assert CANARY not in told

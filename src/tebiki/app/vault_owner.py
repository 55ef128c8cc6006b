"""The one server that owns the notes, for those that forward to it (`forwarding`)."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from tebiki.app.forwarding import sealer_of
from tebiki.app.toolsets import TOOLSETS
from tebiki.errors import Forbidden, TebikiError
from tebiki.server.error_map import WireError
from tebiki.state.store import EVERYBODY, Shelf
from tebiki.vault.sealing import LONGEST_SKEW_SECONDS, NotSealed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.app.app import App
    from tebiki.server.error_map import ErrorMap
    from tebiki.server.registry import Tool
    from tebiki.state.store import StateStore
    from tebiki.vault.forwarded import ForwardedWrites
    from tebiki.vault.sealing import Sealer
    from tebiki.web.vault_calls import SealedAnswer

NONCES: Shelf[bool] = Shelf("vault-nonces", most=50_000, seconds=2.0 * LONGEST_SKEW_SECONDS + 10)
"""Numbers that were used: as long as a message with one of them could still be believed."""

VAULT_TOOLS = frozenset(name for one in TOOLSETS if one.provenance == "vault" for name in one.names)


class VaultOwner:
    """Answers forwarded calls; each write once, whatever comes twice."""

    def __init__(
        self,
        sealer: Sealer,
        tools: Callable[[], Mapping[str, Tool]],
        writes: ForwardedWrites,
        *,
        store: StateStore,
        errors: ErrorMap,
        clock: Callable[[], float],
        owns: bool,
    ) -> None:
        self._sealer = sealer
        self._tools = tools
        self._writes = writes
        self._store = store
        self._errors = errors
        self._clock = clock
        self._owns = owns

    def answer(self, seal: str, body: bytes) -> SealedAnswer:
        """Answer a call as it came."""
        from tebiki.web.vault_calls import SealedAnswer

        try:
            parts = self._sealer.check(seal, body, self._clock(), self._is_new)
        except NotSealed as refused:
            return SealedAnswer(403, "", _json({"error": f"The call was not believed: {refused}."}))
        if not self._owns:
            # Never handed on: two servers that name each other would go on for ever.
            words = (
                "This server forwards the notes' calls itself; vault.owner_url must name the owner."
            )
            return SealedAnswer(409, "", _json({"error": words}))
        outcome = self._errors.guard_work(lambda: self._do(json.loads(body)), "files")
        status = 500 if isinstance(outcome, WireError) else 200
        if isinstance(outcome, WireError):
            outcome = {"failure": _failure(TebikiError(outcome.message))}
        reply = _json(outcome)
        return SealedAnswer(status, self._sealer.seal_answer(parts.nonce, reply), reply)

    def _is_new(self, nonce: str) -> bool:
        return self._store.add(NONCES, EVERYBODY, nonce, True)

    def _do(self, call: dict[str, Any]) -> dict[str, Any]:
        tool = self._tools().get(call["tool"])
        if tool is None:
            return {
                "failure": _failure(Forbidden("The server with the notes does not serve this."))
            }
        if tool.behaviour.read_only:
            return _run(tool, call)
        asked = {name: call[name] for name in ("tool", "arguments", "client")}
        return self._writes.once(str(call["id"]), asked, lambda: _run(tool, call))


def _run(tool: Tool, call: dict[str, Any]) -> dict[str, Any]:
    from tebiki.server.progress import Progress
    from tebiki.server.registry import Call, InThread

    if not isinstance(tool.run, InThread):
        raise TypeError(f"{tool.name} does not run in a thread")
    try:
        arguments = tool.read_arguments(call["arguments"])
        given = tool.run.work(Call(arguments, Progress(None), str(call["client"])))
    except TebikiError as failure:
        return {"failure": _failure(failure)}
    return {"result": given.content}


def owner_of(
    app: App, store: StateStore, errors: ErrorMap
) -> Callable[[str, bytes], SealedAnswer] | None:
    """What answers forwarded calls; None where no secret is named."""
    sealer = sealer_of(app.loaded)
    if sealer is None:
        return None
    from tebiki.app.engines import Once
    from tebiki.vault.forwarded import ForwardedWrites

    folder = os.path.join(app.loaded.state_folder, "forwarded")
    return VaultOwner(
        sealer,
        Once(lambda: {tool.name: tool for tool in app.tools() if tool.name in VAULT_TOOLS}),
        ForwardedWrites(folder, app.engines.vault, time.time),
        store=store,
        errors=errors,
        clock=time.time,
        owns=app.loaded.settings["vault.owner_url"] is None,
    ).answer


def _failure(failure: TebikiError) -> dict[str, Any]:
    from tebiki.vault.forwarder import failure_form

    return failure_form(failure)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()

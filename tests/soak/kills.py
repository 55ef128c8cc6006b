"""SIGKILL at any moment of a server at work: whatever it had answered is there afterwards.

`python -m tests.soak.kills FILE` is a child that keeps things in the store that workers share, and
says each. The steps of one write are `faults`' business, an index under kills that of
`tests.manuals.index_faults`, one large note that of `tests.vault.faults`.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from simulator import Simulator
from tebiki.budget.database import LedgerDatabase
from tebiki.state.shared import SharedStore
from tebiki.state.spilling import SpillingStore
from tebiki.state.store import Shelf
from tebiki.vault.vault import Vault
from tests.soak.outcome import REPOSITORY, Outcome
from tests.soak.stage import environment, furnished
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

NOTES = 30
SHELF: Shelf[Any] = Shelf("things", most=500, seconds=1e9)


def killed_servers(home: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Kill a server that writes notes, an index, statistics and a ledger; then look."""
    outcome = Outcome("kills")
    written: dict[str, str] = {}
    with Simulator() as simulator:
        env = environment(furnished(home), simulator.base_url, TEBIKI_BUDGET_DAILY_USD="1000")
        paid = 0
        while go_on(outcome.done["servers killed"]):
            paid += _one_life(home, env, chance, written, outcome)
            outcome.done["servers killed"] += 1
            _look(home, written, paid, outcome)
            _ask_another(home, env, outcome)
    return outcome


def _one_life(
    home: Path,
    env: dict[str, str],
    chance: random.Random,
    written: dict[str, str],
    outcome: Outcome,
) -> int:
    """Many writes at once, and a kill after so many answers; gives how many paid calls ended."""
    life = outcome.done["servers killed"]
    (home / "manuals" / "lamp" / "edited.md").write_text(f"# Lamp {life}\n\nword{life}\n")
    paid = 0
    with ServerProcess(home, face="tebiki", env=env) as server:
        server.call("ls", "manual_ls", {})
        for number in range(NOTES):
            text = f"{life}.{number} " * 200
            server.begin_call(
                f"note {life}.{number}",
                "vault_create",
                {"path": f"{life}/{number}.md", "content": text},
            )
            server.begin_call(f"paid {number}", "answer_quick", {"query": "HTTP 404"})
        find = {"query": "lamp", "manual_id": "lamp", "required_terms": [f"word{life}"]}
        server.begin_call("find", "manual_find", find)
        for _ in range(chance.randrange(2 * NOTES)):
            answer = server.next_message()
            name, _, place = str(answer.get("id")).partition(" ")
            outcome.expect("result" in answer, str(answer))
            paid += name == "paid"
            if name == "note":
                written[place] = f"{place} " * 200
        server.process.kill()
    outcome.done["writes acknowledged"] = len(written)
    return paid


def _look(home: Path, written: dict[str, str], paid: int, outcome: Outcome) -> None:
    """Every note whole, those that were acknowledged there, the journal true, the ledger whole."""
    vault = Vault(home / "vault", time.time)
    for place, text in written.items():
        path = home / "vault" / (place.replace(".", "/", 1) + ".md")
        outcome.expect(path.is_file() and path.read_text() == text, f"{path.name} is lost or torn")
    for path in (home / "vault").glob("*/*.md"):
        place = f"{path.parent.name}.{path.stem} "
        outcome.expect(path.read_text() == place * 200, f"{path} is torn")
    entries = {entry.path: entry.done for entry in vault.log()}
    for path in (home / "vault").glob("*/*.md"):
        shown = f"{path.parent.name}/{path.name}"
        outcome.expect(entries.get(shown, False), f"{shown} is not in the journal")
    ledger = LedgerDatabase(str(home / ".local/state/tebiki/ledger.db"), outcome.wrong.append)
    begun = len(ledger.records())
    outcome.done["calls in the ledger"] = begun
    outcome.expect(ledger.calls_since("0000")[1] == 0, "a row of the ledger is broken")
    outcome.expect(begun >= paid, f"{begun} of {paid} paid calls are noted")


def killed_stores(folder: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Kill a process that keeps things in the shared file; another has it open all the time."""
    outcome = Outcome("stores")
    path = folder / "state.db"
    survivor = SpillingStore(str(path), time.time, outcome.wrong.append)
    said = 0
    while go_on(outcome.done["stores killed"]):
        command = [sys.executable, "-m", "tests.soak.kills", str(path), str(said)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as child:
            for _ in range(chance.randrange(1, 300)):
                said = int(child.stdout.readline()) if child.stdout is not None else said
            child.kill()
        outcome.done["stores killed"] += 1
        for number in range(max(0, said - 300), said):
            kept = survivor.get(SHELF, "me", str(number))
            outcome.expect(kept == [number] * 20, f"{number} is lost: {kept}")
        survivor.put(SHELF, "me", "survivor", said)
    survivor.close()
    outcome.done["things kept"] = said
    database = sqlite3.connect(path)
    found = database.execute("PRAGMA integrity_check").fetchone()[0]
    database.close()
    outcome.expect(found == "ok", f"the file is damaged: {found}")
    return outcome


def main() -> None:
    """Keep things for ever, and say how many are kept."""
    store = SharedStore(sys.argv[1], time.time)
    number = int(sys.argv[2])
    while True:
        store.put(SHELF, "me", str(number), [number] * 20)
        number += 1
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def _ask_another(home: Path, env: dict[str, str], outcome: Outcome) -> None:
    """The next server finds what is there."""
    life = outcome.done["servers killed"] - 1
    with ServerProcess(home, face="tebiki", env=env) as server:
        server.call("ls", "manual_ls", {})
        find = {"query": "lamp", "manual_id": "lamp", "required_terms": [f"word{life}"]}
        answer = server.call("find", "manual_find", find)
        found = answer.get("result", {}).get("structuredContent", {})
        outcome.expect(found.get("candidates", 0) > 0, f"word{life}: {answer}")
        server.finish()
        outcome.expect("incident" not in server.stderr, server.stderr[-500:])


if __name__ == "__main__":
    main()

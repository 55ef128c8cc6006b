"""A workspace of manuals, and connections to a server that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.interaction.manual_calls import Reader, Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartServer


class OpenManuals(Protocol):
    """Starts a server over the workspace; unless told otherwise its manuals are listed already."""

    def __call__(
        self, *flags: str, dialect: str = "line", listed: bool = True, **env: str
    ) -> Reader:
        """Start one."""


@pytest.fixture(name="workspace")
def _workspace(tmp_path: Path) -> Workspace:
    """A workspace in which nothing is made yet."""
    return Workspace(tmp_path)


@pytest.fixture(name="open_manuals")
def _open_manuals(start_offline: StartServer, workspace: Workspace) -> OpenManuals:
    def open_manuals(*flags: str, dialect: str = "line", listed: bool = True, **env: str) -> Reader:
        server = start_offline(
            "--toolsets=manuals",
            *flags,
            face="tebiki",
            dialect=dialect,
            env={"WORKSPACE_ROOT": str(workspace.folder)} | env,
        )
        reader = Reader(server)
        if listed:
            assert "items" in reader.use("ls")
        return reader

    return open_manuals


@pytest.fixture(name="reader")
def _reader(open_manuals: OpenManuals) -> Reader:
    """A connection that has listed the manuals."""
    return open_manuals()

"""Settings become the values that engines take, wherever the process stands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tebiki.app.app import App
from tebiki.app.faces import TEBIKI
from tebiki.app.settings import library_settings
from tebiki.config.sources import Given, load

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.config.sources import Loaded


def loaded(home: Path, **env: str) -> Loaded:
    """The settings of a machine with these variables."""
    return load(Given(), str(home / "none.yaml"), {"HOME": str(home), **env})


@pytest.fixture(name="nowhere")
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder that has been removed; gives one that has not."""
    if sys.platform == "win32":
        pytest.skip("a folder in which somebody stands cannot be removed there")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    return tmp_path


def test_manuals_need_no_folder_to_stand_in(nowhere: Path) -> None:
    """When the cache has a whole path, as it has unless somebody says otherwise."""
    made = library_settings(loaded(nowhere, XDG_CACHE_HOME=str(nowhere / "cache")).settings)

    assert made.finder.index_root == str(nowhere / "cache" / "tebiki")


def test_a_warm_up_that_fails_is_left_to_the_call(nowhere: Path) -> None:
    """Whoever asks for a manual is told; a server that only starts says nothing."""
    app = App(TEBIKI, loaded(nowhere, XDG_CACHE_HOME="cache"), ("manuals",))

    app.warm_up()

    with pytest.raises(FileNotFoundError):
        app.engines.library()

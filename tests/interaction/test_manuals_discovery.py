"""Discovery of manuals on the real process: the list first, and ids only from it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

GATED = ("toc", "find", "read", "scan")


def arguments_for(tool: str, manual_id: Any) -> Json:
    """A call that is right in everything but perhaps the manual."""
    calls: dict[str, Json] = {
        "toc": {"manual_id": manual_id},
        "find": {"manual_id": manual_id, "query": "q", "required_terms": ["q"]},
        "read": {"ref": {"manual_id": manual_id, "path": "a.md"}},
        "scan": {"manual_id": manual_id, "path": "a.md"},
    }
    return calls[tool]


@pytest.fixture(name="two_manuals")
def _two_manuals(workspace: Workspace) -> None:
    workspace.write("m/a.md", "# One\nq\n")
    workspace.write("n/b.md", "# Two\n")


@pytest.mark.requirement("wire:errors:files", "manuals:discovery:list-first")
@pytest.mark.usefixtures("two_manuals")
def test_four_tools_wait_for_the_list(open_manuals: OpenManuals) -> None:
    """Each says which call comes first, and works after it."""
    reader = open_manuals(listed=False)

    for tool in GATED:
        refused = reader.use(tool, **arguments_for(tool, "m"))
        assert refused["code"] == "invalid_parameter"
        assert refused["details"]["required_first_call"] == "manual_ls"
        assert "manual_ls" in refused["message"]
    reader.use("ls")
    for tool in GATED:
        assert "code" not in reader.use(tool, **arguments_for(tool, "m"))


@pytest.mark.requirement("manuals:discovery:list-first")
@pytest.mark.usefixtures("two_manuals")
@pytest.mark.parametrize("bad", [{"id": "missing"}, {"id": 5}, {"ids": "m"}])
def test_a_list_that_failed_is_none(open_manuals: OpenManuals, bad: Json) -> None:
    """Only one that succeeded opens the other tools."""
    reader = open_manuals(listed=False)

    assert "code" in reader.use("ls", **bad)
    refused = reader.use("toc", manual_id="m")

    assert refused["details"] == {"required_first_call": "manual_ls"}


@pytest.mark.requirement("manuals:discovery:list-first")
@pytest.mark.usefixtures("two_manuals")
@pytest.mark.parametrize("listed", [{}, {"id": "m"}, {"id": "manuals"}])
def test_any_list_will_do(open_manuals: OpenManuals, listed: Json) -> None:
    """Of everything or of one manual."""
    reader = open_manuals(listed=False)

    reader.use("ls", **listed)

    assert reader.use("toc", manual_id="n")["total_files"] == 1


@pytest.mark.requirement("manuals:discovery:by-connection")
@pytest.mark.usefixtures("two_manuals")
def test_each_connection_has_to_look_itself(open_manuals: OpenManuals) -> None:
    """Another client's list does not count."""
    open_manuals()

    second = open_manuals(listed=False)

    assert second.use("toc", manual_id="m")["code"] == "invalid_parameter"


@pytest.mark.requirement("manuals:discovery:hits-need-a-trace")
def test_rows_need_only_a_trace(open_manuals: OpenManuals) -> None:
    """Before any list an unknown trace is not found, and nothing else is asked for."""
    reader = open_manuals(listed=False)

    refused = reader.use("hits", trace_id="unknown")

    assert refused["code"] == "not_found"
    assert "required_first_call" not in json.dumps(refused)


@pytest.mark.requirement("manuals:discovery:root-id")
@pytest.mark.usefixtures("two_manuals")
@pytest.mark.parametrize("tool", GATED)
def test_the_root_is_no_manual(reader: Reader, tool: str) -> None:
    """Its id is refused with those there are."""
    refused = reader.use(tool, **arguments_for(tool, "manuals"))

    assert refused["code"] == "invalid_parameter"
    assert refused["details"]["candidate_ids"] == ["m", "n"]


HOSTILE_IDS: dict[str, Any] = {
    "root": "/",
    "parent": "..",
    "here": ".",
    "trailing slash": "m/",
    "leading slash": "/m",
    "back again": "m/../n",
    "parent inside": "../manuals/m",
    "backslash": "..\\m",
    "folder": "m/sub",
    "file": "m/a.md",
    "NUL": "m\0",
    "case": "M",
    "space": "m ",
    "dot": "m.",
    "wildcard": "*",
    "very long": "m" * 100_000,
    "surrogate": "\ud800",
    "bidi": "m\u202e",
    "loose file": "loose.md",
    "link": "linked",
}


@pytest.mark.requirement("manuals:discovery:ids-only")
@pytest.mark.parametrize("tool", GATED)
def test_an_id_is_never_read_as_a_path(reader: Reader, workspace: Workspace, tool: str) -> None:
    """Only what the list gave is a manual; nothing outside is reached and no place is told."""
    workspace.write("m/sub/a.md", "# One\n")
    workspace.write("m/a.md", "# One\n")
    workspace.write("n/a.md", "# Two\n")
    workspace.write("loose.md", "# Loose\n")
    (workspace.folder / "a.md").write_text("canary", encoding="utf-8")
    (workspace.root / "linked").symlink_to(workspace.root / "m")

    for case, manual_id in HOSTILE_IDS.items():
        refused = reader.use(tool, **arguments_for(tool, manual_id))

        assert refused.get("code") in {"not_found", "invalid_parameter"}, case
        assert str(workspace.folder) not in json.dumps(refused), case
        assert "canary" not in json.dumps(refused), case


@pytest.mark.requirement("manuals:discovery:ids-only")
def test_an_id_is_a_string(reader: Reader, subtests: pytest.Subtests) -> None:
    """Nothing is taken for one silently."""
    values: list[Any] = [None, "", "  ", 5, True, ["m"], {"id": "m"}]
    for tool, manual_id in itertools.product(GATED, values):
        with subtests.test(tool, manual_id=manual_id):
            refused = reader.use(tool, **arguments_for(tool, manual_id))

            assert refused["code"] == "invalid_parameter"
            assert "manual_id" in refused["message"]

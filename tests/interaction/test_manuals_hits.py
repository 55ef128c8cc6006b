"""`manual_hits` on the real process: the rows behind a find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

KINDS = [
    "candidates",
    "unscanned",
    "conflicts",
    "gaps",
    "integrated_top",
    "claims",
    "evidences",
    "edges",
    "gate_runs",
    "fusion_debug",
]


@pytest.fixture(name="manual")
def _manual(workspace: Workspace) -> None:
    for number in range(9):
        text = f"# Lantern {number}\n\nThe lantern of room {number} burns for {number} hours.\n"
        workspace.write(f"m/f{number}.md", text)
    workspace.write("m/bad.md", b"\xff\xfe\xfa\x80\x81\x82\xff")


@pytest.fixture(name="found")
def _found(manual: None, reader: Reader) -> Json:
    del manual
    return reader.find("lantern of room 3", "lantern", "zzyzx", include_claim_graph=True)


@pytest.mark.requirement("manuals:hits:kinds", "manuals:hits:defaults")
def test_every_kind_is_a_page_of_rows(reader: Reader, found: Json) -> None:
    """With the same frame; the usual offset and limit are told."""
    for kind in KINDS:
        page = reader.use("hits", trace_id=found["trace_id"], kind=kind)

        frame = {key: page[key] for key in ("trace_id", "kind", "offset", "limit", "total")}
        assert frame == {
            "trace_id": found["trace_id"],
            "kind": kind,
            "offset": 0,
            "limit": 50,
            "total": len(page["items"]),
        }
        is_ranked = kind in {"candidates", "integrated_top"}
        assert page.get("manual_id") == ("m" if is_ranked else None)
        assert set(page) - {"manual_id"} == {*frame, "items"}


@pytest.mark.requirement(
    "manuals:hits:defaults", "manuals:hits:compact", "manuals:hits:manual-once"
)
def test_candidates_are_the_default(reader: Reader, found: Json) -> None:
    """Compact: where, how good, by which words; the manual named once, at the top."""
    page = reader.use("hits", trace_id=found["trace_id"])

    assert page["kind"] == "candidates"
    assert page["manual_id"] == "m"
    for row in page["items"]:
        assert set(row) == {"ref", "score", "matched_tokens"}
        assert set(row["ref"]) == {"path", "start_line"}


@pytest.mark.requirement("manuals:find:counts-agree", "manuals:hits:compact")
def test_integrated_top_has_titles(reader: Reader, found: Json) -> None:
    """It is what the answer counted and showed the beginning of."""
    page = reader.use("hits", trace_id=found["trace_id"], kind="integrated_top")

    assert page["total"] == found["candidates"]
    assert page["items"][:5] == found["inline_hits"]["items"]
    assert all(set(row) == {"ref", "title", "score", "matched_tokens"} for row in page["items"])


@pytest.mark.requirement("manuals:hits:refs-can-be-read")
def test_a_ref_can_be_read_as_it_is(reader: Reader, found: Json) -> None:
    """With the manual from the top of the page."""
    page = reader.use("hits", trace_id=found["trace_id"], limit=3)

    for row in page["items"]:
        ref = {"manual_id": page["manual_id"], **row["ref"]}
        assert reader.use("read", ref=ref)["text"].startswith("# Lantern")


@pytest.mark.requirement("manuals:claims:gaps", "manuals:hits:unscanned-rows")
def test_unscanned_and_gaps_are_told(reader: Reader, found: Json) -> None:
    """What was not searched, what is missing."""
    assert reader.rows(found, "unscanned") == [{"path": "bad.md", "reason": "encoding"}]
    gaps = reader.rows(found, "gaps")
    assert {"gap": "term_not_found", "term": "zzyzx"} in gaps


@pytest.mark.requirement("manuals:hits:pages")
@pytest.mark.usefixtures("manual")
def test_pages_cover_all_rows_once(open_manuals: OpenManuals) -> None:
    """Whatever the size of a page; past the end there is nothing."""
    reader = open_manuals()
    found = reader.find("lantern of room", "lantern")
    whole = reader.rows(found)

    for limit in (1, 2, 4, 1000):
        rows: list[Json] = []
        while True:
            page = reader.use("hits", trace_id=found["trace_id"], offset=len(rows), limit=limit)
            assert page["total"] == len(whole)
            if not page["items"]:
                break
            assert len(page["items"]) <= limit
            rows += page["items"]
        assert rows == whole
    beyond = reader.use("hits", trace_id=found["trace_id"], offset=10**12)
    assert (beyond["items"], beyond["offset"]) == ([], 10**12)


@pytest.mark.requirement("manuals:hits:then")
def test_reading_rows_changes_nothing(reader: Reader, workspace: Workspace, found: Json) -> None:
    """A trace tells what was found then, also when the files are gone."""
    before = reader.rows(found)
    for path in (workspace.root / "m").iterdir():
        path.unlink()

    assert reader.rows(found) == before


BAD: list[tuple[Json, str]] = [
    ({"trace_id": None}, "trace_id is required"),
    ({"trace_id": " "}, "trace_id"),
    ({"trace_id": 5}, "trace_id must be a string"),
    ({"kind": "candidate"}, "kind must be one of candidates, unscanned"),
    ({"kind": "Candidates"}, "kind must be one of"),
    ({"kind": 1}, "kind must be one of"),
    ({"offset": -1}, "offset must be an integer of at least 0, got -1"),
    ({"offset": True}, "offset must be an integer"),
    ({"offset": "0"}, 'got "0"'),
    ({"offset": 0.5}, "got 0.5"),
    ({"limit": 0}, "limit must be an integer of at least 1, got 0"),
    ({"limit": False}, "limit must be an integer"),
    ({"limit": "5"}, 'got "5"'),
    ({"limit": 1.5}, "got 1.5"),
    ({"limits": 5}, "did you mean limit?"),
    ({"compact": True}, '"compact"'),
]


@pytest.mark.requirement(
    "wire:definitions:errors-in-output-schema", "wire:arguments:bounds-named", "manuals:hits:bounds"
)
def test_bad_input_names_what_is_wrong(
    reader: Reader, found: Json, subtests: pytest.Subtests
) -> None:
    """`invalid_parameter`, the parameter and the bound."""
    for arguments, words in BAD:
        with subtests.test(arguments=arguments):
            refused = reader.use("hits", **({"trace_id": found["trace_id"]} | arguments))

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]


@pytest.mark.requirement("wire:arguments:integers")
def test_null_and_whole_floats_are_taken(reader: Reader, found: Json) -> None:
    """Null means absent, `2.0` is two."""
    trace = found["trace_id"]

    plain = reader.use("hits", trace_id=trace)
    nulls = reader.use("hits", trace_id=trace, kind=None, offset=None, limit=None)
    floats = reader.use("hits", trace_id=trace, offset=1.0, limit=2.0)

    assert nulls == plain
    assert floats["items"] == plain["items"][1:3]

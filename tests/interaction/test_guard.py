"""Questions for the web beside private files: what repeats those is said, or never sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect
    from tests.support.talk import Talk

JAPANESE = (
    "来年度の新製品「あかつき」は四月十日に発表し、価格は一台あたり九万八千円とする。"
    "発表までは社外の誰にも話してはならない。"
)
ENGLISH = (
    "The merger with the northern branch will be announced on the tenth of April, and until then "
    "nobody outside the board may hear of it."
)
SETTING = "guard.web_queries"


@pytest.fixture(name="notes")
def _notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "plan.md").write_text(f"# Plan\n\n{JAPANESE}\n\n{ENGLISH}\n", encoding="utf-8")
    return folder


def serve(start: Connect, notes: Path, mode: str, toolsets: str = "answers,search,vault") -> Talk:
    """A server that has both kinds of tools, whose client has read the plan."""
    env = {"VAULT_ROOT": str(notes), "TEBIKI_GUARD_WEB_QUERIES": mode}
    server = start(f"--toolsets={toolsets}", face="tebiki", env=env)
    if "vault" in toolsets:
        read = server.call("read", "vault_read", {"path": "plan.md", "full": True})["result"]
        assert JAPANESE in read["structuredContent"]["text"]
    return server


def ask(server: Talk, query: str, tool: str = "answer") -> dict[str, Any]:
    """Ask the web."""
    return server.call(query, tool, {"query": query})


@pytest.mark.requirement("security:guard:refuse", "security:guard:spans")
@pytest.mark.parametrize("tool", ["answer", "chatgpt_o3_search"])
@pytest.mark.parametrize(
    "text", [JAPANESE[7:47], JAPANESE[20:].replace("、", "、\n  "), ENGLISH.upper()]
)
def test_a_question_that_repeats_private_text_is_refused(
    start: Connect, simulator: Simulator, notes: Path, tool: str, text: str
) -> None:
    """In words that name the setting, and nothing leaves."""
    error = ask(serve(start, notes, "refuse"), f"これは本当？ {text}", tool)["error"]

    words = error["data"]["message" if tool == "answer" else "details"]
    assert SETTING in words
    assert text not in words
    assert simulator.requests == []


@pytest.mark.requirement("security:guard:refuse", "security:guard:spans")
@pytest.mark.parametrize("modern", [False, True])
def test_what_was_read_as_a_resource_is_private_too(
    start: Connect, simulator: Simulator, notes: Path, modern: bool
) -> None:
    """Whichever way it came, and it says where it is from."""
    env = {"VAULT_ROOT": str(notes), "TEBIKI_GUARD_WEB_QUERIES": "refuse"}
    server = start("--toolsets=answers,vault", face="tebiki", env=env)
    meta = {"_meta": MODERN_META} if modern else {}
    read = server.ask("read", "resources/read", {"uri": "vault:///plan.md", **meta})["result"]

    error = server.call("ask", "answer", {"query": JAPANESE}, **meta)["error"]

    assert JAPANESE in read["contents"][0]["text"]
    assert read["_meta"]["tebiki/provenance"] == "vault"
    assert SETTING in error["data"]["message"]
    assert simulator.requests == []


@pytest.mark.requirement("security:guard:spans")
@pytest.mark.parametrize(
    "text", [JAPANESE[7:46], " ".join(ENGLISH.split()[:11]), "新製品あかつきの価格を教えて"]
)
def test_what_is_short_or_in_other_words_passes(start: Connect, notes: Path, text: str) -> None:
    """A name or a half sentence is what people ask about."""
    result = ask(serve(start, notes, "refuse"), text)["result"]

    assert "private_spans" not in result["_meta"]["tebiki/receipt"]


@pytest.mark.requirement("security:guard:spans")
def test_a_question_of_ones_own_is_no_secret(start: Connect, notes: Path) -> None:
    """Though a note has it word for word, and is found by it; what follows there is."""
    question = (
        "来年度の新製品あかつきの発表はいつで、価格は一台あたりいくらになり、"
        "誰に話してよいのですか。"
    )
    (notes / "asked.md").write_text(f"# {question}\n\n{JAPANESE}\n", encoding="utf-8")
    env = {"VAULT_ROOT": str(notes), "TEBIKI_GUARD_WEB_QUERIES": "refuse"}
    server = start("--toolsets=answers,vault,notes", face="tebiki", env=env)
    found = server.call("find", "vault_find", {"query": question})["result"]

    passed, refused = ask(server, question), ask(server, JAPANESE)

    assert question in str(found["structuredContent"])
    assert "private_spans" not in passed["result"]["_meta"]["tebiki/receipt"]
    assert JAPANESE[:40] not in str(found["structuredContent"]) or SETTING in str(refused)


@pytest.mark.requirement("security:guard:warn")
@pytest.mark.parametrize("mode", ["warn", "off", ""])
def test_a_warning_is_in_the_receipt_and_in_the_log(start: Connect, notes: Path, mode: str) -> None:
    """The question is sent; nothing is said where the guard is off, which is not the default."""
    server = serve(start, notes, mode)
    result = ask(server, JAPANESE)["result"]
    server.finish()

    is_said = mode != "off"
    assert ("private_spans" in result["_meta"]["tebiki/receipt"]) is is_said
    assert (f"({SETTING}: warn)" in server.stderr) is is_said
    assert JAPANESE[:20] not in server.stderr
    assert result["structuredContent"]["answer"]


@pytest.mark.requirement("security:guard:both-kinds")
def test_without_private_tools_nothing_is_compared(start: Connect, notes: Path) -> None:
    """There is nothing to guard."""
    result = ask(serve(start, notes, "refuse", "answers"), JAPANESE)["result"]

    assert "private_spans" not in result["_meta"]["tebiki/receipt"]


@pytest.mark.requirement("security:guard:provenance")
def test_every_result_says_where_its_text_is_from(start: Connect, notes: Path) -> None:
    """On the product's own face; the other two stay as they were."""
    server = serve(start, notes, "warn", "answers,search,manuals,vault")
    results = {
        "web": [ask(server, "HTTP 404 の意味"), ask(server, "python", "chatgpt_o3_search")],
        "manual": [server.call("manuals", "manual_ls", {})],
        "vault": [server.call("notes", "vault_ls", {})],
    }

    for provenance, given in results.items():
        for one in given:
            assert one["result"]["_meta"]["tebiki/provenance"] == provenance


@pytest.mark.requirement("mcp:guard:no-annotations")
def test_no_result_claims_more_than_where_it_is_from(start: Connect, notes: Path) -> None:
    """A block of content has a type and a text, a resource what the protocol says."""
    server = serve(start, notes, "warn", "answers,search,manuals,vault")

    blocks = [
        block
        for tool, arguments in (
            ("answer", {"query": "HTTP 404 の意味"}),
            ("chatgpt_o3_search", {"query": "python"}),
            ("manual_ls", {}),
            ("vault_read", {"path": "plan.md", "full": True}),
            ("vault_read", {"path": "none.md", "full": True}),
        )
        for block in server.call(f"{tool} {arguments}", tool, arguments)["result"]["content"]
    ]
    read = server.ask("r", "resources/read", {"uri": "vault:///plan.md"})["result"]["contents"]
    listed = server.ask("l", "resources/list")["result"]["resources"]

    assert all(block.keys() == {"type", "text"} for block in blocks)
    assert all(one.keys() == {"uri", "mimeType", "text"} for one in read)
    assert not [one for one in listed if "annotations" in one]


@pytest.mark.requirement("security:guard:provenance")
@pytest.mark.transports("memory", "line", "framed")
def test_a_seeds_face_says_nothing_new(start: Connect) -> None:
    """Its results are a contract."""
    result = ask(start(), "HTTP 404 の意味")["result"]

    assert list(result["_meta"]) == ["tebiki/receipt"]

"""Manuals and notes as resources, over every transport and in both eras."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.interaction.differences import expected
from tests.interaction.enquiries import Asker
from tests.interaction.manual_calls import Reader

if TYPE_CHECKING:
    from tests.interaction.conftest import Connect
    from tests.interaction.manual_calls import Workspace
    from tests.support.talk import Talk

MANUAL_TEMPLATE = "manual://{manual_id}/{+path}"
VAULT_TEMPLATE = "vault:///{+path}"
TEXT = "# Top\n\nintro\n\n## 免責\n\nfirst\n\n### Inner\n\nsecond\n\n## After\n\nthird\n"
SPACED = "manual://%E4%BF%9D%E9%99%BA%20A/%E7%B4%84%E6%AC%BE/a.md"
EVERY_METHOD: dict[str, dict[str, Any]] = {
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "vault:///"},
    "prompts/list": {},
    "prompts/get": {"name": "save_answer", "arguments": {"path": "a.md"}},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "save_answer"},
        "argument": {"name": "path", "value": ""},
    },
}


@pytest.fixture(name="library")
def _library(connect: Connect, workspace: Workspace) -> Talk:
    """A server of manuals and notes, with one manual and one note."""
    workspace.write("保険 A/約款/a.md", TEXT)
    workspace.write("保険 A/b.json", '{\n  "a": 1,\n  "b": 2\n}\n')
    notes = workspace.folder / "vault"
    (notes / "ideas").mkdir(parents=True)
    (notes / "ideas/n.md").write_text("# Note\n\nplain\n\n## Two\n\nmore\n")
    return connect(
        "--toolsets=manuals,vault",
        face="tebiki",
        env={"WORKSPACE_ROOT": str(workspace.folder)},
    )


@pytest.mark.requirement("mcp:capabilities:by-tools")
@pytest.mark.parametrize(
    ("flags", "offered"),
    [
        ((), {"tools", "resources", "prompts", "completions"}),
        (("--toolsets=manuals",), {"tools", "resources", "prompts", "completions"}),
        (("--toolsets=vault", "--read-only"), {"tools", "resources", "completions"}),
        (("--toolsets=answers,search",), {"tools"}),
        (("--tools=vault_create",), {"tools", "prompts", "completions"}),
        (("--tools=manual_ls,answer",), {"tools"}),
    ],
)
def test_capabilities_follow_what_is_served(
    connect: Connect, flags: tuple[str, ...], offered: set[str]
) -> None:
    """The same in both eras."""
    server = connect(*flags, face="tebiki")

    handshake = server.ask(1, "initialize")["result"]["capabilities"]
    modern = Asker(server, modern=True).result("server/discover")["capabilities"]

    assert handshake == modern
    assert set(handshake) == offered
    for name in offered:
        assert handshake[name] == expected(server, f"capability: {name}", {})


@pytest.mark.requirement("mcp:capabilities:drop-ins")
@pytest.mark.parametrize("face", ["openai_responses_mcp", "mcp_o3_search"])
def test_the_drop_ins_have_tools_alone(
    connect: Connect, face: str, subtests: pytest.Subtests
) -> None:
    """What came after them is not theirs, in either era."""
    server = connect(face=face)

    for modern in (False, True):
        asker = Asker(server, modern=modern)
        for method, params in EVERY_METHOD.items():
            with subtests.test(method, modern=modern):
                assert asker.error(method, **params)["code"] == -32601
    discovered = Asker(server, modern=True).result("server/discover")["capabilities"]
    assert discovered == expected(server, "capabilities", {"tools": {}})


@pytest.mark.requirement("mcp:resources:listed", "mcp:resources:encoding", "mcp:resources:modern")
@pytest.mark.parametrize("modern", [False, True])
def test_manuals_and_the_vault_are_listed(library: Talk, modern: bool) -> None:
    """One each, with a template for everything in them."""
    asker = Asker(library, modern=modern)

    listed = asker.result("resources/list")
    templates = asker.result("resources/templates/list")

    assert [one["uri"] for one in listed["resources"]] == [
        "manual://%E4%BF%9D%E9%99%BA%20A/",
        "vault:///",
    ]
    assert [one["name"] for one in listed["resources"]] == ["保険 A", "vault"]
    forms = [one["uriTemplate"] for one in templates["resourceTemplates"]]
    assert forms == [MANUAL_TEMPLATE, VAULT_TEMPLATE]
    for answer in (listed, templates, asker.result("resources/read", uri="vault:///")):
        assert ("ttlMs" in answer) is modern
        assert ("cacheScope" in answer) is modern
        assert answer.get("resultType") == ("complete" if modern else None)


@pytest.mark.requirement("mcp:resources:listed")
def test_a_folder_that_is_added_is_listed(library: Talk, workspace: Workspace) -> None:
    """Lists are as the disk is."""
    asker = Asker(library)
    before = asker.uris()
    workspace.write("new/a.md", "# A\n")

    assert asker.uris() == ["manual://new/", *before]


@pytest.mark.requirement("mcp:resources:listed")
def test_without_any_file_there_is_the_vault_alone(connect: Connect, workspace: Workspace) -> None:
    """Missing roots are empty."""
    env = {"WORKSPACE_ROOT": str(workspace.folder / "nowhere")}
    asker = Asker(connect(face="tebiki", env=env))

    assert asker.uris() == ["vault:///"]
    assert asker.read("vault:///")["text"] == ""


@pytest.mark.requirement("mcp:resources:fragments", "mcp:resources:encoding")
@pytest.mark.parametrize(
    ("uri", "text"),
    [
        (SPACED, TEXT),
        ("manual://保険 A/約款/a.md", TEXT),
        (f"{SPACED}#L5", TEXT[TEXT.index("## 免責") : TEXT.index("## After")]),
        (f"{SPACED}#L10", "### Inner\n\nsecond\n\n"),
        ("manual://保険 A/約款/a.md#L10", "### Inner\n\nsecond\n\n"),
        (f"{SPACED}#L5-L7", "## 免責\n\nfirst\n"),
        (f"{SPACED}#L5-7", "## 免責\n\nfirst\n"),
        (f"{SPACED}#L13-L99", "## After\n\nthird\n"),
        (f"{SPACED}#char=2,5", "Top"),
        ("manual://保険 A/b.json", '{\n  "a": 1,\n  "b": 2\n}\n'),
        ("manual://保険 A/b.json#L2-L2", '  "a": 1,\n'),
        ("vault:///ideas/n.md#L6", "## Two\n\nmore\n"),
        ("VAULT:///ideas/n.md#L3-L3", "plain\n"),
    ],
)
@pytest.mark.parametrize("modern", [False, True])
def test_a_file_is_read_by_its_fragment(library: Talk, uri: str, text: str, modern: bool) -> None:
    """The section at a line, some lines, or from the beginning."""
    found = Asker(library, modern=modern).read(uri)

    assert found["text"] == text
    assert found["mimeType"] == ("application/json" if ".json" in uri else "text/markdown")
    assert "_meta" not in found
    assert found["uri"].isascii()
    assert Asker(library).read(found["uri"])["text"] == text


@pytest.mark.requirement("mcp:resources:fragments")
def test_a_line_of_a_file_without_sections_is_shown_with_what_is_around(library: Talk) -> None:
    """JSON has no sections; a citation still leads somewhere."""
    assert '"b": 2' in Asker(library).read("manual://保険 A/b.json#L3")["text"]


@pytest.mark.requirement("mcp:resources:cut")
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"行 {number} の本文です。👨‍👩‍👧\r\n" for number in range(3000)),
        "a line without an end, " * 2000,
        "# One\n\n" + "section text\n" * 2000 + "# Two\n\nend\n",
    ],
)
def test_what_is_cut_can_be_read_to_its_end(library: Talk, workspace: Workspace, text: str) -> None:
    """Nothing is lost and nothing comes twice, also within a section."""
    workspace.write("m/long.md", text)
    asker = Asker(library)

    pages = [page["text"] for page in asker.pages("manual://m/long.md")]
    section = "".join(page["text"] for page in asker.pages("manual://m/long.md#L1"))

    assert "".join(pages) == text
    assert len(pages) > 1
    assert all(0 < len(page) <= 12_000 for page in pages)
    assert section == text.partition("# Two")[0]


@pytest.mark.requirement("mcp:resources:folders", "mcp:resources:encoding")
def test_everything_can_be_reached_from_what_is_listed(library: Talk, workspace: Workspace) -> None:
    """A listing has the URIs of what is in a folder, whatever the names are."""
    for name in ("a#b.md", "100%.md", "q?.md", "[x](y).md", "%41.md"):
        workspace.write(f"m/sub folder/{name}", f"# {name}\n")
    asker = Asker(library)
    texts: dict[str, str] = {}

    waiting = asker.uris()
    while waiting:
        uri = waiting.pop()
        found = asker.read(uri)
        if uri.endswith("/"):
            waiting += re.findall(r"\]\(([^()\s]+)\)\n", found["text"])
        else:
            texts[uri] = found["text"]

    assert {text for uri, text in texts.items() if uri.startswith("manual://m/")} == {
        "# a#b.md\n",
        "# 100%.md\n",
        "# q?.md\n",
        "# [x](y).md\n",
        "# %41.md\n",
    }
    assert texts["vault:///ideas/n.md"].startswith("# Note")
    assert asker.read("manual://m/sub folder")["uri"] == "manual://m/sub%20folder/"


@pytest.mark.requirement("mcp:resources:cut", "mcp:resources:folders")
def test_a_large_folder_is_listed_part_by_part(library: Talk, workspace: Workspace) -> None:
    """As long as it takes."""
    for number in range(600):
        workspace.write(f"m/f/{number:04} file.md", "x")

    pages = list(Asker(library).pages("manual://m/f/"))

    lines = "".join(page["text"] for page in pages).splitlines()
    assert len(pages) > 1
    assert len(lines) == 600
    assert lines[-1] == "- [0599 file.md](manual://m/f/0599%20file.md)"
    assert Asker(library).read("manual://m/f/#L600")["text"].splitlines() == lines[-1:]


@pytest.mark.requirement("mcp:resources:citing")
def test_a_model_is_told_how_to_cite(connect: Connect, workspace: Workspace) -> None:
    """By an address that can be read; hits carry what it is made of, and no link each."""
    workspace.write("lamp/a.md", TEXT)
    env = {"WORKSPACE_ROOT": str(workspace.folder)}
    server = connect("--toolsets=manuals", face="tebiki", env=env)

    told = server.ask(1, "initialize")["result"]["instructions"]
    server.call(2, "manual_ls", {})
    asked = {"query": "third", "manual_id": "lamp", "required_terms": ["third"]}
    result = server.call(3, "manual_find", asked)["result"]
    trace = result["structuredContent"]["trace_id"]
    hits = server.call(4, "manual_hits", {"trace_id": trace})["result"]["structuredContent"]
    ref = hits["items"][0]["ref"]
    uri = f"manual://lamp/{ref['path']}#L{ref['start_line']}"
    (read,) = server.ask(5, "resources/read", {"uri": uri})["result"]["contents"]

    assert "manual://id/path#Lline" in told
    assert [block["type"] for block in result["content"]] == ["text"]
    assert read["text"].startswith("## After")


@pytest.mark.requirement("mcp:resources:no-gate")
def test_reading_a_resource_leaves_the_tools_as_they_were(library: Talk) -> None:
    """No tool has to come first; and none thinks that it was called."""
    asker, reader = Asker(library), Reader(library)

    assert asker.read(f"{SPACED}#L10")["text"].startswith("### Inner")
    assert reader.use("toc", manual_id="保険 A")["details"] == {"required_first_call": "manual_ls"}
    reader.use("ls")
    for _ in range(2):
        asker.read(f"{SPACED}#L10")
    ref = {"manual_id": "保険 A", "path": "約款/a.md", "start_line": 10}
    assert reader.use("read", ref=ref)["applied"]["mode"] == "read"


@pytest.mark.requirement("mcp:resources:not-found")
@pytest.mark.parametrize(
    "uri",
    ["manual://none/a.md", "manual://保険 A/none.md", "vault:///none.md", "file:///etc/passwd"],
)
def test_a_resource_that_is_not_there(library: Talk, uri: str) -> None:
    """Each era has its code."""
    old = Asker(library).error("resources/read", uri=uri)
    new = Asker(library, modern=True).error("resources/read", uri=uri)

    assert (old["code"], new["code"]) == (-32002, -32602)
    assert old["message"] == new["message"] == "Resource not found"
    assert old["data"]["uri"] == new["data"]["uri"] == uri


ENCODED = "# 手引き\r\n\r\n本文の一行目です。\r\n\r\n## 次の節\r\n\r\n終わり\r\n"


@pytest.mark.requirement("mcp:resources:text-model")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_a_resource_is_the_text_that_the_tools_read(
    library: Talk, workspace: Workspace, encoding: str
) -> None:
    """Lines end as they do in the file, and no mark is in it."""
    notes = workspace.folder / "vault"
    (notes / "a.md").write_bytes(ENCODED.encode(encoding))
    workspace.write("m/a.md", "")
    (workspace.folder / "manuals/m/a.md").write_bytes(ENCODED.encode(encoding))
    asker, whole = Asker(library), {"path": "a.md", "full": True}

    tool = library.call("read", "vault_read", whole)["result"]["structuredContent"]

    assert asker.read("vault:///a.md")["text"] == tool["text"] == ENCODED
    assert asker.read("manual://m/a.md")["text"] == ENCODED
    assert asker.read("manual://m/a.md#L5-L5")["text"] == "## 次の節\r\n"


@pytest.mark.requirement("mcp:resources:text-model")
def test_what_the_tools_do_not_read_is_no_resource(library: Talk, workspace: Workspace) -> None:
    """With the words of the tool."""
    for name in ("vault/picture.md", "manuals/m/picture.md"):
        path = workspace.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\x89PNG\x00\xff\xfe\x00")
    asker = Asker(library)

    whole = {"path": "picture.md", "full": True}
    tool = library.call("read", "vault_read", whole)["result"]["structuredContent"]

    assert asker.error("resources/read", uri="vault:///picture.md")["message"] == tool["message"]
    assert asker.error("resources/read", uri="manual://m/picture.md")["code"] == -32602


HOSTILE = [
    "manual://../",
    "manual://../../etc/passwd",
    "manual://%2e%2e/a.md",
    "manual://保険 A/../../secret.md",
    "manual://保険 A/%2e%2e/%2e%2e/secret.md",
    "manual://保険 A/..%2f..%2fsecret.md",
    "manual://保険 A/..%5c..%5csecret.md",
    "manual://保険 A%2f約款/a.md",
    "manual://保険 A//etc/passwd",
    "manual://保険 A/%00.md",
    "manual://保険 A/%ff.md",
    "manual://保険 A/\u202ea.md",
    "manual://保険 A/約款/a.md/",
    "manual:///保険 A/約款/a.md",
    "manual://保険 A/約款/a.md#L0",
    "manual://保険 A/約款/a.md#L1-L0",
    "manual://保険 A/約款/a.md#L99",
    "manual://保険 A/約款/a.md#L7-L5",
    "manual://保険 A/約款/a.md#L99999999999999999999",
    "manual://保険 A/約款/a.md#char=9999,",
    "manual://保険 A/約款/a.md#heading",
    "manual://",
    "manual:",
    "manual://manuals/",
    "vault://ideas/n.md",
    "vault:///../secret.md",
    "vault:////etc/passwd",
    "vault:///C:/secret.md",
    "vault:///link.md",
    "vault:///linked/secret.md",
    "vault:///pipe",
    "file:///etc/passwd",
    "https://example.com/",
    "secret.md",
    "",
    "manual://" + "a" * 1_000_000,
    "vault:///" + "../" * 300_000 + "secret.md",
    "x" * 1_000_000,
]


@pytest.mark.requirement("mcp:resources:hostile")
@pytest.mark.parametrize("uri", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_uri_reaches_nothing(library: Talk, workspace: Workspace, uri: str) -> None:
    """A clear error, short, and the next request is answered."""
    (workspace.folder / "secret.md").write_text("TOP SECRET")
    notes = workspace.folder / "vault"
    (notes / "link.md").symlink_to(workspace.folder / "secret.md")
    (notes / "linked").symlink_to(workspace.folder)
    os.mkfifo(notes / "pipe")
    asker = Asker(library)

    error = asker.error("resources/read", uri=uri)

    assert error["code"] in {-32602, -32002}
    assert not re.search(r"\bmanual_id\b|_line\b|^id ", error["message"]), "words of tools"
    assert "SECRET" not in str(error)
    assert str(workspace.folder) not in str(error)
    assert len(str(error)) < 10_000
    assert asker.read("vault:///ideas/n.md")["text"].startswith("# Note")


@pytest.mark.requirement("mcp:resources:hostile")
@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 5}, {"uri": ["vault:///"]}])
def test_params_without_a_uri_are_refused(library: Talk, params: dict[str, object]) -> None:
    """-32602, on every transport."""
    assert Asker(library).error("resources/read", **params)["code"] == -32602


@pytest.mark.requirement("mcp:resources:system")
@pytest.mark.parametrize("name", [".system", ".SYSTEM", "\uff0esystem", "%2esystem"])
def test_what_is_the_vaults_own_is_no_resource(
    library: Talk, workspace: Workspace, name: str
) -> None:
    """Nobody reads it, lists it or is offered it."""
    own = workspace.folder / "vault/.system/journal"
    own.mkdir(parents=True)
    (own / "entries.jsonl").write_text("{}")
    workspace.write(".system/journal.md", "# J")
    workspace.write("m/.system/journal.md", "# J")
    asker = Asker(library)

    for uri in (
        f"vault:///{name}/",
        f"vault:///{name}/journal/entries.jsonl",
        f"manual://{name}/",
        f"manual://{name}/journal.md",
        f"manual://m/{name}/journal.md",
    ):
        assert asker.error("resources/read", uri=uri)["code"] == -32002
    shown = [*asker.uris(), asker.read("vault:///")["text"], asker.read("manual://m/")["text"]]
    assert ".system" not in str(shown)
    for value in ("", ".", ".sys", f"{name}/", f"{name}/journal/"):
        offered = [
            asker.complete(VAULT_TEMPLATE, "path", value),
            asker.complete(MANUAL_TEMPLATE, "manual_id", value),
            asker.complete(MANUAL_TEMPLATE, "path", value, manual_id="m"),
            asker.complete(MANUAL_TEMPLATE, "path", value, manual_id=name),
            asker.complete("save_answer", "path", value),
        ]
        assert "system" not in str(offered)
        assert "journal" not in str(offered)


@pytest.mark.requirement("mcp:resources:encoding")
def test_an_id_is_quoted_whole(library: Talk, workspace: Workspace) -> None:
    """Signs that mean something in a URI are nothing but signs in a name."""
    name = "a&b=c @d+e#f"
    workspace.write(f"{name}/x.md", "# X\n")

    assert f"manual://{quote(name, safe='')}/" in Asker(library).uris()
    assert Asker(library).read(f"manual://{quote(name, safe='')}/x.md")["text"] == "# X\n"

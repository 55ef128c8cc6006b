"""Prompts and completion, over every transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.enquiries import Asker

if TYPE_CHECKING:
    from tests.interaction.conftest import Connect
    from tests.interaction.manual_calls import Workspace
    from tests.support.talk import Talk

MANUAL_TEMPLATE = "manual://{manual_id}/{+path}"
VAULT_TEMPLATE = "vault:///{+path}"
CROSS_CHECKED = (
    "The manual first:",
    "Then the web:",
    "Send nothing of the manual's text",
    "Agreements:",
    "manual://id/path#Lline",
    "web source",
    "Contradictions:",
    "its reference and its date",
    "Where the manual is silent",
    "Where the web is silent",
)
CROSS_CHECKED_JA = (
    "先にマニュアルを調べます",
    "次に Web を調べます",
    "マニュアルの文章や",
    "一致する点",
    "manual://id/path#L行",
    "食い違う点",
    "出典と日付",
    "マニュアルに記載がない点",
    "Web で確認できない点",
)
NOT_BUILT: dict[str, dict[str, Any]] = {
    "tasks/list": {},
    **{method: {"taskId": "t"} for method in ("tasks/get", "tasks/cancel", "tasks/result")},
    "roots/list": {},
    "sampling/createMessage": {"messages": [], "maxTokens": 1},
    "elicitation/create": {"message": "m", "requestedSchema": {"type": "object"}},
    "logging/setLevel": {"level": "debug"},
    "resources/subscribe": {"uri": "vault:///"},
    "resources/unsubscribe": {"uri": "vault:///"},
    "subscriptions/listen": {"notifications": {"toolsListChanged": True}},
}
FOUR = ["grounded_answer", "exhaustive_audit", "cross_check", "save_answer"]


@pytest.fixture(name="product")
def _product(connect: Connect, workspace: Workspace) -> Talk:
    """A server of everything, with a manual."""
    workspace.write("保険/約款/第一条.md", "# A\n")
    workspace.write("保険/約款/第二条.md", "# A\n")
    workspace.write("保険/Guide.md", "# A\n")
    workspace.write("hoken/a.md", "# A\n")
    return connect(face="tebiki", env={"WORKSPACE_ROOT": str(workspace.folder)})


@pytest.mark.requirement("mcp:prompts:four")
@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ((), FOUR),
        (("--toolsets=manuals,vault",), ["grounded_answer", "exhaustive_audit", "save_answer"]),
        (
            ("--toolsets=answers,manuals", "--without=manual_hits"),
            ["grounded_answer", "cross_check"],
        ),
        (("--read-only",), FOUR[:3]),
        (("--toolsets=vault",), ["save_answer"]),
    ],
)
@pytest.mark.parametrize("modern", [False, True])
def test_a_prompt_is_listed_with_its_tools(
    connect: Connect, flags: tuple[str, ...], names: list[str], modern: bool
) -> None:
    """And cannot be had without them."""
    asker = Asker(connect(*flags, face="tebiki"), modern=modern)
    arguments = {"question": "q", "topic": "t", "manual": "m", "path": "a.md"}

    listed = asker.result("prompts/list")

    assert [one["name"] for one in listed["prompts"]] == names
    assert all(one["title"] and one["description"] for one in listed["prompts"])
    assert ("ttlMs" in listed) is modern
    for name in FOUR:
        wanted = {
            one["name"]: arguments[one["name"]]
            for prompt in listed["prompts"]
            if prompt["name"] == name
            for one in prompt["arguments"]
        }
        answer = asker.ask("prompts/get", name=name, arguments=wanted)
        assert ("result" in answer) is (name in names)


@pytest.mark.requirement("mcp:prompts:one-message")
@pytest.mark.parametrize(
    ("name", "english", "japanese", "words"),
    [
        (
            "grounded_answer",
            {"question": "What is excluded? {x}"},
            {"question": "免責は何ですか {x}"},
            ("manual_find", "manual_read", "manual://"),
        ),
        (
            "grounded_answer",
            {"question": "What is excluded?", "manual": "hoken"},
            {"question": "What is excluded?", "manual": "保険"},
            ("manual_ls", "manual://"),
        ),
        (
            "exhaustive_audit",
            {"topic": "exclusions", "manual": "hoken"},
            {"topic": "免責", "manual": "hoken"},
            ("unscanned", "conflicts", "gaps", "complete"),
        ),
        (
            "cross_check",
            {"question": "exclusions", "manual": "hoken"},
            {"question": "免責", "manual": "hoken"},
            ("manual_find", "manual_read", "answer", "manual://"),
        ),
        ("save_answer", {"path": "a.md"}, {"path": "保険/a.md"}, ("vault_create", "manual://")),
    ],
)
def test_a_prompt_is_one_message_in_the_language_of_its_arguments(
    product: Talk,
    name: str,
    english: dict[str, str],
    japanese: dict[str, str],
    words: tuple[str, ...],
) -> None:
    """With the arguments in it as they were given, and the tools to use."""
    asker = Asker(product)

    texts = []
    for arguments in (english, japanese):
        got = asker.result("prompts/get", name=name, arguments=arguments)
        (message,) = got["messages"]
        assert message["role"] == "user"
        text = message["content"]["text"]
        assert all(value in text for value in (*arguments.values(), *words))
        texts.append(text)
    assert texts[0].isascii()
    assert "ください" in texts[1]


@pytest.mark.requirement("mcp:prompts:cross-check")
@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("What is excluded?", CROSS_CHECKED),
        ("免責は何ですか", CROSS_CHECKED_JA),
    ],
)
def test_the_manual_is_asked_before_the_web(
    product: Talk, question: str, steps: tuple[str, ...]
) -> None:
    """And what to report comes in the order in which people read it."""
    arguments = {"question": question, "manual": "hoken"}

    got = Asker(product).result("prompts/get", name="cross_check", arguments=arguments)
    text = got["messages"][0]["content"]["text"]

    at = text.index(question)
    for tool in ("manual_ls", "manual_find", "manual_read", "answer"):
        assert at < text.index(tool, at), tool
        at = text.index(tool, at)
    at = 0
    for word in steps:
        assert word in text[at:], word
        at = text.index(word, at)


@pytest.mark.requirement("mcp:prompts:audit")
@pytest.mark.parametrize("topic", ["exclusions", "免責"])
def test_an_audit_goes_on_until_it_is_complete(product: Talk, topic: str) -> None:
    """Find first; then what was not searched, conflicts and gaps; then again."""
    arguments = {"topic": topic, "manual": "hoken"}

    got = Asker(product).result("prompts/get", name="exhaustive_audit", arguments=arguments)
    text = got["messages"][0]["content"]["text"]

    at = 0
    for word in (
        *("manual_find", "manual_hits", "`unscanned`", "`conflicts`", "`gaps`", "`complete`"),
        *("only_unscanned_from_trace_id", "manual_scan", "manual_read", "manual://"),
    ):
        assert word in text[at:], word
        at = text.index(word, at)


@pytest.mark.requirement("mcp:not-built:refused")
@pytest.mark.parametrize("modern", [False, True])
def test_what_is_not_built_is_not_there(product: Talk, modern: bool) -> None:
    """Neither declared nor served; the next question is answered."""
    asker = Asker(product, modern=modern)
    declared = Asker(product, modern=True).result("server/discover")["capabilities"]

    for method, params in NOT_BUILT.items():
        assert asker.error(method, **params)["code"] == -32601, method
    assert not declared.keys() & {"tasks", "roots", "sampling", "logging", "elicitation"}
    assert not declared["resources"].get("subscribe")
    assert asker.result("prompts/list")["prompts"]


@pytest.mark.requirement("mcp:prompts:one-message")
def test_a_field_that_is_left_blank_is_not_given(product: Talk) -> None:
    """As forms of hosts send it."""
    asker = Asker(product)
    blank = {"question": "What is excluded?", "manual": " "}

    got = asker.result("prompts/get", name="grounded_answer", arguments=blank)

    assert got == asker.result(
        "prompts/get", name="grounded_answer", arguments={"question": "What is excluded?"}
    )


@pytest.mark.requirement("mcp:prompts:refusals")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 5},
        {"name": "no_such_prompt"},
        {"name": "x" * 1_000_000},
        {"name": "grounded_answer"},
        {"name": "grounded_answer", "arguments": {}},
        {"name": "grounded_answer", "arguments": {"question": " \n"}},
        {"name": "grounded_answer", "arguments": {"question": "q", "manuel": "m"}},
        {"name": "grounded_answer", "arguments": {"question": 5}},
        {"name": "grounded_answer", "arguments": {"question": ["q"]}},
        {"name": "grounded_answer", "arguments": []},
        {"name": "grounded_answer", "arguments": {"question": "q" * 1_000_000}},
        {"name": "exhaustive_audit", "arguments": {"topic": "t"}},
    ],
)
def test_a_prompt_that_cannot_be_made(product: Talk, params: dict[str, Any]) -> None:
    """-32602 in few words, and the next one is made."""
    asker = Asker(product)

    error = asker.error("prompts/get", **params)

    assert error["code"] == -32602
    assert len(str(error)) < 1000
    assert asker.result("prompts/get", name="save_answer", arguments={"path": "a.md"})["messages"]


@pytest.mark.requirement("mcp:prompts:refusals")
# The SDK has read the params before, and words of its own for some of it.
@pytest.mark.transports("memory", "line", "framed")
def test_a_refusal_says_what_would_do(product: Talk) -> None:
    """The nearest names, and what is missing."""
    asker = Asker(product)

    unknown = asker.error("prompts/get", name="answer")["message"]
    missing = asker.error("prompts/get", name="cross_check", arguments={"question": "q"})["message"]
    extra = asker.error("prompts/get", name="save_answer", arguments={"file": "x"})["message"]

    assert all(name in unknown for name in FOUR)
    assert "needs the argument manual" in missing
    assert "it takes path" in extra


@pytest.mark.requirement("mcp:completion:values")
@pytest.mark.parametrize(
    ("ref", "name", "value", "others", "values"),
    [
        ("grounded_answer", "manual", "", {}, ["hoken", "保険"]),
        ("exhaustive_audit", "manual", "HO", {}, ["hoken"]),
        ("cross_check", "manual", "保", {}, ["保険"]),
        ("cross_check", "question", "免", {}, []),
        (MANUAL_TEMPLATE, "manual_id", "h", {}, ["hoken"]),
        (MANUAL_TEMPLATE, "path", "", {"manual_id": "保険"}, ["Guide.md", "約款/"]),
        (MANUAL_TEMPLATE, "path", "g", {"manual_id": "保険"}, ["Guide.md"]),
        (
            MANUAL_TEMPLATE,
            "path",
            "約款/",
            {"manual_id": "保険"},
            ["約款/第一条.md", "約款/第二条.md"],
        ),
        (MANUAL_TEMPLATE, "path", "約款/第二", {"manual_id": "保険"}, ["約款/第二条.md"]),
        (MANUAL_TEMPLATE, "path", "", {}, []),
        (MANUAL_TEMPLATE, "path", "", {"manual_id": "none"}, []),
        (MANUAL_TEMPLATE, "path", "", {"manual_id": "manuals"}, []),
        (MANUAL_TEMPLATE, "path", "../", {"manual_id": "保険"}, []),
        (MANUAL_TEMPLATE, "path", "/etc/", {"manual_id": "保険"}, []),
        (VAULT_TEMPLATE, "path", "", {}, []),
        (VAULT_TEMPLATE, "path", "../", {}, []),
    ],
)
@pytest.mark.parametrize("modern", [False, True])
def test_what_is_typed_is_completed(
    *,
    product: Talk,
    ref: str,
    name: str,
    value: str,
    others: dict[str, str],
    values: list[str],
    modern: bool,
) -> None:
    """Manuals by their ids, paths folder by folder; letter case does not matter."""
    found = Asker(product, modern=modern).complete(ref, name, value, **others)

    assert found == {"values": values, "total": len(values), "hasMore": False}


@pytest.mark.requirement("mcp:completion:values")
def test_at_most_a_hundred_values_are_given(product: Talk, workspace: Workspace) -> None:
    """And how many there are."""
    notes = workspace.folder / "vault/many"
    notes.mkdir(parents=True)
    for number in range(250):
        (notes / f"n{number:03}.md").write_text("x")
    asker = Asker(product)

    found = asker.complete(VAULT_TEMPLATE, "path", "many/n")

    assert len(found["values"]) == 100
    assert (found["total"], found["hasMore"]) == (250, True)
    assert asker.complete("save_answer", "path", "")["values"] == ["many/"]
    assert asker.complete("save_answer", "path", "many/")["values"] == []


@pytest.mark.requirement("mcp:completion:refusals")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "q", "value": ""}},
        {
            "ref": {"type": "ref/prompt", "name": "cross_check"},
            "argument": {"name": "path", "value": ""},
        },
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "q", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "x"}, "argument": {"name": "q", "value": ""}},
        {
            "ref": {"type": "ref/resource", "uri": "file:///{path}"},
            "argument": {"name": "path", "value": ""},
        },
        {
            "ref": {"type": "ref/resource", "uri": VAULT_TEMPLATE},
            "argument": {"name": "manual_id", "value": ""},
        },
        {"ref": {"type": "ref/resource", "uri": VAULT_TEMPLATE}, "argument": {"name": "path"}},
        {
            "ref": {"type": "ref/resource", "uri": VAULT_TEMPLATE},
            "argument": {"name": "path", "value": "x" * 1_000_000},
        },
    ],
)
def test_what_cannot_be_completed(product: Talk, params: dict[str, Any]) -> None:
    """-32602, whoever says it."""
    error = Asker(product).error("completion/complete", **params)

    assert error["code"] == -32602
    assert len(str(error)) < 2000


@pytest.mark.requirement("mcp:completion:flood")
# A client over HTTP is held to calls at once and in a minute; tests/web is about that.
@pytest.mark.transports("memory", "line", "framed")
def test_a_flood_of_completions_is_answered(product: Talk, workspace: Workspace) -> None:
    """Nobody types that fast; whoever sends it is served, and others do not wait for it."""
    for number in range(500):
        workspace.write(f"hoken/n{number:03}.md", "x")
    params = {
        "ref": {"type": "ref/resource", "uri": MANUAL_TEMPLATE},
        "argument": {"name": "path", "value": "n"},
        "context": {"arguments": {"manual_id": "hoken"}},
    }

    for number in range(900):
        product.request(number, "completion/complete", params)
    pong = product.ask("ping", "ping")
    found = [product.answer_to(number)["result"]["completion"] for number in range(900)]

    assert pong["result"] == {}
    assert all(one["total"] == 500 for one in found)

"""The clients as one table: a row says where its configuration is, in what form, and its limits.

`tebiki setup` and `docs/clients.md` are made from it. A new client is one row.
"""

from __future__ import annotations

from tebiki.clients.entries import EntryShape, KeyWay
from tebiki.named_tuples import NamedTuple

STARTUP_SECONDS = 30
CALL_SECONDS = 600
"""Long enough for a detailed answer; written where a client's own limit is shorter."""

TERMINAL = "Start the client where {key} is set, for example from a terminal."


class Limit(NamedTuple):
    """Something a client cuts off, and how to change that."""

    what: str
    value: str
    change: str


class Client(NamedTuple):
    """One client.

    Paths are templates with `/`: `{home}`, `{appdata}` (Windows), `{config}` (the XDG folder), or
    the name of a variable that moves the file. `others` are further names the file may have.
    `placeholder` is what the client would replace in our values, and so must not stand in them.
    `{key}` in `key_note` is the name of the key's variable.
    """

    name: str
    title: str
    form: str
    section: str
    shape: EntryShape
    user: dict[str, str]
    project: str | None
    key_note: str
    limits: tuple[Limit, ...]
    moved: tuple[str, str] | None = None
    others: tuple[str, ...] = ()
    placeholder: str | None = None
    programs: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    adder: str | None = None
    note: str | None = None


def _everywhere(path: str) -> dict[str, str]:
    return dict.fromkeys(("linux", "macos", "windows"), path)


CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude-code",
        title="Claude Code",
        form="json",
        section="mcpServers",
        shape=EntryShape(KeyWay.INHERITED, fixed=(("type", "stdio"),)),
        user=_everywhere("{home}/.claude.json"),
        moved=("CLAUDE_CONFIG_DIR", "{CLAUDE_CONFIG_DIR}/.claude.json"),
        project=".mcp.json",
        placeholder=r"\$\{",
        programs=("claude",),
        signs=("{home}/.claude",),
        adder="claude mcp add --scope user tebiki -- tebiki --stdio",
        key_note=f"Claude Code passes its environment on to the server. {TERMINAL}",
        note="Close Claude Code first: it rewrites this file while it runs.",
        limits=(
            Limit("start", "", "`MCP_TIMEOUT` (milliseconds) in its environment"),
            Limit(
                "call",
                "an idle timer, which our progress resets",
                "`timeout` (milliseconds) in the entry or `MCP_TOOL_TIMEOUT`: "
                "a limit that progress does not extend",
            ),
            Limit("result", "25,000 tokens", "`MAX_MCP_OUTPUT_TOKENS` in its environment"),
            Limit("long result", "moved to a file above 50,000 characters", ""),
            Limit("error text", "cut at about 11,000 characters", ""),
        ),
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        form="json",
        section="mcpServers",
        shape=EntryShape(KeyWay.BY_HAND),
        user={
            "linux": "{config}/Claude/claude_desktop_config.json",
            "macos": "{home}/Library/Application Support/Claude/claude_desktop_config.json",
            "windows": "{appdata}/Claude/claude_desktop_config.json",
        },
        project=None,
        signs=("/Applications/Claude.app",),
        key_note=(
            "Claude Desktop passes on only a few variables of its own, and expands none. "
            "For the web tools install the bundle tebiki.mcpb instead, which keeps the key in the "
            "system's own store; or add {key} to the entry's `env` by hand (it then stands in that "
            "file in plain text); or leave them out with --toolsets."
        ),
        note="Quit and restart Claude Desktop afterwards.",
        limits=(
            Limit("start", "about 60 s", "cannot be changed"),
            Limit("call", "about 60 s", "cannot be changed"),
        ),
    ),
    Client(
        name="codex",
        title="Codex",
        form="toml",
        section="mcp_servers",
        shape=EntryShape(
            KeyWay.NAMED,
            usual=(("startup_timeout_sec", STARTUP_SECONDS), ("tool_timeout_sec", CALL_SECONDS)),
        ),
        user=_everywhere("{home}/.codex/config.toml"),
        moved=("CODEX_HOME", "{CODEX_HOME}/config.toml"),
        project=".codex/config.toml",
        programs=("codex",),
        signs=("{home}/.codex",),
        key_note=(
            "Codex passes on the variables that `env_vars` names; {key} is one of them. "
            f"{TERMINAL}"
        ),
        limits=(
            Limit("start", "10 s; the entry says 30 s", "`startup_timeout_sec` in the entry"),
            Limit("call", "60 s; the entry says 600 s", "`tool_timeout_sec` in the entry"),
        ),
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        form="jsonc",
        section="mcpServers",
        shape=EntryShape(KeyWay.REFERENCE, reference="${}"),
        user=_everywhere("{home}/.gemini/settings.json"),
        moved=("GEMINI_CLI_HOME", "{GEMINI_CLI_HOME}/.gemini/settings.json"),
        project=".gemini/settings.json",
        placeholder=r"\$\{?[A-Za-z_]",
        programs=("gemini",),
        signs=("{home}/.gemini",),
        adder=(
            "gemini mcp add --scope user -e 'OPENAI_API_KEY=$OPENAI_API_KEY' "
            "tebiki tebiki -- --stdio"
        ),
        key_note=(
            "Gemini CLI removes keys from the environment it passes on, so the entry refers to "
            f"{{key}}. {TERMINAL}"
        ),
        note="Gemini CLI starts servers only in folders that it trusts.",
        limits=(
            Limit("request", "600 s", "`timeout` (milliseconds) in the entry"),
            Limit("result", "40,000 characters", "`tools.truncateToolOutputThreshold`"),
        ),
    ),
    Client(
        name="cursor",
        title="Cursor",
        form="jsonc",
        section="mcpServers",
        shape=EntryShape(KeyWay.REFERENCE, reference="${{env:{}}}"),
        user=_everywhere("{home}/.cursor/mcp.json"),
        project=".cursor/mcp.json",
        placeholder=r"\$\{",
        programs=("cursor", "cursor-agent"),
        signs=("{home}/.cursor", "/Applications/Cursor.app"),
        key_note=f"The entry refers to {{key}} in Cursor's environment. {TERMINAL}",
        limits=(),
    ),
    Client(
        name="vscode",
        title="VS Code",
        form="jsonc",
        section="servers",
        shape=EntryShape(KeyWay.INHERITED, fixed=(("type", "stdio"),)),
        user={
            "linux": "{config}/Code/User/mcp.json",
            "macos": "{home}/Library/Application Support/Code/User/mcp.json",
            "windows": "{appdata}/Code/User/mcp.json",
        },
        project=".vscode/mcp.json",
        placeholder=r"\$\{",
        programs=("code",),
        signs=("{home}/.vscode", "/Applications/Visual Studio Code.app"),
        key_note=f"VS Code passes its environment on to the server. {TERMINAL}",
        limits=(Limit("call", "none", "none can be set"),),
    ),
    Client(
        name="opencode",
        title="opencode",
        form="jsonc",
        section="mcp",
        shape=EntryShape(
            KeyWay.INHERITED,
            fixed=(("type", "local"),),
            usual=(("timeout", CALL_SECONDS * 1000),),
            env="environment",
            one_list=True,
        ),
        user=_everywhere("{config}/opencode/opencode.json"),
        others=("opencode.jsonc",),
        project="opencode.json",
        placeholder=r"\{(?:env|file):",
        programs=("opencode",),
        signs=("{config}/opencode",),
        key_note=f"opencode passes its environment on to the server. {TERMINAL}",
        limits=(
            Limit(
                "request",
                "5 s, started again by progress; the entry says 600 s",
                "`timeout` (milliseconds) in the entry",
            ),
        ),
    ),
)

BY_NAME: dict[str, Client] = {client.name: client for client in CLIENTS}

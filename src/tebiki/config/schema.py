"""The one settings table: key, shape, default, variable and a line of documentation each.

`docs/config.md`, `--help` and every check of a value are made from it; no default stands elsewhere.
A new setting is one row.
"""

from __future__ import annotations

from tebiki.config.cluster_rows import INDEX_ROWS, OWNER_ROWS, STATE_ROWS
from tebiki.config.http_rows import HTTP_ROWS
from tebiki.config.manual_rows import MANUAL_ROWS
from tebiki.config.setting import Setting
from tebiki.values.shapes import Address, Flag, Integer, ListOf, Number, Text, VariableName

EFFORTS = ("low", "medium", "high", "xhigh")
LEVELS = ("low", "medium", "high")

LONGEST_TIMEOUT_MS = 2**31 - 1
"""Twenty-four days: the longest a JavaScript timer can wait, and long enough."""

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "openai.api_key_env",
        VariableName(),
        "OPENAI_API_KEY",
        "Name of the environment variable that holds the API key.",
    ),
    Setting(
        "openai.base_url",
        Address(),
        "https://api.openai.com/v1",
        "Address of the Responses API.",
        "OPENAI_BASE_URL",
        # A question must never go to a host that was not chosen.
        stops_from_env=True,
    ),
    Setting(
        "request.timeout_ms",
        Integer(least=1, most=LONGEST_TIMEOUT_MS),
        300_000,
        "Time limit of one attempt, in milliseconds.",
        "OPENAI_API_TIMEOUT",
    ),
    Setting(
        "request.max_retries",
        Integer(least=0, most=10),
        3,
        "Number of retries after a 429 or 5xx response.",
        "OPENAI_MAX_RETRIES",
    ),
    Setting(
        "model_profiles.answer.model",
        Text(not_blank=True),
        "gpt-5.2",
        "Model of `answer`.",
        "MODEL_ANSWER",
    ),
    Setting(
        "model_profiles.answer.reasoning_effort",
        Text(choices=EFFORTS),
        "medium",
        "Reasoning effort, sent to gpt-5, o3, o4 and newer models.",
        "ANSWER_EFFORT",
    ),
    Setting(
        "model_profiles.answer.verbosity",
        Text(choices=LEVELS),
        "medium",
        "Verbosity, sent to gpt-5 and newer gpt models.",
        "ANSWER_VERBOSITY",
    ),
    *(
        Setting(
            f"model_profiles.{profile}.{field}",
            shape,
            None,
            f"{what} of `{profile}`; unset: that of `answer`.",
            f"MODEL_{profile.upper()}" if field == "model" else None,
        )
        for profile in ("answer_detailed", "answer_quick")
        for field, shape, what in (
            ("model", Text(not_blank=True), "Model"),
            ("reasoning_effort", Text(choices=EFFORTS), "Reasoning effort"),
            ("verbosity", Text(choices=LEVELS), "Verbosity"),
        )
    ),
    Setting(
        "answers.background",
        Flag(),
        False,
        "`answer_detailed` goes on when its client is lost, and is taken up by the same question; "
        "the API then stores the response. `tebiki` only.",
        "TEBIKI_ANSWERS_BACKGROUND",
    ),
    Setting(
        "answers.cache_seconds",
        Integer(least=0, most=86_400),
        0,
        "Seconds for which an identical question of the same client gets the same answer again; "
        "0 asks anew each time. `tebiki` only.",
        "TEBIKI_ANSWERS_CACHE_SECONDS",
    ),
    Setting(
        "policy.max_citations",
        Integer(least=1, most=10),
        3,
        "Maximum number of citations in one answer.",
        "MAX_CITATIONS",
    ),
    Setting(
        "policy.system.source",
        Text(choices=("builtin", "file")),
        "builtin",
        "Where the system policy comes from.",
    ),
    Setting("policy.system.path", Text(not_blank=True), None, "Policy file, read for each call."),
    Setting(
        "policy.system.merge",
        Text(choices=("replace", "prepend", "append")),
        "replace",
        "Whether the file replaces the built-in policy or is put before or after it.",
    ),
    Setting(
        "search.defaults.recency_days",
        Number(least=0),
        60,
        "Hint: how recent sources should be.",
        "SEARCH_RECENCY_DAYS",
    ),
    Setting(
        "search.defaults.max_results",
        Integer(least=1, most=10),
        5,
        "Hint: how many results to look at.",
        "SEARCH_MAX_RESULTS",
    ),
    Setting(
        "search.defaults.domains",
        ListOf(Text(not_blank=True)),
        [],
        "Hint: domains to prefer when a call names none.",
    ),
    Setting(
        "search.domain_filter",
        Text(choices=("hint", "strict")),
        "hint",
        "`strict` also restricts the search tool to the domains, and what is cited or listed.",
    ),
    Setting(
        "search.blocked_domains",
        ListOf(Text(not_blank=True)),
        [],
        "Domains that are neither searched nor cited or listed.",
    ),
    Setting(
        "search.context_size",
        Text(choices=LEVELS),
        None,
        "How much web text the search tool gives the model.",
    ),
    *(
        Setting(
            f"search.user_location.{field}",
            shape,
            None,
            f"{what} for localised search results.",
        )
        for field, shape, what in (
            ("city", Text(not_blank=True), "City"),
            ("region", Text(not_blank=True), "Region"),
            ("country", Text(not_blank=True, longest=2), "Two-letter country code"),
            ("timezone", Text(not_blank=True), "IANA time zone"),
        )
    ),
    Setting(
        "websearch.model",
        Text(not_blank=True),
        "o3",
        "Model of `chatgpt_o3_search`; the one of `answer` is used if the API does not know it.",
        "OPENAI_MODEL",
    ),
    Setting(
        "websearch.timeout_ms",
        Integer(least=1, most=LONGEST_TIMEOUT_MS),
        30_000,
        "Time limit of one attempt of a search, in milliseconds.",
        "SERVER_TIMEOUT",
    ),
    Setting(
        "websearch.max_attempts",
        Integer(least=1, most=10),
        3,
        "Maximum number of attempts per search.",
        "SERVER_MAX_RETRIES",
    ),
    Setting(
        "workspace.root",
        Text(not_blank=True),
        ".",
        "Folder that contains `manuals` and `vault`, unless their own roots are set.",
        "WORKSPACE_ROOT",
    ),
    Setting(
        "vault.root",
        Text(not_blank=True),
        None,
        "Folder of the notes; unset: `vault` below the workspace.",
        "VAULT_ROOT",
    ),
    Setting(
        "vault.journal_mib",
        Integer(least=1, most=1_048_576),
        64,
        "Mebibytes that the journal of the notes may take; then its older half is trimmed.",
        "TEBIKI_VAULT_JOURNAL_MIB",
    ),
    *OWNER_ROWS,
    Setting(
        "cache.root",
        Text(not_blank=True),
        "~/.cache",
        "Folder below which `tebiki` keeps the indexes of manuals; deleting them is safe.",
        "XDG_CACHE_HOME",
    ),
    *MANUAL_ROWS,
    Setting(
        "ledger.enabled",
        Flag(),
        True,
        "Record what each paid call used; never what was asked or answered.",
        "TEBIKI_LEDGER_ENABLED",
    ),
    Setting(
        "ledger.path",
        Text(not_blank=True),
        None,
        "File of the ledger; unset: `tebiki/ledger.db` in your state folder.",
        "TEBIKI_LEDGER_PATH",
    ),
    Setting(
        "budget.daily_usd",
        Number(least=0),
        None,
        "Refuse paid calls once this much is spent on a UTC day, by estimate.",
        "TEBIKI_BUDGET_DAILY_USD",
        limits_money=True,
    ),
    Setting(
        "budget.calls_per_minute",
        Integer(least=1),
        None,
        "Refuse paid calls beyond this many in any 60 seconds.",
        "TEBIKI_BUDGET_CALLS_PER_MINUTE",
        limits_money=True,
    ),
    Setting(
        "budget.prices_file",
        Text(not_blank=True),
        None,
        "JSON file of prices that override the built-in ones.",
        "TEBIKI_PRICES_FILE",
    ),
    Setting(
        "guard.web_queries",
        Text(choices=("off", "warn", "refuse")),
        "warn",
        "What happens to a web question that repeats 40 Japanese characters, or 12 words, of what "
        "the manual and vault tools gave in this session.",
        "TEBIKI_GUARD_WEB_QUERIES",
    ),
    *HTTP_ROWS,
    *INDEX_ROWS,
    *STATE_ROWS,
    Setting("server.debug", Flag(), False, "Write the debug log to stderr.", "DEBUG"),
    Setting(
        "server.log_level",
        Text(choices=("debug", "info", "warn", "error")),
        "info",
        "`debug` is the same as server.debug; `error` leaves warnings out.",
        "LOG_LEVEL",
    ),
    Setting(
        "server.log_format",
        Text(choices=("text", "json")),
        "text",
        "`json` writes each entry of the log as one object.",
        "LOG_FORMAT",
    ),
    Setting("server.debug_file", Text(not_blank=True), None, "Append the debug log here too."),
    Setting(
        "server.show_config_on_start",
        Flag(),
        False,
        "Print the effective settings on stderr before serving.",
    ),
    Setting(
        "server.line_mode",
        Flag(),
        False,
        "Answer in lines from the start, whatever the client speaks.",
        "MCP_LINE_MODE",
    ),
)

BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}

NULLABLE_SECTIONS = ("answer", "answer_detailed", "answer_quick")
"""Profiles that a user may set to null: their tool then refuses to run, instead of inheriting."""

REMOVED: dict[str, str] = {
    "policy.prefer_search_when_unsure": "the model decides when to search",
    "policy.require_dates_iso": "sources always carry an ISO date",
    "server.transport": "the flag decides: --stdio, or --http of tebiki",
    "openai.model": "set model_profiles.answer.model instead",
}
"""Keys of earlier releases, each with what to do now; a key below one counts as that one."""


def section_keys(section: str) -> tuple[str, ...]:
    """Every setting below a dotted section."""
    return tuple(key for key in BY_KEY if key.startswith(f"{section}."))

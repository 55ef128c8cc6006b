"""Settings from their four layers: precedence, provenance, and what a wrong value gets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.config.schema import BY_KEY, SETTINGS
from tebiki.config.sources import Given, Loaded, load
from tebiki.errors import BadSetting
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path


LISTS = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10)]
BOMB = "\n".join(["l0: &l0 [x, x, x, x, x, x, x, x, x]", *LISTS]) + "\n"
"""A few hundred bytes that stand for a billion values."""

MERGES = [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}" for n in range(1, 10)]
MERGED_BOMB = "\n".join(["m0: &m0 {a: 1}", *MERGES]) + "\n"


def loaded(folder: Path, yaml: str | None = None, **environ: str) -> Loaded:
    """Load settings from a file's text and an environment."""
    path = folder / "config.yaml"
    if yaml is not None:
        path.write_text(yaml, encoding="utf-8")
    return load(Given(), str(path), environ)


@pytest.mark.requirement("config:file:defaults")
def test_defaults_are_those_of_the_table(tmp_path: Path) -> None:
    """A missing default file is fine."""
    settings = loaded(tmp_path).settings

    assert {key: found.value for key, found in settings.items()} == {
        setting.key: setting.default for setting in SETTINGS
    }


@pytest.mark.requirement(
    "config:layers:precedence", "config:flags:sources", "config:debug:authority"
)
def test_the_command_line_is_above_everything(tmp_path: Path) -> None:
    """Defaults < YAML < environment < command line."""
    config = tmp_path / "config.yaml"
    config.write_text("server: {debug: false, debug_file: a.log}\n", encoding="utf-8")

    found = load(Given(str(config), debug=True, debug_path="c.log"), "", {"DEBUG": "b.log"})

    assert found.settings["server.debug"] is True
    assert found.settings["server.debug_file"] == "c.log"
    assert found.sources["cli"] == ["--config", "--debug"]


@pytest.mark.requirement("config:file:empty")
@pytest.mark.parametrize(
    "text",
    ["", "\n# only a comment\n", "policy:\n", "policy: {}\n", "policy:\n  max_citations:\n"],
)
def test_empty_files_and_sections_keep_the_defaults(tmp_path: Path, text: str) -> None:
    """Nothing written is nothing changed."""
    found = loaded(tmp_path, text)

    assert found.settings["policy.max_citations"] == 3
    assert found.warnings == ()


@pytest.mark.requirement("config:layers:merge")
def test_objects_merge_and_lists_replace(tmp_path: Path) -> None:
    """A section with one key leaves its other keys alone."""
    settings = loaded(
        tmp_path, "search: {defaults: {domains: [a.jp, b.jp]}}\nrequest: {max_retries: 0}\n"
    ).settings

    assert settings["search.defaults.domains"] == ["a.jp", "b.jp"]
    assert settings["search.defaults.max_results"] == 5
    assert settings["request.timeout_ms"] == 300_000


@pytest.mark.requirement("config:file:yaml-1-2")
def test_yaml_is_1_2(tmp_path: Path) -> None:
    """`no` is text and `010` is ten."""
    settings = loaded(
        tmp_path, "search: {user_location: {country: no}}\npolicy: {max_citations: 010}\n"
    ).settings

    assert settings["search.user_location.country"] == "no"
    assert settings["policy.max_citations"] == 10


BAD_FILES = {
    "no YAML": ("a: [1", "not YAML"),
    "a tab": ("\tx: 1", "not YAML"),
    "a list": ("- x", "must be a mapping"),
    "a word": ("hello", "must be a mapping"),
    "twice": ("policy: {}\npolicy: {}\n", "not YAML"),
    "a section as text": ("policy: strict\n", 'policy must be a mapping, got "strict"'),
    "text for a number": (
        "policy: {max_citations: three}\n",
        'policy.max_citations must be an integer from 1 to 10, got "three"',
    ),
    "a boolean for a number": (
        "policy: {max_citations: true}\n",
        "policy.max_citations must be an integer from 1 to 10, got true",
    ),
    "out of range": (
        "request:\n  max_retries: 11\n",
        "request.max_retries must be an integer from 0 to 10, got 11",
    ),
    "zero time": ("request: {timeout_ms: 0}\n", "request.timeout_ms must be an integer from 1 to"),
    "unknown effort": (
        "model_profiles: {answer: {reasoning_effort: huge}}\n",
        "model_profiles.answer.reasoning_effort must be one of low, medium, high, xhigh",
    ),
    "no address": ("openai: {base_url: ftp://x}\n", "openai.base_url must be an http:// or"),
    "list of numbers": (
        "search: {defaults: {domains: [1]}}\n",
        "search.defaults.domains[0] must be",
    ),
    "list item missing": ("search: {defaults: {domains: a.jp}}\n", "must be a list"),
    "flag as text": ("server: {debug: 'yes'}\n", "server.debug must be true or false"),
    "no variable name": ("openai: {api_key_env: 'a=b c'}\n", "name of an environment variable"),
    "port too high": ("openai: {base_url: 'http://h:99999/v1'}\n", "openai.base_url must be"),
    "a password in an address": (
        "state: {url: 'redis://me:pa55word@h:6379/0'}\n",
        "state.url must be a redis:// or rediss:// address without a user or a password in it",
    ),
    "no address of a store": ("state: {url: 'http://h'}\n", "state.url must be a redis:// or"),
    "open bracket": ("openai: {base_url: 'http://[::1'}\n", "openai.base_url must be"),
}


@pytest.mark.requirement(
    "config:file:bad-value", "config:openai:base-url", "config:policy:max-citations"
)
@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_stops_the_start_in_one_line(tmp_path: Path, case: str) -> None:
    """Key, value, file and line, and what is allowed."""
    text, words = BAD_FILES[case]

    with pytest.raises(BadSetting) as stopped:
        loaded(tmp_path, text)

    message = str(stopped.value)
    assert words in message
    assert str(tmp_path / "config.yaml") in message
    assert "\n" not in message
    assert "pa55word" not in message


@pytest.mark.requirement("config:file:bad-value")
def test_an_endless_number_under_an_unknown_name_is_a_warning(tmp_path: Path) -> None:
    """As any unknown key is, also where the number is the key."""
    digits = "f" * 5000

    found = loaded(tmp_path, f"a: 0x{digits}\n? 0x{digits}\n: 1\npolicy: {{max_citations: 4}}\n")

    assert found.settings["policy.max_citations"] == 4
    assert len(found.warnings) == 2


@pytest.mark.requirement("config:file:merge-keys")
def test_a_merge_key_works(tmp_path: Path) -> None:
    """It is YAML that people write."""
    settings = loaded(
        tmp_path, "x: &shared {timeout_ms: 5}\nrequest: {<<: *shared, max_retries: 1}\n"
    ).settings

    assert settings["request.timeout_ms"] == 5
    assert settings["request.max_retries"] == 1


@pytest.mark.requirement("config:file:bad-value")
@pytest.mark.parametrize(
    "text",
    [
        f"request: {{timeout_ms: {'9' * 5000}}}\n",
        "policy: {max_citations: 2024-13-45}\n",
        "a: " + "[" * 2000 + "]" * 2000 + "\n",
        f"request: {{timeout_ms: 0x{'f' * 5000}}}\n",
        f"request: {{timeout_ms: -0x{'f' * 5000}}}\n",
        f"http: {{tokens: [0x{'f' * 5000}]}}\n",
        BOMB,
        MERGED_BOMB,
        "a: &a [*a]\n",
        "a: &a {b: *a}\n",
        "#" * 1_100_000,
    ],
    ids=[
        "huge",
        "no date",
        "deep",
        "hexadecimal",
        "below zero",
        "in a list",
        "bomb",
        "merged bomb",
        "endless list",
        "endless mapping",
        "large",
    ],
)
def test_odd_yaml_is_one_line_too(tmp_path: Path, text: str) -> None:
    """Never an internal error."""
    with pytest.raises(BadSetting) as stopped:
        loaded(tmp_path, text)

    assert str(tmp_path / "config.yaml") in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.mark.requirement("config:file:bad-value")
def test_brackets_inside_each_other_have_a_bound(tmp_path: Path) -> None:
    """The parser is never asked: it takes the square of their number."""
    with pytest.raises(BadSetting, match="more than 100 brackets are open at once"):
        loaded(tmp_path, "a: " + "[" * 101 + "]" * 101 + "\n")

    assert loaded(tmp_path, "a: " + "[" * 99 + "]" * 99 + "\n").warnings


@pytest.mark.requirement("config:file:bad-value")
def test_the_line_of_a_wrong_value_is_named(tmp_path: Path) -> None:
    """So that an editor finds it."""
    with pytest.raises(BadSetting, match=r"config\.yaml:3\)$"):
        loaded(tmp_path, "# settings\nrequest:\n  max_retries: 99\n")


@pytest.mark.requirement("config:file:bad-value")
def test_unreadable_files_stop_the_start(tmp_path: Path) -> None:
    """A file that is no UTF-8 text."""
    (tmp_path / "config.yaml").write_bytes(b"a: \xff\xfe")

    with pytest.raises(BadSetting, match="cannot be read"):
        loaded(tmp_path)


@pytest.mark.requirement("config:file:no-key-in-it")
@pytest.mark.parametrize(
    "text",
    [
        f"openai: {{api_key: {CANARY}}}\n",
        f"openai: {{api_key_env: {CANARY}}}\n",
        f"anything: {{nested: [x, {CANARY}]}}\n",
        "openai: {api_key: short}\n",
        f"{CANARY}: 1\n",
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    """Keys are read from the environment only."""
    with pytest.raises(BadSetting) as stopped:
        loaded(tmp_path, text)

    assert "environment only" in str(stopped.value)
    assert CANARY not in str(stopped.value)


@pytest.mark.requirement("config:file:no-key-in-it")
@pytest.mark.parametrize("word", ["none", "x", "test"])
def test_a_word_in_the_place_of_a_key_is_no_secret(tmp_path: Path, word: str) -> None:
    """A server of one's own wants none; the word may stand in any setting."""
    text = "manuals: {cache: {embedding_provider: none}}\nvault: {root: /test/max}\n"

    found = loaded(tmp_path, text, OPENAI_API_KEY=word)

    assert found.settings["vault.root"] == "/test/max"


@pytest.mark.requirement("config:file:unknown-key")
def test_an_unknown_key_is_a_warning_with_the_nearest_one(tmp_path: Path) -> None:
    """The rest of the file is used."""
    found = loaded(tmp_path, "policy: {max_citation: 5}\nrequest: {max_retries: 1}\n")

    assert found.settings["request.max_retries"] == 1
    assert len(found.warnings) == 1
    assert "policy.max_citation" in found.warnings[0]
    assert "did you mean policy.max_citations?" in found.warnings[0]


@pytest.mark.requirement("config:file:removed-key")
@pytest.mark.parametrize(
    "text",
    [
        "policy: {prefer_search_when_unsure: true}\n",
        "policy: {require_dates_iso: true}\n",
        "server: {transport: stdio}\n",
        "openai: {model: {default: gpt-5}}\n",
    ],
)
def test_removed_keys_are_said_to_be_removed(tmp_path: Path, text: str) -> None:
    """With what to do now."""
    found = loaded(tmp_path, text)

    assert len(found.warnings) == 1
    assert "was removed" in found.warnings[0]


ONE_VALUE_ONLY = {"DEBUG", "SEM_CACHE_EMBEDDING_PROVIDER"}
"""A switch or a path, tested below; and a variable that takes nothing but its default."""


@pytest.mark.requirement("config:environment:case", "config:all:every-variable")
@pytest.mark.parametrize(
    "setting", [row for row in SETTINGS if row.env and row.env not in ONE_VALUE_ONLY]
)
def test_every_variable_acts(tmp_path: Path, setting: Any) -> None:
    """A good value is taken, a bad one warned about, an empty one ignored."""
    good = {
        "OPENAI_BASE_URL": "http://localhost:1/v1",
        "MODEL_ANSWER": "o3",
        "ANSWER_EFFORT": "XHIGH",
        "ANSWER_VERBOSITY": "Low",
        "TEBIKI_GUARD_WEB_QUERIES": "refuse",
        "MANUALS_WATCH": "OFF",
        "MANUALS_FILE_TYPES": "md, txt",
        "LOG_LEVEL": "DEBUG",
        "LOG_FORMAT": "JSON",
        "TEBIKI_MANUALS_ENGINE": "OpenSearch",
        "TEBIKI_HTTP_WORKERS": "2",
        "TEBIKI_STATE_URL": "rediss://state.example/1",
        "TEBIKI_VAULT_OWNER_URL": "https://notes.example",
        "TEBIKI_OAUTH_ISSUER": "https://login.example",
        "TEBIKI_OAUTH_AUDIENCE": "https://tebiki.example/mcp",
        "TEBIKI_OAUTH_JWKS_URL": "https://login.example/keys",
    }.get(setting.env, "0" if setting.default in (True, 1) else "1")

    taken = loaded(tmp_path, None, **{setting.env: good})
    empty = loaded(tmp_path, None, **{setting.env: " "})

    assert taken.settings[setting.key] != setting.default
    assert taken.settings[setting.key] == BY_KEY[setting.key].shape.from_text(good)
    assert taken.sources["env"] == [setting.env]
    assert empty.settings[setting.key] == setting.default


@pytest.mark.requirement("config:environment:bad-value", "config:request:retries")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_API_TIMEOUT", "0"),
        ("OPENAI_API_TIMEOUT", "5.5"),
        ("OPENAI_MAX_RETRIES", "11"),
        ("OPENAI_MAX_RETRIES", "-1"),
        ("MAX_CITATIONS", "many"),
        ("ANSWER_EFFORT", "extreme"),
        ("SEARCH_RECENCY_DAYS", "-3"),
        ("SEARCH_RECENCY_DAYS", "inf"),
        ("SEARCH_MAX_RESULTS", "0"),
        ("MCP_LINE_MODE", "maybe"),
        ("MAX_CITATIONS", "+-3"),
        ("MAX_CITATIONS", "٣"),
    ],
)
def test_a_bad_variable_is_a_warning(tmp_path: Path, variable: str, value: str) -> None:
    """Variable, value and bounds; what was below stays in force."""
    setting = next(row for row in SETTINGS if row.env == variable)

    found = loaded(tmp_path, None, **{variable: value})

    assert found.settings[setting.key] == setting.default
    assert len(found.warnings) == 1
    assert variable in found.warnings[0]
    assert value in found.warnings[0]
    assert setting.allowed in found.warnings[0]


@pytest.mark.requirement("config:environment:address")
@pytest.mark.parametrize(
    "value",
    [
        "localhost",
        "api.example/v1",
        "localhost:8080/v1",
        "ftp://api.example",
        "https://",
        "http://a b/",
        "https://api.example:99999/v1",
        f"https://api.example:{'1' * 5000}/v1",
    ],
)
def test_an_address_that_is_none_stops_the_start(tmp_path: Path, value: str) -> None:
    """A question must not go to a host that nobody chose; the file's address does not stand in."""
    with pytest.raises(BadSetting, match="OPENAI_BASE_URL must be an http") as stopped:
        loaded(tmp_path, "openai: {base_url: https://chosen.example}\n", OPENAI_BASE_URL=value)

    assert "unset" in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.mark.requirement("config:environment:address")
def test_a_password_in_a_wrong_address_is_not_repeated(tmp_path: Path) -> None:
    """Without a scheme nothing else would know it for one."""
    with pytest.raises(BadSetting) as stopped:
        loaded(tmp_path, None, OPENAI_BASE_URL="ann:hunter2@proxy.example/v1")

    assert "hunter2" not in str(stopped.value)
    assert "proxy.example" in str(stopped.value)


@pytest.mark.requirement("config:file:no-password")
@pytest.mark.parametrize("key", ["state.url", "manuals.opensearch.addresses", "vault.owner_url"])
@pytest.mark.parametrize(
    "rest",
    [
        "hunter2@h:1",
        ":hunter2@h:1/0",
        "me:hunter2@h:1/0",
        "me:hunter2@[::1]:1",
        "me:hunter2%40h:1/0",
        "me%3Ahunter2%40h:1/0",
        "me:hunter2\uff20h:1",
        "h:1/0?password=hunter2",
        "h:1/0#hunter2",
        "h:hunter2/0",
        " me:hunter2@h",
        "h:99999?hunter2",
    ],
)
def test_a_password_in_an_address_that_may_have_none_is_refused_and_not_repeated(
    tmp_path: Path, key: str, rest: str
) -> None:
    """However it is spelled."""
    scheme = "redis" if key == "state.url" else "https"
    section, _, name = key.rpartition(".")
    value: object = f"{scheme}://{rest}"
    for part in reversed([*section.split("."), name]):
        value = {part: [value] if part == "addresses" else value}

    with pytest.raises(BadSetting) as stopped:
        loaded(tmp_path, json.dumps(value))

    assert "hunter2" not in str(stopped.value)
    assert key in str(stopped.value)


@pytest.mark.requirement("config:environment:debug", "config:debug:authority")
@pytest.mark.parametrize(
    ("value", "on", "file"),
    [
        ("1", True, None),
        ("true", True, None),
        ("TRUE", True, None),
        ("2", True, None),
        ("0", False, None),
        ("false", False, None),
        ("", False, None),
        ("~/tebiki.log", True, "~/tebiki.log"),
        ("debug.log", True, "debug.log"),
        ("C:\\logs\\x.log", True, "C:\\logs\\x.log"),
    ],
)
def test_debug_is_a_switch_or_a_path(
    tmp_path: Path, value: str, on: bool, file: str | None
) -> None:
    """And it overrides the file in both directions."""
    settings = loaded(tmp_path, f"server: {{debug: {str(not on).lower()}}}\n", DEBUG=value).settings

    assert settings["server.debug"] is on
    assert settings["server.debug_file"] == file


@pytest.mark.requirement("config:environment:debug")
@pytest.mark.parametrize("value", ["express:*", "*", "a,b"])
def test_another_programs_debug_is_not_ours(tmp_path: Path, value: str) -> None:
    """A warning, not a file of that name."""
    found = loaded(tmp_path, None, DEBUG=value)

    assert found.settings["server.debug"] is False
    assert "DEBUG" in found.warnings[0]


@pytest.mark.requirement("config:profiles:null")
@pytest.mark.parametrize("name", ["answer", "answer_detailed", "answer_quick"])
def test_a_null_profile_is_remembered(tmp_path: Path, name: str) -> None:
    """Null is not the same as absent."""
    settings = loaded(tmp_path, f"model_profiles: {{{name}: null}}\n").settings

    assert settings.is_null(f"model_profiles.{name}")
    assert settings.effective()["model_profiles"][name] is None


@pytest.mark.requirement("config:environment:key")
def test_the_key_is_stripped_and_may_be_absent(tmp_path: Path) -> None:
    """Outer blanks come from copying."""
    assert loaded(tmp_path, None, OPENAI_API_KEY=f" {CANARY}\n").api_key == CANARY
    assert loaded(tmp_path, None, OPENAI_API_KEY="  ").api_key is None
    assert loaded(tmp_path).api_key is None

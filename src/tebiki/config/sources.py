"""Reading the layers: the YAML file, the environment and the command line's own values.

The only reader of `os.environ` and the only reader of the configuration file. A bad value in a file
stops the start; a bad value in a variable is a warning, because variables with common names belong
to other programs too. The API's address is the exception: the one below it would be another's host.
Limits on money are told as the others are, and paid calls are refused until they can be read.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tebiki.config import homes
from tebiki.config.layers import Layer, Origin, Settings, Written, merge
from tebiki.config.schema import BY_KEY, SETTINGS
from tebiki.errors import BadSetting
from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import Flag, NotOfShape, VariableName, quote_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_IN_A_LOG_PATH = frozenset("*,\n\r\0")
"""Signs of another program's DEBUG syntax (`express:*`, `a,b`), which is no path of ours."""

NAMED_HOME = Origin("env", homes.VARIABLE)
"""Of a usual file that is where `XDG_CONFIG_HOME` has it."""

_key_read: list[str] = []
"""The key that was read last. An error may repeat it where nobody has the settings any more."""


class Given(NamedTuple):
    """What the command line asked for that belongs to the configuration."""

    config_path: str | None = None
    debug: bool = False
    debug_path: str | None = None
    http_bind: str | None = None
    http_workers: str | None = None
    manuals_root: str | None = None
    vault_root: str | None = None


class Wishes(NamedTuple):
    """What a terminal's user and the terminal itself say about what may be sent to it."""

    colours: bool
    moves: bool


class Loaded(NamedTuple):
    """Settings in force, what to warn about, and what was read."""

    settings: Settings
    api_key: str | None
    warnings: tuple[str, ...]
    sources: dict[str, Any]
    state_folder: str = ""
    places: tuple[str, ...] = ()
    """Where the file was looked for when the command line named none."""
    secrets: tuple[tuple[str, str], ...] = ()
    """What the variables hold that settings name, by the setting; the API's key is apart."""

    def secret(self, key: str) -> str | None:
        """What the variable holds that a setting names; None where it names none.

        Raises:
            BadSetting: the variable is not set.
        """
        name, held = self.settings[key], dict(self.secrets).get(key)
        if name is not None and held is None:
            raise BadSetting(f"{key} names {name}, which is not set")
        return held


def load(given: Given, default_path: str, environ: Mapping[str, str] | None = None) -> Loaded:
    """Read all layers and merge them.

    Raises:
        BadSetting: a file that cannot be used, a value in it that is not allowed, or an address of
            the API that is none.
    """
    environ = os.environ if environ is None else environ
    warnings: list[str] = []
    path = _config_file(given.config_path, default_path, environ)
    yaml_layer: Layer = {}
    if path is not None:
        # Imported only when there is a file: parsing YAML would double the start-up time.
        from tebiki.config.yaml_file import read_yaml

        yaml_layer = read_yaml(path, warnings, usual_key(environ))
    unread: dict[str, str] = {}
    env_layer = environment_layer(environ, warnings, unread)
    cli_layer = command_line_layer(given)
    home_layer = _home_layer(default_path, environ)
    settings = merge([home_layer, yaml_layer, env_layer, cli_layer], unread)
    sources: dict[str, Any] = {
        "defaults": "built in",
        "env": sorted({written.origin.place for written in (home_layer | env_layer).values()}),
        "cli": _flags_used(given),
    }
    if path is not None:
        sources["yaml"] = path
    key_name = settings.text("openai.api_key_env")
    api_key = environ.get(key_name, "").strip() or None
    if api_key is not None:
        sources["env"].append(key_name)
        _key_read[:] = [api_key]
    return Loaded(
        settings,
        api_key,
        tuple(warnings),
        sources,
        state_folder(environ),
        homes.places_of(default_path, environ) if given.config_path is None else (),
        _secrets(settings, environ),
    )


def _secrets(settings: Settings, environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What the variables hold whose names are settings; those that are not set are left out."""
    named = {
        row.key: settings[row.key]
        for row in SETTINGS
        if isinstance(row.shape, VariableName) and row.key != "openai.api_key_env"
    }
    return tuple((key, environ[name]) for key, name in named.items() if environ.get(name or ""))


def state_folder(environ: Mapping[str, str], platform: str = sys.platform) -> str:
    """Where this user's programs keep what they note about themselves, as the system has it."""
    named = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named):
        # A relative one is to be ignored, says the XDG specification.
        return os.path.join(named, "tebiki")
    if platform == "win32" and environ.get("LOCALAPPDATA"):
        return os.path.join(environ["LOCALAPPDATA"], "tebiki")
    usual = "~/Library/Application Support" if platform == "darwin" else "~/.local/state"
    return os.path.join(os.path.expanduser(usual), "tebiki")


def usual_key(environ: Mapping[str, str] | None = None) -> str | None:
    """The key under its usual name, for whoever must not repeat it before settings are loaded."""
    environ = os.environ if environ is None else environ
    return environ.get(BY_KEY["openai.api_key_env"].default, "").strip() or None


def known_key() -> str | None:
    """The key that was read, whatever its name; before any settings are, that of the usual name."""
    return _key_read[0] if _key_read else usual_key()


def terminal_wishes(environ: Mapping[str, str] | None = None) -> Wishes:
    """What a terminal takes: no cursor moves when it is dumb, no colours after NO_COLOR either."""
    environ = os.environ if environ is None else environ
    moves = environ.get("TERM", "") not in {"dumb", "unknown"}
    return Wishes(colours=moves and not environ.get("NO_COLOR"), moves=moves)


def this_system(names: Iterable[str]) -> tuple[str, dict[str, str]]:
    """The system (`linux`, `macos`, `windows`) and those variables that are set; HOME always is."""
    kinds = {"win32": "windows", "darwin": "macos"}
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    return kinds.get(sys.platform, "linux"), {**found, "HOME": os.path.expanduser("~")}


def _home_layer(default_path: str, environ: Mapping[str, str]) -> Layer:
    """The usual file of tokens where `XDG_CONFIG_HOME` has it, for the face that looks there."""
    row = BY_KEY["http.token_file"]
    place = homes.place_in_force(row.default, environ)
    if not homes.is_moved(default_path, environ) or place == os.path.expanduser(row.default):
        return {}
    return {row.key: Written(place, NAMED_HOME)}


def _config_file(given: str | None, default_path: str, environ: Mapping[str, str]) -> str | None:
    if given is None:
        default = homes.place_in_force(default_path, environ)
        return default if os.path.isfile(default) else None
    path = os.path.expanduser(given)
    if not os.path.exists(path):
        raise BadSetting(f"--config {given}: no such file")
    if os.path.isdir(path):
        raise BadSetting(f"--config {given}: is a folder; name the YAML file in it")
    return path


def _flags_used(given: Given) -> list[str]:
    flags = []
    if given.config_path is not None:
        flags.append("--config")
    if given.debug:
        flags.append("--debug")
    flags += [flag for flag, _key, text in _as_settings(given) if text is not None]
    return flags


def environment_layer(
    environ: Mapping[str, str], warnings: list[str], unread: dict[str, str] | None = None
) -> Layer:
    """Read every variable of the table; what is not allowed becomes a warning.

    `unread` is told which limits on money are among that.

    Raises:
        BadSetting: it is one whose default may not stand in for it.
    """
    layer: Layer = {}
    for setting in SETTINGS:
        text = environ.get(setting.env) if setting.env else None
        if setting.env is None or text is None:
            continue
        if setting.env == "DEBUG":
            layer |= _debug_layer(text, warnings)
            continue
        if not text.strip():
            # A variable set to nothing is the usual way to unset it.
            continue
        try:
            value = setting.shape.from_text(text)
        except NotOfShape as refused:
            if setting.stops_from_env:
                raise BadSetting(
                    f"{setting.env} {refused} ({setting.key}): correct it, or unset it to use the "
                    "value below it"
                ) from refused
            words = (
                f"{setting.env}={quote_value(text)} is ignored: "
                f"{setting.key} must be {setting.allowed}"
            )
            if setting.limits_money and unread is not None:
                words += "; paid calls are refused until it is corrected or unset"
                unread[setting.key] = words
            warnings.append(words)
            continue
        layer[setting.key] = Written(value, Origin("env", setting.env))
    return layer


def _debug_layer(text: str, warnings: list[str]) -> Layer:
    """`DEBUG` is a switch or a path: `1`, `true`, `0`, `false`, empty, or where to write."""
    origin = Origin("env", "DEBUG")
    word = text.strip()
    try:
        return {"server.debug": Written(Flag().from_text(word), origin)}
    except NotOfShape:
        switched_on = {"server.debug": Written(True, origin)}
    if word.isdigit():
        # A level, as other programs have it; more than none is on.
        return switched_on
    if NOT_IN_A_LOG_PATH & set(word):
        warnings.append(
            f"DEBUG={quote_value(text)} is ignored: "
            "server.debug must be 1, true, 0, false or a path"
        )
        return {}
    return switched_on | {"server.debug_file": Written(word, origin)}


def command_line_layer(given: Given) -> Layer:
    """Turn the flags that are settings into a layer."""
    layer: Layer = {}
    if given.debug:
        origin = Origin("cli", "--debug")
        layer["server.debug"] = Written(True, origin)
        if given.debug_path is not None:
            layer["server.debug_file"] = Written(given.debug_path, origin)
    for flag, key, text in _as_settings(given):
        if text is not None:
            layer[key] = Written(_parse_flag(flag, key, text), Origin("cli", flag))
    return layer


def _as_settings(given: Given) -> tuple[tuple[str, str, str | None], ...]:
    """The flags whose value is that of a setting."""
    return (
        ("--http", "http.bind", given.http_bind),
        ("--workers", "http.workers", given.http_workers),
        ("--manuals", "manuals.root", given.manuals_root),
        ("--vault", "vault.root", given.vault_root),
    )


def _parse_flag(flag: str, key: str, text: str) -> Any:
    try:
        return BY_KEY[key].shape.from_text(text)
    except NotOfShape as refused:
        raise BadSetting(f"{flag} {refused}") from refused

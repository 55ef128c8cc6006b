"""`server.json` of the MCP registry and the manifest of the `.mcpb` bundle, made from the code.

Written by `docs/generate.py`, so the version, the tools and the variables stand in one place.
"""

from __future__ import annotations

import json
from typing import Any

from tebiki import __version__
from tebiki.app.faces import TEBIKI
from tebiki.config.schema import SETTINGS

REGISTRY_NAME = "io.github.tebiki/tebiki"
"""The registry takes it only from whoever owns the name; the README repeats it as proof."""

KEY = "OPENAI_API_KEY"
KEY_DOC = "OpenAI API key; only the web answers and the web search need it."
FOLDERS = ("MANUALS_ROOT", "VAULT_ROOT")


def server_json() -> str:
    """The registry's entry."""
    docs = {setting.env: setting.doc for setting in SETTINGS}
    variables: list[dict[str, Any]] = [{"name": KEY, "description": KEY_DOC, "isSecret": True}]
    variables += [
        {"name": name, "description": docs[name], "format": "filepath"} for name in FOLDERS
    ]
    return _text(
        {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": REGISTRY_NAME,
            "title": "tebiki",
            "description": "Cited web answers, web search, your manuals and a safe notes vault.",
            "version": __version__,
            "packages": [
                {
                    "registryType": "pypi",
                    "identifier": "tebiki",
                    "version": __version__,
                    "runtimeHint": "uvx",
                    "transport": {"type": "stdio"},
                    "packageArguments": [{"type": "named", "name": "--stdio"}],
                    "environmentVariables": variables,
                }
            ],
        }
    )


def bundle_manifest(tools: list[dict[str, Any]]) -> str:
    """The manifest of the bundle: `uv` brings Python and what is depended on."""
    return _text(
        {
            "manifest_version": "0.4",
            "name": "tebiki",
            "display_name": "tebiki 手引き",
            "version": __version__,
            "description": TEBIKI.summary,
            "author": {"name": "The tebiki contributors"},
            "license": "MIT",
            "server": {
                "type": "uv",
                "entry_point": "src/tebiki/__main__.py",
                "mcp_config": {
                    "command": "uv",
                    "args": ["run", "--no-dev", "--directory", "${__dirname}", "tebiki", "--stdio"],
                    "env": {
                        KEY: "${user_config.openai_api_key}",
                        "MANUALS_ROOT": "${user_config.manuals}",
                        "VAULT_ROOT": "${user_config.vault}",
                    },
                },
            },
            "user_config": {
                "openai_api_key": {
                    "type": "string",
                    "title": "OpenAI API key",
                    "description": KEY_DOC,
                    "sensitive": True,
                    "required": False,
                    "default": "",
                },
                "manuals": _folder("Manuals", "Folder whose folders are your manuals.", "manuals"),
                "vault": _folder("Notes", "Folder of your notes.", "vault"),
            },
            "tools": [{"name": tool["name"], "description": tool["description"]} for tool in tools],
            "compatibility": {"runtimes": {"python": ">=3.11"}},
        }
    )


def _folder(title: str, description: str, name: str) -> dict[str, Any]:
    return {
        "type": "directory",
        "title": title,
        "description": description,
        "required": False,
        "default": f"${{HOME}}/Documents/tebiki/{name}",
    }


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

"""`tebiki token …`: makes, lists and ends the bearer tokens of the HTTP server."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.cli.parsers import CommandParser
from tebiki.web.tokens import PREFIX, TokenFile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tebiki.app.faces import Face

TOKEN_BYTES = 32


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the tokens; 1 when there was nothing to show."""
    typed = parser().parse_args(words)
    settings = shared.open_app(face, typed.config, ()).loaded.settings
    file = TokenFile(os.path.expanduser(settings.text("http.token_file")))
    action: Callable[[TokenFile, argparse.Namespace], int] = typed.action
    return action(file, typed)


def _new(file: TokenFile, typed: argparse.Namespace) -> int:
    token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    file.add(typed.name, token)
    return shared.show(typed, {"name": typed.name, "token": token}, token)


def _ls(file: TokenFile, typed: argparse.Namespace) -> int:
    names = [entry.name for entry in file.entries()]
    words = "\n".join(names) or "No tokens yet: tebiki token new NAME makes one."
    return shared.show(typed, names, words, found=bool(names))


def _rm(file: TokenFile, typed: argparse.Namespace) -> int:
    file.remove(typed.name)
    return shared.show(typed, {"removed": typed.name}, f"{typed.name} is no token any more")


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki token",
        description=(
            "Bearer tokens for tebiki --http. A token is shown once; only its hash is kept."
        ),
    )
    for name, action, doc in (
        ("new", _new, "Make a token and print it."),
        ("ls", _ls, "List the names."),
        ("rm", _rm, "End a token."),
    ):
        added = made.add_action(name, action, doc)
        if action is not _ls:
            added.add_argument("name", help="who or what uses it")
    return made

"""`tebiki token …`: makes, lists and ends the bearer tokens of the HTTP server."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.cli.parsers import CommandParser
from tebiki.named_tuples import NamedTuple
from tebiki.web.tokens import PREFIX, TokenFile, entries_of
from tebiki.web.tokens_in_force import left_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tebiki.app.faces import Face
    from tebiki.web.tokens import StoredToken

TOKEN_BYTES = 32


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the tokens; 1 when there was nothing to show."""
    typed = parser().parse_args(words)
    settings = shared.open_app(face, typed.config, ()).loaded.settings
    tokens = TokensInForce(
        TokenFile(os.path.expanduser(settings.text("http.token_file"))),
        entries_of(settings["http.tokens"], "http.tokens"),
        settings["http.oauth.issuer"],
    )
    action: Callable[[TokensInForce, argparse.Namespace], int] = typed.action
    return action(tokens, typed)


class TokensInForce(NamedTuple):
    """The file of tokens, and what is in force beside it."""

    file: TokenFile
    configured: tuple[StoredToken, ...]
    issuer: str | None

    def in_force(self) -> str:
        """What the server takes, in words."""
        names = [entry.name for entry in (*self.file.entries(), *self.configured)]
        return left_words(names, self.file.path, self.issuer)


def _new(tokens: TokensInForce, typed: argparse.Namespace) -> int:
    token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    tokens.file.add(typed.name, token)
    return shared.show(typed, {"name": typed.name, "token": token}, token)


def _ls(tokens: TokensInForce, typed: argparse.Namespace) -> int:
    names = [entry.name for entry in tokens.file.entries()]
    words = "\n".join(names)
    if not names:
        words = "No tokens yet: tebiki token new NAME makes one."
        if os.path.lexists(tokens.file.path):
            # There were some: a server does not open its door because they are gone.
            words = tokens.in_force()
    return shared.show(typed, names, words, found=bool(names))


def _rm(tokens: TokensInForce, typed: argparse.Namespace) -> int:
    tokens.file.remove(typed.name)
    words = f"{typed.name} is no token any more.\n{tokens.in_force()}"
    return shared.show(typed, {"removed": typed.name}, words)


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

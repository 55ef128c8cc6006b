"""The only printer of the command line: values in, text on the right stream out.

Whatever is printed for people is made safe for a terminal first; colours are added here and nowhere
else, and only on a terminal whose user has not said no.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from tebiki.config.sources import terminal_wishes
from tebiki.errors import UnwritableOutput
from tebiki.named_tuples import NamedTuple
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.config.sources import Loaded

COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}


class Styled(NamedTuple):
    """A piece of a line and its colour."""

    text: str
    style: str


class Screen(NamedTuple):
    """What a person is looking at: which streams are a terminal, and how wide it is."""

    out: bool
    err: bool
    width: int


def screen() -> Screen:
    """Look at the streams; one that takes no cursor moves counts as no terminal for progress."""
    import shutil  # only for those who lay something out

    moves = terminal_wishes().moves
    width = shutil.get_terminal_size().columns
    return Screen(_is_terminal(sys.stdout), moves and _is_terminal(sys.stderr), width)


def shows(signs: str) -> bool:
    """Tell whether the output can hold these signs."""
    try:
        signs.encode("utf-8" if sys.stdout is None else sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def out(text: str) -> None:
    """Print what was asked for, for people."""
    from tebiki.cli.plain import visible  # not on the way to the first answer

    _write(sys.stdout, _end_line(visible(text)))


def out_text(text: str) -> None:
    """Print text exactly as it is, but to a terminal only what is safe there."""
    if _is_terminal(sys.stdout):
        from tebiki.cli.plain import visible  # as above

        text = visible(text)
    _write(sys.stdout, text)


def end_line(text: str) -> None:
    """End the line of a text on a terminal, where a prompt follows; elsewhere it stays exact."""
    if text and not text.endswith("\n") and _is_terminal(sys.stdout):
        _write(sys.stdout, "\n")


def out_line(*parts: str | Styled) -> None:
    """Print one line, coloured where that is wanted."""
    _write(sys.stdout, _paint(sys.stdout, parts))


def err_line(*parts: str | Styled) -> None:
    """Print one line beside the output, coloured where that is wanted."""
    _write(sys.stderr, _paint(sys.stderr, parts))


def err_moves(text: str) -> None:
    """Write to the terminal beside the output as it is, cursor moves included."""
    _write(sys.stderr, text)


def out_json(value: Any) -> None:
    """Print a value for a program."""
    from tebiki.cli.plain import json_text  # as above

    _write(sys.stdout, json_text(value) + "\n")


def complain(name: str, line: str, secret: str | None) -> None:
    """Print one line on stderr; what it repeats of the user's own words may hold the key."""
    from tebiki.cli.plain import one_line  # only when something is wrong

    _write(sys.stderr, Redactor(secret).clean(f"{name}: {one_line(line)}\n"))


def complain_whole(text: str, secret: str | None) -> None:
    """Print lines on stderr, without what only a terminal would obey and without the key."""
    from tebiki.cli.plain import visible  # only when something is wrong

    _write(sys.stderr, Redactor(secret).clean(visible(text)))


def show_config(loaded: Loaded, clean: Callable[[str], str], *, origins: bool) -> None:
    """Print the settings in force as one JSON document on stderr."""
    from tebiki.cli.plain import json_text  # only when asked for
    from tebiki.cli.settings_document import document

    _write(sys.stderr, json_text(document(loaded, clean, origins=origins)) + "\n")


def let_go() -> None:
    """Send what is still to be written nowhere: whoever read it has left, or has no room."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _end_line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _paint(stream: TextIO | None, parts: tuple[str | Styled, ...]) -> str:
    from tebiki.cli.plain import visible  # as above

    coloured = _is_terminal(stream) and terminal_wishes().colours
    line = ""
    for part in parts:
        if isinstance(part, Styled) and coloured:
            line += f"\x1b[{COLOURS[part.style]}m{visible(part.text)}\x1b[0m"
        else:
            line += visible(part.text if isinstance(part, Styled) else part)
    return _end_line(line)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _write(stream: TextIO | None, text: str) -> None:
    """Python has no stream object for a descriptor that was closed at the start."""
    if stream is None:
        return
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            # An output that is not UTF-8; most of the text is better than none.
            encoding = stream.encoding
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as refused:
        words = f"the output cannot be written: {refused.strerror or refused}"
        raise UnwritableOutput(words) from refused

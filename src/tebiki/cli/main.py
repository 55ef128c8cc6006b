"""The one `main` of every command: read the arguments, load the settings, do what was asked."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.cli import render
from tebiki.cli.arguments import Arguments, chosen_tools, read_arguments
from tebiki.cli.commands import DONE, INTERRUPTED, WRONG, run_command
from tebiki.config.sources import Given, known_key, load
from tebiki.errors import TebikiError, UnwritableOutput, UsageError
from tebiki.system.descriptors import fill_closed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.app.faces import Face


def main(face: Face, argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    closed = fill_closed()
    try:
        code = run_command(face, words)
        return _run(face, read_arguments(face, words), closed) if code is None else code
    except UnwritableOutput as wrong:
        render.let_go()
        with suppress(UnwritableOutput):
            render.complain(face.name, f"error: {wrong}", known_key())
        return WRONG
    except TebikiError as wrong:
        _complain(face, words, wrong)
        return WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        render.let_go()
        return DONE
    except Exception as bug:  # noqa: BLE001  (the last boundary: a person gets words)
        words_for_it = f"internal error: {type(bug).__name__} (please report it)"
        render.complain(face.name, words_for_it, known_key())
        if _has_json(face, words):
            render.out_json({"error": {"code": "internal_error", "message": words_for_it}})
        if "--debug" in words:
            import traceback  # only when something is wrong

            render.complain_whole(traceback.format_exc(), known_key())
        return WRONG


def _complain(face: Face, words: Sequence[str], failure: TebikiError) -> None:
    """Say on stderr what went wrong; a program that asked for JSON gets that on stdout, too."""
    from tebiki.cli import failing  # only when something is wrong

    message = failing.message_of(failure) if face.chooses_toolsets else str(failure)
    render.complain(face.name, f"error: {message}", known_key())
    if _has_json(face, words):
        render.out_json(failing.document(failure, message, known_key()))


def _has_json(face: Face, words: Sequence[str]) -> bool:
    from tebiki.cli.failing import wants_json  # as above

    return face.chooses_toolsets and wants_json(words)


def _run(face: Face, arguments: Arguments, closed: set[int]) -> int:
    if arguments.version:
        render.out(__version__)
        return DONE
    if arguments.help or arguments == Arguments():
        from tebiki.cli.help import help_text  # only when asked for

        render.out(help_text(face))
        return DONE
    if not (arguments.stdio or arguments.http or arguments.show_config):
        raise UsageError("say what to do: --stdio serves, --show-config prints (see --help)")
    if arguments.stdio and arguments.http:
        raise UsageError("one process serves one way: choose --stdio or --http")
    if arguments.stdio and closed & {0, 1}:
        # Started with a closed input or output: there is nobody to serve.
        return DONE
    return _show_and_serve(face, arguments)


def _show_and_serve(face: Face, arguments: Arguments) -> int:
    from tebiki.app.app import App  # not for --help and --version

    chosen = chosen_tools(face, arguments)
    given = Given(
        arguments.config,
        arguments.debug,
        arguments.debug_path,
        http_bind=arguments.http_bind,
        http_workers=arguments.workers,
    )
    loaded = load(given, face.config_path)
    app = App(face, loaded, chosen.toolsets, tools=chosen.tools, read_only=arguments.read_only)
    if arguments.show_config or loaded.settings.flag("server.show_config_on_start"):
        render.show_config(loaded, app.log.clean, origins=arguments.origins)
    else:
        for warning in loaded.warnings:
            app.log.warning(warning)
    if arguments.stdio and sys.stdin is not None and sys.stdin.isatty():
        render.err_line(
            f"{face.name} waits for an MCP client on standard input, and this is a terminal; "
            "Ctrl-D ends it, --help lists the commands for people."
        )
    if arguments.stdio:
        from tebiki.app.stdio import serve_stdio  # nor for --show-config

        serve_stdio(app)
    if arguments.http:
        from tebiki.app.http import require_extra, serve_http  # a stdio server does without it

        require_extra()
        from tebiki.screens.page import make_page

        serve_http(app, make_page)
    return DONE

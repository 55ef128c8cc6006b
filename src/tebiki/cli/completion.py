"""`tebiki completion SHELL`: a script by which the shell completes our commands and flags.

Each script finds the place by the words already typed and offers what the tree knows there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli import render
from tebiki.cli.commands import DONE
from tebiki.cli.completion_powershell import powershell
from tebiki.cli.completion_tree import tree
from tebiki.cli.parsers import CommandParser

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.app.faces import Face
    from tebiki.cli.completion_tree import CompletionFlag, CompletionNode

BASH = """\
# Completion of {name} for bash. In ~/.bashrc: source <({name} completion bash)
_{name}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at= words= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at/${{COMP_WORDS[i]}}" in
            {places}) at="$at/${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$at $prev" in
{values}
    esac
    case "$at" in
{words}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case "$at" in
        {asking}) [[ $cur == -* ]] || _{name}_values ;;
    esac
}}
_{name}_values() {{
    local one
    while IFS= read -r one; do
        COMPREPLY+=("$one")
        [[ $one == */ ]] && compopt -o nospace 2>/dev/null
    done < <("${{COMP_WORDS[0]}}" completion --values "$cur" \
        "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" 2>/dev/null)
    compopt -o filenames 2>/dev/null
    return 0
}}
complete -F _{name} {name}
"""

ZSH = """\
#compdef {name}
# Completion of {name} for zsh. In ~/.zshrc, after compinit: source <({name} completion zsh)
_{name}() {{
    local at= word
    local -a found
    for word in ${{words[2,CURRENT-1]}}; do
        case "$at/$word" in
            ({places}) at="$at/$word" ;;
        esac
    done
    case "$at ${{words[CURRENT-1]}}" in
{values}
    esac
    case "$at" in
{words}
    esac
    _describe {name} found
    case "$at" in
        ({asking}) [[ ${{words[CURRENT]}} == -* ]] || _{name}_values ;;
    esac
}}
_{name}_values() {{
    local -a values
    values=(${{(f)"$(${{(Q)words[1]}} completion --values "${{(Q)words[CURRENT]}}" \
        "${{(@Q)words[2,CURRENT-1]}}" 2>/dev/null)"}})
    compadd -S '' -- ${{(M)values:#*/}}
    compadd -- ${{values:#*/}}
}}
if [ "$funcstack[1]" = "_{name}" ]; then _{name} "$@"; else compdef _{name} {name}; fi
"""

FISH = """\
# Completion of {name} for fish. In config.fish: {name} completion fish | source
function __{name}_at
    set -l at ''
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $typed
        switch "$at/$word"
            case {places}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
function __{name}_values
    set -l typed (commandline -opc)
    $typed[1] completion --values (commandline -ct) $typed[2..-1] 2>/dev/null
end
complete -c {name} -f
{words}
"""


def run(face: Face, words: list[str]) -> int:
    """Print the script, or what a script asks for while something is typed."""
    if words[:1] == [ASKED_BY_SCRIPTS]:
        from tebiki.cli.completion_values import values_for  # a script needs no engine

        current, *before = words[1:] or [""]
        render.out_text("".join(f"{one}\n" for one in values_for(face, current, before)))
        return DONE
    typed = parser().parse_args(words)
    render.out(SHELLS[typed.shell](face.name, tree(face)))
    return DONE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki completion",
        description="Print a script by which your shell completes commands and flags; its first "
        "lines tell where to put it.",
    )
    made.add_argument("shell", choices=tuple(SHELLS), help="your shell")
    return made


def bash(name: str, nodes: list[CompletionNode]) -> str:
    """The script for bash."""
    # A name may hold blanks; older shells have no compopt and complete without it.
    files = (
        "local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))"
    )
    values = [
        f"        {' | '.join(_quote(f'{node.key} {one}') for one in flag.names)}) "
        + (files if flag.takes_file else _offer_in_bash(name, flag))
        + "; return ;;"
        for node in nodes
        for flag in node.flags
        if flag.takes_value
    ]
    words = [
        f"        {_quote(node.key)}) words={_quote(' '.join(word for word, _ in node.offers))} ;;"
        for node in nodes
    ]
    return _fill(BASH, name, nodes, values, words)


def zsh(name: str, nodes: list[CompletionNode]) -> str:
    """The script for zsh."""
    values = [
        f"        ({' | '.join(_quote(f'{node.key} {one}') for one in flag.names)}) "
        + _offer_in_zsh(name, flag)
        + " ;;"
        for node in nodes
        for flag in node.flags
        if flag.takes_value
    ]
    words = [
        f"        ({_quote(node.key)}) "
        f"found=({' '.join(_quote(f'{word}:{doc}') for word, doc in node.offers)}) ;;"
        for node in nodes
    ]
    return _fill(ZSH, name, nodes, values, words)


def _fill(
    script: str, name: str, nodes: list[CompletionNode], values: list[str], words: list[str]
) -> str:
    return script.format(
        name=name,
        asking=" | ".join(node.key for node in nodes if node.asks),
        places=" | ".join(node.key for node in nodes if node.at),
        values="\n".join(values),
        words="\n".join(words),
    )


def fish(name: str, nodes: list[CompletionNode]) -> str:
    """The script for fish."""
    lines = []
    for node in nodes:
        start = f"complete -c {name} -n {_fish_quoted(f'__{name}_at {_fish_quoted(node.key)}')}"
        lines += [f"{start} -a {word} -d {_fish_quoted(doc)}" for word, doc in node.words]
        lines += [f"{start} {_fish_flag(name, flag)}" for flag in node.flags]
        lines += [f"{start} -a '(__{name}_values)'"] if node.asks else []
    places = " ".join(node.key for node in nodes if node.at)
    return FISH.format(name=name, places=places, words="\n".join(lines))


SHELLS: dict[str, Callable[[str, list[CompletionNode]], str]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
    "powershell": powershell,
}
ASKED_BY_SCRIPTS = "--values"
"""The word by which a script asks for what only the disk knows; not for people."""


def _fish_flag(name: str, flag: CompletionFlag) -> str:
    names = " ".join(
        f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in flag.names
    )
    takes = ""
    if flag.takes_file:
        takes = " -r -F"
    elif flag.kind is not None:
        takes = f" -x -a '(__{name}_values)'"
    elif flag.takes_value:
        takes = " -x" + (f" -a {_fish_quoted(' '.join(flag.choices))}" if flag.choices else "")
    return f"{names}{takes} -d {_fish_quoted(flag.doc)}"


def _offer_in_bash(name: str, flag: CompletionFlag) -> str:
    """What bash offers after a flag: its choices, or nothing where nobody can guess."""
    if flag.kind is not None:
        return f"COMPREPLY=(); _{name}_values"
    if not flag.choices:
        return "COMPREPLY=()"
    return f'COMPREPLY=($(compgen -W {_quote(" ".join(flag.choices))} -- "$cur"))'


def _offer_in_zsh(name: str, flag: CompletionFlag) -> str:
    if flag.takes_file:
        return "_files; return"
    if flag.kind is not None:
        return f"_{name}_values; return"
    return f"compadd -- {' '.join(flag.choices)}; return" if flag.choices else "return 1"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

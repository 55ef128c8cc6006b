"""The completion script for PowerShell, on Windows and elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.cli.completion_tree import CompletionFlag, CompletionNode

SCRIPT = """\
# Completion of {name} for PowerShell. In $PROFILE:
# {name} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName {name} -ScriptBlock {{
    param($wordToComplete, $commandAst, $cursorPosition)
    $places = @{{
{words}
    }}
    $values = @{{
{values}
    }}
    $asking = @({asking})
    $typed = @($commandAst.CommandElements | Where-Object {{
        $_.Extent.EndOffset -lt $cursorPosition -or $_.Extent.Text -ne $wordToComplete
    }} | ForEach-Object {{ $_.ToString().Trim("'", '"') }})
    $before = @($typed | Select-Object -Skip 1)
    $at = ''
    foreach ($word in $before) {{
        if ($places.ContainsKey("$at/$word")) {{ $at = "$at/$word" }}
    }}
    $last = if ($before.Count) {{ $before[-1] }} else {{ '' }}
    $key = "$at $last"
    if ($values.ContainsKey($key)) {{
        $offered = $values[$key]
        if ($null -eq $offered) {{ return }}
    }} else {{
        $offered = $places[$at]
    }}
    if ($asking -contains $at -or $asking -contains $key) {{
        if (-not $wordToComplete.StartsWith('-')) {{
            $known = @(& $typed[0] completion --values "$wordToComplete" @before 2>$null)
            $offered = @($offered) + $known
        }}
    }}
    $offered | Where-Object {{ $_ -and $_.StartsWith($wordToComplete) }} | ForEach-Object {{
        $text = if ($_ -match "[\\s'``\"]") {{ "'" + $_.Replace("'", "''") + "'" }} else {{ $_ }}
        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }}
}}
"""


def powershell(name: str, nodes: list[CompletionNode]) -> str:
    """The script for PowerShell; after a flag that takes a file the shell completes by itself."""
    with_values = [
        (f"{node.key} {one}", flag)
        for node in nodes
        for flag in node.flags
        if flag.takes_value
        for one in flag.names
    ]
    asking = [node.key for node in nodes if node.asks]
    asking += [key for key, flag in with_values if flag.kind is not None]
    return SCRIPT.format(
        name=name,
        words="\n".join(
            f"        {_quote(node.key)} = {_list(word for word, _ in node.offers)}"
            for node in nodes
        ),
        values="\n".join(f"        {_quote(key)} = {_values(flag)}" for key, flag in with_values),
        asking=", ".join(map(_quote, asking)),
    )


def _values(flag: CompletionFlag) -> str:
    return "$null" if flag.takes_file else _list(flag.choices)


def _list(words: Iterable[str]) -> str:
    return f"@({', '.join(map(_quote, words))})"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

"""The prompts: tasks that a person picks, each one message that names the tools to use.

Written in Japanese where an argument is, else in English. Which of them are offered is told by the
tools that are served.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.server.enquiries import Prompt, PromptArgument
from tebiki.tools import prompt_words as words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.server.enquiries import Suggestions, Typed

    Suggest = Callable[[Typed], Suggestions]

JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d]")
"""Kana and the characters that Japanese shares with Chinese: half-width ones too."""

UNNAMED = "choose one from what manual_ls lists"
UNNAMED_JA = "manual_ls の一覧から選ぶ"


def prompts(suggest_manual: Suggest, suggest_folder: Suggest) -> list[Prompt]:
    """Every prompt, in listing order."""
    manual = PromptArgument(
        "manual", "Id of the manual, as manual_ls lists it.", required=True, suggest=suggest_manual
    )
    question = PromptArgument("question", "What you want to know.", required=True)
    return [
        Prompt(
            "grounded_answer",
            "Answer from the manuals",
            "Answer a question from your manuals alone, with a citation for each statement.",
            (question, manual._replace(required=False)),
            _grounded_answer,
        ),
        Prompt(
            "exhaustive_audit",
            "Find everything on a topic",
            "Collect everything a manual says about a topic, with contradictions and gaps.",
            (PromptArgument("topic", "What to look for.", required=True), manual),
            _in_language(words.EXHAUSTIVE_AUDIT, words.EXHAUSTIVE_AUDIT_JA),
        ),
        Prompt(
            "cross_check",
            "Check a manual against the web",
            "Compare what a manual says with the web: agreements, contradictions with dates, and "
            "what either is silent about.",
            (question, manual),
            _in_language(words.CROSS_CHECK, words.CROSS_CHECK_JA),
        ),
        Prompt(
            "save_answer",
            "Save the answer as a note",
            "Save the last answer with its citations as a note in the vault.",
            (
                PromptArgument(
                    "path",
                    "Path of the new note, such as ideas/a.md.",
                    required=True,
                    suggest=suggest_folder,
                ),
            ),
            _in_language(words.SAVE_ANSWER, words.SAVE_ANSWER_JA),
        ),
    ]


def _in_language(english: str, japanese: str) -> Callable[[Mapping[str, str]], str]:
    def write(given: Mapping[str, str]) -> str:
        return (japanese if _is_japanese(given) else english).format_map(given)

    return write


def _grounded_answer(given: Mapping[str, str]) -> str:
    manual = given.get("manual")
    if _is_japanese(given):
        choose = "" if manual else "、使うマニュアルを選び"
        filled = {**given, "manual": manual or UNNAMED_JA, "choose": choose}
        return words.GROUNDED_ANSWER_JA.format_map(filled)
    choose = "" if manual else " and choose the manual"
    return words.GROUNDED_ANSWER.format_map(
        {**given, "manual": manual or UNNAMED, "choose": choose}
    )


def _is_japanese(given: Mapping[str, str]) -> bool:
    return any(JAPANESE.search(value) for value in given.values())

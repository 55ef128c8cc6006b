"""What the server says on the page stands in both languages, sentence by sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tebiki.config.schema import SETTINGS
from tebiki.doctor.holdings import LEFT_OUT
from tebiki.manuals.documents.reasons import WORDS
from tebiki.screens.languages import sentences, translator
from tebiki.values.phrases import as_is, counted_phrase, listed, phrase

SOURCES = Path(__file__).parents[2] / "src" / "tebiki"
MAKERS = {"phrase", "counted_phrase"}
PLACE = re.compile(r"\{(\w+)\}")
KANA = re.compile("[ぁ-んァ-ヶ一-龠、。（）]")


def templates() -> set[str]:
    """Every sentence of which the sources make phrases, read from the sources."""
    found: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        if path.name == "phrases.py":
            found |= {"{words}", "{first}, {second}"}
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS:
                for argument in node.args:
                    if getattr(node.func, "id", "") == "phrase":
                        assert isinstance(argument, ast.Constant), (path.name, node.lineno)
                    if isinstance(argument, ast.Constant):
                        found.add(str(argument.value))
    return found


def test_every_sentence_is_in_the_table_and_none_besides() -> None:
    """What the doctor finds, what a setting is for, what an answer's progress says."""
    said = {*templates(), *(setting.doc for setting in SETTINGS)}

    assert set(sentences("ja")) == said


def test_translations_keep_what_is_filled_in_and_are_japanese() -> None:
    """The same places in each; something in it that only Japanese has, or nothing but places."""
    for english, japanese in sentences("ja").items():
        assert set(PLACE.findall(english)) == set(PLACE.findall(japanese)), english
        assert KANA.search(japanese) or not re.search("[A-Za-z]{4}", PLACE.sub("", japanese)), (
            english
        )


def test_code_words_of_settings_stay() -> None:
    """Names in backticks are what a reader types, in any language."""
    for setting in SETTINGS:
        japanese = sentences("ja")[setting.doc]
        assert set(re.findall("`[^`]+`", setting.doc)) <= set(re.findall("`[^`]+`", japanese)), (
            setting.key
        )


def test_every_reason_for_leaving_a_file_out_has_its_words() -> None:
    """A new reason needs a word for the doctor."""
    assert set(LEFT_OUT) == set(WORDS)


def test_a_phrase_is_said_with_its_parts() -> None:
    """Phrases within phrases too; a user's words stay."""
    files = counted_phrase(2, "{n} file", "{n} files")
    words = phrase("{manual}: {files}, {sections}", manual="保険 {x}", files=files, sections="5")

    assert words == "保険 {x}: 2 files, 5"
    assert translator("ja")(words) == "保険 {x}: ファイル 2 件、5"
    assert translator("en")(words) == words
    assert translator("ja")(listed(["a {b}", as_is("c")])) == "a {b}、c"
    assert translator("ja")("said by somebody") == "said by somebody"
    named_like_a_sentence = phrase("{manual} was never published", manual="gone")
    assert translator("ja")(named_like_a_sentence) == "gone はまだ公開されていません"
    assert translator("ja")(as_is("gone")) == "gone"

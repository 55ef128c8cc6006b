"""What is asked for by its name comes first: a heading, a file, the page of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = """# 保険金の請求
## 請求に必要な書類
### 入院
診断書と領収書を添えます。
### 事故
事故の証明を添えます。
## 窓口
保険金の請求の窓口は各支店です。必要な書類は郵送もできます。
"""
BACKUPS = """# Backups
## Restore a deleted folder
### On Windows
Right-click it and choose a version.
### On Linux
Run the command with its path.
## Schedule
Backups of a folder are made every hour; a deleted one is kept.
"""
RELEASES = """# Deploy
## How do I roll back a release?
### With the console
Choose a version.
## Releases
Do not roll back a release on Friday. A release takes time to roll back.
"""
PASSWORDS = """# 端末
## パスワードを忘れたとき
### 社員
情報部に連絡します。
## パスワード
パスワードは12文字以上です。忘れたときのためにパスワードを書き留めてはいけません。
"""


def first(manual: Searchable, query: str, *terms: str) -> tuple[str, str]:
    """Where the best hit is, and its heading."""
    row = manual.ask(query, *terms).lists["candidates"][0]
    return row["ref"]["path"], row["title"]


def write_others(manual: Searchable) -> None:
    """Pages about something else: in a manual of two pages every word is common."""
    for number in range(20):
        manual.write(f"x{number}.md", f"# Page {number}\nSomething else, in other words.\n")


@pytest.mark.requirement("manuals:ranking:asked-by-name")
@pytest.mark.parametrize(
    ("text", "question", "term"),
    [
        (CLAIMS, "請求に必要な書類", "書類"),
        (BACKUPS, "restore a deleted folder", "folder"),
        (BACKUPS, "Restore a deleted folder?", "restore"),
        (RELEASES, "How do I roll back a release?", "release"),
        (PASSWORDS, "パスワードを忘れたとき", "パスワード"),
    ],
)
def test_a_heading_that_is_the_question_comes_first(
    tmp_path: Path, text: str, question: str, term: str
) -> None:
    """Although nothing but other headings stands right below it."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", text)
    manual.write("b.md", "# 契約\n契約の更新に必要な書類は別に送ります。\n")
    write_others(manual)

    assert (
        first(manual, question, term)[1].rstrip("?").casefold() == question.rstrip("?").casefold()
    )


@pytest.mark.requirement("manuals:ranking:asked-by-name")
def test_a_bare_heading_that_is_not_the_question_stays_behind(tmp_path: Path) -> None:
    """One that shares a word with it answers nothing."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 書類\n## 書類の保管\n### 期間\n保管は5年です。\n")
    manual.write("b.md", "# 手続き\n請求に必要な書類は領収書です。\n")

    assert first(manual, "請求に必要な書類", "書類") == ("b.md", "手続き")


@pytest.mark.requirement("manuals:ranking:asked-by-name")
@pytest.mark.parametrize("question", ["がん特約の支払事由", "給付金はいつ支払われますか"])
def test_a_file_named_for_the_required_word_comes_before_those_that_mention_it(
    tmp_path: Path, question: str
) -> None:
    """Its own sections need not repeat what the whole file is about."""
    manual = Searchable(tmp_path, None)
    terms = "# 総則\nこの特約は主契約に付加します。\n## 支払事由\n{}給付金を支払います。{}\n"
    own = terms.format("被保険者が診断確定されたとき、", "")
    other = terms.format("入院したとき", "がん特約の支払事由に該当するときも支払います。")
    manual.write("約款編 がん特約.md", own)
    manual.write("約款編 医療特約.md", other)
    manual.write("ご案内.md", "# 一覧\n## 支払事由\nがん特約の支払事由は約款で定めます。\n")

    assert first(manual, question, "がん特約") == ("約款編 がん特約.md", "支払事由")


@pytest.mark.requirement("manuals:ranking:asked-by-name")
def test_a_file_is_named_for_a_word_that_marks_part_too(tmp_path: Path) -> None:
    """A model's number among other words, the dash in it as well."""
    manual = Searchable(tmp_path, None)
    manual.write("KD-700 取扱説明書.md", "# 清掃\nブラシで清掃します。\n")
    manual.write("一覧.md", "# 一覧\nKD-700の清掃は月1回です。KD-700とKD-500の清掃の違い。\n")
    write_others(manual)

    assert first(manual, "清掃の方法", "KD-700")[0] == "KD-700 取扱説明書.md"


@pytest.mark.requirement("manuals:ranking:asked-by-name")
def test_a_word_of_a_long_title_does_not_name_the_file(tmp_path: Path) -> None:
    """The part is told where it counts, and nowhere else."""
    manual = Searchable(tmp_path, None)
    manual.write("claims.md", "# A\nClaims are paid.\n")
    manual.write("how-we-handle-claims-in-the-northern-offices.md", "# B\nClaims wait.\n")

    rows = manual.ask("how are claims paid", "claims").lists["candidates"]

    named = {
        row["ref"]["path"]: any(
            part.startswith("term_in_file_name=") for part in row["rank_explain"]
        )
        for row in rows
    }
    assert named == {"claims.md": True, "how-we-handle-claims-in-the-northern-offices.md": False}


HUB = "# Overview\nAnimations on a page: what they are, with links to more.\n"
BELOW = """# Keyframes of an animation
An animation moves things on a page. Animations have a duration. An animation is declared with
keyframes, and animations on a page repeat.
## Example
The animation of this page runs twice on a page.
"""


@pytest.mark.requirement("manuals:ranking:asked-by-name")
@pytest.mark.parametrize("hub", ["guides/animations.md", "guides/animations/index.md"])
@pytest.mark.parametrize("question", ["animations on a page", "page animation"])
def test_the_page_of_a_topic_comes_before_the_pages_below_it(
    tmp_path: Path, hub: str, question: str
) -> None:
    """When the question names the topic: those below repeat its words more often."""
    manual = Searchable(tmp_path, None)
    manual.write(hub, HUB)
    manual.write("guides/animations/keyframes.md", BELOW)
    manual.write("guides/animations/easing.md", "# Easing\nAnimations of a page are eased.\n")
    write_others(manual)

    assert first(manual, question, "page")[0] == hub
    assert first(manual, "keyframes of animations", "page")[0] == "guides/animations/keyframes.md"
    assert first(manual, "how is an animation declared", "page")[0] != hub

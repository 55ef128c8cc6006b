"""`python -m bench.facts MANUALS MANUAL_ID [--count N] [--noise]`: questions about facts.

Made from a manual itself, for `tebiki eval` and `make eval`: each is 55 % of the words of one
sentence, in their order; with `--noise` half as many words of another sentence stand among them.
The same manual and seed give the same questions. One case a line, on the standard output.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tebiki.manuals.documents.parting import sections_of

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT, NOISE = 0.55, 0.5
FEWEST_WORDS, MOST_WORDS = 10, 40
LINKED = re.compile(r"!?\[([^\[\]\n]{0,300}+)\]\([^()\n]{0,300}+\)")
ENDS = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
JAPANESE = re.compile("[ぁ-んァ-ヺ一-龯]")
JAPANESE_WORDS = re.compile("[一-龯々]+|[ァ-ヺー]+|[ぁ-ん]+|[A-Za-z0-9_.-]+")


class Fact(NamedTuple):
    """A sentence by its words, and where it stands."""

    path: str
    start_line: int
    words: list[str]


def facts_in(manual: Path) -> Iterator[Fact]:
    """Every sentence of a manual that is long enough to ask for a part of it; none of code."""
    for file in sorted(manual.rglob("*.md")):
        path = file.relative_to(manual).as_posix()
        for section in sections_of(path, file.read_bytes()):
            is_code = False
            for line in section.text.splitlines():
                if line.lstrip().startswith(("```", "~~~")):
                    is_code = not is_code
                elif not is_code and not line.startswith(("#", "|", "    ")):
                    for words in _sentences(line):
                        yield Fact(path, section.start_line, words)


def _sentences(line: str) -> Iterator[list[str]]:
    plain = LINKED.sub(r"\1", line).replace("`", "").replace("*", "").lstrip("->0123456789. ")
    for sentence in ENDS.split(plain):
        is_japanese = JAPANESE.search(sentence)
        words = JAPANESE_WORDS.findall(sentence) if is_japanese else sentence.split()
        if FEWEST_WORDS <= len(words) <= MOST_WORDS:
            yield words


def cases_of(
    facts: list[Fact], count: int, seed: int, *, noise: bool
) -> Iterator[dict[str, object]]:
    """Questions about some facts; `manual_id` is left to the caller."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    for number, fact in enumerate(chance.sample(facts, min(count, len(facts)))):
        wanted = max(3, round(KEPT * len(fact.words)))
        places = sorted(chance.sample(range(len(fact.words)), wanted))
        asked = [fact.words[place] for place in places]
        if noise:
            others = chance.choice(facts).words
            for word in chance.sample(others, min(len(others), round(NOISE * wanted))):
                asked.insert(chance.randrange(len(asked) + 1), word)
        yield {
            "case_id": f"fact:{number}",
            "query": " ".join(asked),
            "expected_paths": [fact.path],
            "expected_refs": [{"path": fact.path, "start_line": fact.start_line}],
        }


def main() -> None:
    """Write the questions."""
    parser = argparse.ArgumentParser(prog="python -m bench.facts", description=__doc__)
    parser.add_argument("manuals", type=Path)
    parser.add_argument("manual_id")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--noise", action="store_true")
    given = parser.parse_args()
    facts = list(facts_in(given.manuals / given.manual_id))
    for case in cases_of(facts, given.count, given.seed, noise=given.noise):
        print(json.dumps({**case, "manual_id": given.manual_id}, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""What every index store promises, whichever engine is behind it; each runs these same tests.

A store that is written step by step, with edits and removals, is held against one in memory that
was written in one go.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tebiki.manuals.documents.walking import FileStat
from tebiki.manuals.index.batch import Batch
from tebiki.manuals.index.memory_store import MemoryStore
from tebiki.manuals.index.preparing import FileRead, digest_of, prepare_one
from tebiki.manuals.index.values import LINKS, Clause, SectionQuery, place_in
from tebiki.manuals.text.spellings import closest, most_slips

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.manuals.index.protocols import Store
    from tebiki.manuals.index.values import Key, Postings

WORDS = ("alpha", "beta", "gamma", "delta", "printer", "network", "申請", "承認", "期限", "設定")
FIELDS_ASKED = (("body", "title", "trail", "place"), ("title", "trail", "place"), (LINKS,))

GUIDE = """# Guide
The printer needs paper. See [the network page](network.md#cables) for cables.

## Trouble
A printer that is offline; 申請の期限は三日です。
"""
NETWORK = """# Network
Everything about networks.

## Cables
Two cables, and a switch. 承認が要る。
"""


def write(store: Store, files: Mapping[str, str | None]) -> None:
    """Have a store hold some files; those without a text are removed."""
    with store.hold(lambda: False) as is_held:
        assert is_held
        batch = Batch(store, store.state())
        for path, text in files.items():
            if text is None:
                batch.remove(path)
                continue
            data = text.encode()
            stat = FileStat(path, len(data), 1, 1, 1)
            read = FileRead(stat, data, digest_of(data), None, is_known=False, is_settled=True)
            batch.put(read, prepare_one(read, lambda: None))
        batch.finish()


def begun(store: Store) -> Store:
    """A store that can be written."""
    with store.hold(lambda: False):
        store.wipe()
    return store


def in_one_go(files: Mapping[str, str]) -> Postings:
    """The same files in memory."""
    store = begun(MemoryStore())
    write(store, files)
    return store.state().postings


def generated(seed: int, number: int) -> dict[str, str]:
    """Files of a few sections, of words that some of them share."""
    choose = random.Random(seed)  # noqa: S311
    files = {}
    for at in range(number):
        parts = [f"# {' '.join(choose.choices(WORDS, k=2))}"]
        for _ in range(choose.randint(1, 3)):
            parts.append(f"## {choose.choice(WORDS)} {choose.choice(WORDS)}")
            parts.append(" ".join(choose.choices(WORDS, k=choose.randint(3, 40))))
            parts.append(f"See [{choose.choice(WORDS)}](f{choose.randrange(number)}.md).")
        files[f"f{at}.md"] = "\n".join(parts) + "\n"
    return files


def keys(postings: Postings, query: SectionQuery) -> set[Key]:
    """Where the sections for a query are."""
    return {stored.key for stored in postings.best(query)}


class IndexContract:
    """The promises of a store, for a fixture `store` that gives one that is begun."""

    def test_what_is_written_is_found(self, store: Store) -> None:
        """By its words, in every field, by places, by phrases, and with what is stored of it."""
        write(store, {"guide.md": GUIDE, "network.md": NETWORK})
        postings = store.state().postings

        assert postings.sections == 4
        assert postings.frequency("printer") == 2
        assert postings.frequency("nowher") == 0
        assert postings.sections_in(["guide.md"]) == 2
        assert postings.sections_in(["other.md"]) == 0
        assert keys(postings, SectionQuery({"cabl": 1.0}, 5)) == {
            ("guide.md", 1, ""),
            ("network.md", 4, ""),
        }
        assert keys(postings, SectionQuery({"network": 1.0}, 5, fields=(LINKS,))) == {
            ("guide.md", 1, "")
        }
        (found,) = postings.sections_at([place_in("network.md", "cables")])
        assert found.section.title == "Cables"
        assert "Two cables" in found.section.text
        assert postings.file_of("network.md") == "network.md"

    def test_the_first_are_the_best_whatever_came_before(self, store: Store) -> None:
        """As many as are asked for, though others are as good, and though files were edited."""
        files = generated(3, 40)
        write(store, files)
        files |= {f"f{at}.md": generated(4, 40)[f"f{at}.md"] for at in range(0, 40, 5)}
        write(store, {name: files[name] for name in (f"f{at}.md" for at in range(0, 40, 5))})
        new = in_one_go(files)

        for word in ("alpha", "申請", "printer"):
            query = SectionQuery({word: 1.0, "beta": 1.0}, 30, first=12)
            both = [postings.best(query) for postings in (store.state().postings, new)]
            first, expected = ({one.key for one in found[:12]} for found in both)
            assert first == expected
            assert first <= keys(new, query._replace(limit=12, first=0))

    def test_clauses_are_phrases_and_never_cross_a_gap(self, store: Store) -> None:
        """Two words that stand apart in a text are no phrase."""
        write(store, {"a.md": "# A\nalpha beta. gamma\n", "b.md": "# B\nbeta alpha gamma\n"})
        postings = store.state().postings
        one, other = Clause(((("alpha", "beta"),),)), Clause(((("beta", "gamma"),),))

        assert postings.count(one) == 1
        assert postings.count(other) == 0
        assert postings.count(Clause(((("alpha",), ("delta",)),)), one) == 1
        assert keys(postings, SectionQuery({"gamma": 1.0}, 5, must=(one,))) == {("a.md", 1, "")}

    def test_a_slip_of_the_finger_finds_its_word(self, store: Store) -> None:
        """Whichever words an engine gives, the closest is among them."""
        write(store, {"a.md": "# A\nnetwork printer configure configured planet\n"})
        postings = store.state().postings

        for word, meant in (("netwrok", "network"), ("printre", "printer"), ("plenet", "planet")):
            assert closest(word, postings.near(word, most_slips(word))) == meant
        assert closest("zzzzzz", postings.near("zzzzzz", 1)) is None

    def test_history_leaves_no_trace(self, store: Store) -> None:
        """After edits and removals, as if the files had never been others."""
        before, after = generated(1, 40), generated(2, 30)
        write(store, before)
        write(store, {**{f"f{at}.md": None for at in range(30, 40)}, **after})
        plain = in_one_go(after)

        compare(store.state().postings, plain)

    def test_what_is_wiped_is_gone(self, store: Store) -> None:
        """And can be written again."""
        write(store, {"guide.md": GUIDE})
        begun(store)

        write(store, {"network.md": NETWORK})

        assert store.state().postings.sections == 2
        assert set(store.state().manifest.files) == {"network.md"}


def compare(postings: Postings, plain: Postings) -> None:
    """Hold all that a search asks for against another engine."""
    choose = random.Random(3)  # noqa: S311
    assert postings.sections == plain.sections
    assert postings.mean_length == plain.mean_length
    for word in WORDS:
        assert postings.frequency(word) == plain.frequency(word), word
    for _ in range(40):
        words = choose.sample(WORDS, k=choose.randint(1, 4))
        weights = {word: choose.choice((0.5, 1.0, 1.7)) for word in words}
        must = (Clause((tuple((word,) for word in words[:2]),)),) if choose.random() < 0.4 else ()
        among = None if choose.random() < 0.7 else [f"f{at}.md" for at in range(12)]
        query = SectionQuery(
            weights,
            choose.choice((1, 5, 30)),
            must=must,
            among=among,
            fields=choose.choice(FIELDS_ASKED),
        )
        assert keys(postings, query) == keys(plain, query), query
        if must:
            assert postings.count(*must) == plain.count(*must)

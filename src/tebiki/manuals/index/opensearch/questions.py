"""What an index on OpenSearch is asked, as its query language has it; and what its answers hold.

Every question also asks for the markers of a state: documents, one in each shard, that were written
after everything else of that state. A copy of a shard that has its marker has all of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.engine import SYMBOLS
from tebiki.manuals.index.packing import PLACE_NUMBER
from tebiki.manuals.index.values import BOOSTS, FIELDS
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.manuals.index.values import Clause, SectionQuery

    Body = dict[str, Any]

ABOVE_ALL = 1e30
"""What a marker scores: it comes before whatever is found."""

ALL_DOCUMENTS: Body = {"documents": {"global": {}}}
"""Tells beside an answer how many documents there are, by the very same copy of each shard."""

MOST_SUGGESTED = 200
MOST_INSPECTED = 50


def marker_of(state: str) -> Body:
    """Ask for the markers of a state."""
    return {"term": {"state": state}}


def clause_query(clause: Clause) -> Body:
    """Ask for what satisfies a clause."""
    runs: list[Body] = [
        _any_of([_phrase(field, spelling) for spelling in run for field in FIELDS])
        for run in clause.runs
    ]
    if clause.infix:
        one = re.sub(r"([^\w\s])", r"\\\1", clause.infix)
        pattern = f"{one}.?|.{one}|.?[0-9][0-9.]*{one}"
        runs.append(
            _any_of([{"regexp": {field: {"value": pattern, "flags": "NONE"}}} for field in FIELDS])
        )
    runs += [_phrase(SYMBOLS, symbols) for symbols in clause.symbols]
    return {"bool": {"filter": runs}} if runs else {"match_none": {}}


def all_of(clauses: tuple[Clause, ...]) -> Body:
    """Ask for what satisfies all of some clauses."""
    return {"bool": {"filter": [clause_query(one) for one in clauses]}}


def holders_query(field: str, token: str) -> Body:
    """Ask for what has a token in a field."""
    return {"term": {field: token}}


def paths_query(names: Iterable[str]) -> Body:
    """Ask for the sections of some files, or at some places."""
    return {"terms": {"path": sorted(names)}}


def count_body(state: str, filters: list[Body]) -> Body:
    """Count what several filters let through; the last of them are the markers.

    Each filter is held against every document that is looked at, so only those are that have
    something of what is asked for: most have none of it.
    """
    every = [*filters, marker_of(state)]
    return {
        "size": 0,
        "track_total_hits": False,
        "query": _any_of(every),
        "aggs": {"counted": {"filters": {"filters": every}}, **ALL_DOCUMENTS},
    }


def counts_in(answer: Body) -> list[int]:
    """The counts in an answer, the markers' last."""
    return [bucket["doc_count"] for bucket in answer["aggregations"]["counted"]["buckets"]]


def documents_in(answer: Body) -> int | None:
    """How many documents there are, if the question had `ALL_DOCUMENTS`."""
    told = answer.get("aggregations", {}).get("documents")
    return None if told is None else int(told["doc_count"])


def best_body(
    state: str,
    markers: int,
    asked: SectionQuery,
    size: int,
    boost: Callable[[str, str], float],
    *,
    whole: bool,
) -> Body | None:
    """Ask for the sections that score best, perhaps with all that is kept of them.

    None where nothing can be found.
    """
    wanted = [
        {"term": {field: {"value": token, "boost": weight * BOOSTS[field] * worth}}}
        for token, weight in asked.weights.items()
        for field in asked.fields
        if (worth := boost(field, token))
    ]
    if not wanted and not asked.must:
        return None
    found: Body = {"should": wanted}
    needed = [clause_query(one) for one in asked.must]
    if asked.among is not None:
        needed.append(paths_query(asked.among))
    if needed:
        found["filter"] = needed
    found["minimum_should_match"] = 0 if asked.must else 1
    return {
        "size": size + markers,
        "_source": whole,
        "track_total_hits": False,
        "sort": [{"_score": "desc"}, {PLACE_NUMBER: "asc"}],
        "query": _beside_markers(state, {"bool": found}),
    }


def places_body(state: str, markers: int, names: Iterable[str], most: int) -> Body:
    """Ask for the sections at some places, with all that is kept of them; each tells its places."""
    found = [{"term": {"path": {"value": name, "_name": name}}} for name in names]
    return {
        "size": most + markers,
        "_source": True,
        "track_total_hits": False,
        "query": _beside_markers(state, {"constant_score": {"filter": _any_of(found)}}),
    }


def places_of(hit: Body) -> list[str]:
    """At which of the places that were asked for a section is."""
    return list(hit.get("matched_queries", ()))


def near_body(state: str, markers: int, word: str, slips: int) -> Body:
    """Ask for words of the texts that are a few slips away."""
    return {
        "size": markers,
        "_source": False,
        "track_total_hits": False,
        "query": _beside_markers(state, {"match_none": {}}),
        "suggest": {
            "near": {
                "text": word,
                "term": {
                    "field": "body",
                    "suggest_mode": "always",
                    "max_edits": slips,
                    "prefix_length": 1,
                    "min_word_length": 1,
                    "size": MOST_SUGGESTED,
                    "shard_size": MOST_SUGGESTED,
                    "max_inspections": MOST_INSPECTED,
                    "max_term_freq": 1_000_000_000,
                    "accuracy": 0.0,
                    "string_distance": "damerau_levenshtein",
                },
            }
        },
    }


def words_in(answer: Body) -> list[str]:
    """The words that were suggested."""
    return [one["text"] for said in answer["suggest"]["near"] for one in said["options"]]


def _beside_markers(state: str, found: Body) -> Body:
    markers = {"constant_score": {"filter": marker_of(state), "boost": ABOVE_ALL}}
    return {"bool": {"should": [markers, found], "minimum_should_match": 1}}


def _any_of(queries: list[Body]) -> Body:
    return {"bool": {"should": queries, "minimum_should_match": 1}}


def _phrase(field: str, spelling: tuple[str, ...]) -> Body:
    tokens = [token for token in spelling if token != GAP]
    if len(tokens) == 1:
        return holders_query(field, tokens[0])
    # The gaps among them keep their places: they are filtered out as in the texts.
    return {"match_phrase": {field: " ".join(spelling)}}

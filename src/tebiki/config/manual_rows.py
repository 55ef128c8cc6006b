"""The rows of the manuals in the settings table: where they are, how finds rank, what is kept.

Apart from `schema` only because they are many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.config.setting import Setting
from tebiki.values.mappings import MapOf
from tebiki.values.shapes import Flag, Integer, ListOf, Number, Text

if TYPE_CHECKING:
    from tebiki.values.shapes import Shape

FILE_TYPES = ("md", "json", "txt", "markdown", "mdx", "rst", "html")
SHARE = Number(least=0, most=1)
WEIGHT = Number(least=0, most=100)
COUNT = Integer(least=0, most=1_000_000)
SOME = Integer(least=1, most=1_000_000)
SECONDS = Number(least=0, most=366 * 86_400)

_PLACES: tuple[tuple[str, Shape, Any, str, str | None], ...] = (
    (
        "root",
        Text(not_blank=True),
        None,
        "Folder of the manuals; unset: `manuals` below the workspace.",
        "MANUALS_ROOT",
    ),
    (
        "roots",
        MapOf(Text(not_blank=True)),
        {},
        "Folders elsewhere that are manuals too, by name; `tebiki manuals add` writes them.",
        None,
    ),
    (
        "file_types",
        ListOf(Text(choices=FILE_TYPES), least=1),
        ["md", "json"],
        "Kinds of files that are searched where they lie; PDF and Office files are imported.",
        "MANUALS_FILE_TYPES",
    ),
    (
        "allow_file_scope",
        Flag(),
        False,
        "Let `manual_read` give whole `.md` files.",
        "ALLOW_FILE_SCOPE",
    ),
    (
        "watch",
        Text(choices=("auto", "off")),
        "auto",
        "Let servers be told of edits (Linux); `off`: look at every file at each find.",
        "MANUALS_WATCH",
    ),
)
_ADAPTIVE = (
    (
        "tuning",
        Flag(),
        True,
        "Let recent finds move the two thresholds of gap diagnosis.",
        "ADAPTIVE_TUNING",
    ),
    (
        "stats_path",
        Text(not_blank=True),
        None,
        "File with one line per find; unset: `.system/adaptive_stats.jsonl` in the vault.",
        "ADAPTIVE_STATS_PATH",
    ),
    (
        "min_recall",
        SHARE,
        0.90,
        "Share of finds that should find something; below it the thresholds do not move.",
        "ADAPTIVE_MIN_RECALL",
    ),
    (
        "candidate_low_base",
        Integer(least=0, most=50),
        3,
        "A find with fewer candidates than this reports a gap.",
        "ADAPTIVE_CANDIDATE_LOW_BASE",
    ),
    (
        "file_bias_base",
        SHARE,
        0.80,
        "A find with a larger share of its candidates in one file reports a gap.",
        "ADAPTIVE_FILE_BIAS_BASE",
    ),
)
_FIND = (
    (
        "coverage_min_ratio",
        SHARE,
        0.90,
        "Share of the question that the evidence must cover to count as complete.",
        "COVERAGE_MIN_RATIO",
    ),
    (
        "marginal_gain_min",
        SHARE,
        0.02,
        "Reading on is not suggested once the last piece of evidence adds less than this.",
        "MARGINAL_GAIN_MIN",
    ),
    (
        "sparse_query_coverage_weight",
        WEIGHT,
        0.35,
        "Weight of covering the question, with equal weight for each of its words.",
        "SPARSE_QUERY_COVERAGE_WEIGHT",
    ),
    (
        "lexical_coverage_weight",
        WEIGHT,
        0.50,
        "Weight of covering the question.",
        "LEXICAL_COVERAGE_WEIGHT",
    ),
    (
        "lexical_phrase_weight",
        WEIGHT,
        0.50,
        "Weight of the question's own phrases.",
        "LEXICAL_PHRASE_WEIGHT",
    ),
    (
        "lexical_number_context_bonus",
        WEIGHT,
        0.80,
        "Bonus for a number with the same words around it.",
        "LEXICAL_NUMBER_CONTEXT_BONUS",
    ),
    (
        "lexical_proximity_bonus_near",
        WEIGHT,
        1.00,
        "Bonus for words next to each other.",
        "LEXICAL_PROXIMITY_BONUS_NEAR",
    ),
    (
        "lexical_proximity_bonus_far",
        WEIGHT,
        0.50,
        "Bonus for words in the same passage.",
        "LEXICAL_PROXIMITY_BONUS_FAR",
    ),
    (
        "lexical_length_penalty_weight",
        WEIGHT,
        0.20,
        "Penalty for long sections.",
        "LEXICAL_LENGTH_PENALTY_WEIGHT",
    ),
    (
        "link_weight",
        WEIGHT,
        1.0,
        "Weight of what the links of other pages say about a page; 0 leaves links out.",
        "MANUAL_FIND_LINK_WEIGHT",
    ),
    (
        "exploration_enabled",
        Flag(),
        True,
        "Keep some places for sections outside the best candidates.",
        "MANUAL_FIND_EXPLORATION_ENABLED",
    ),
    (
        "exploration_ratio",
        SHARE,
        0.20,
        "Share of places kept for them.",
        "MANUAL_FIND_EXPLORATION_RATIO",
    ),
    (
        "exploration_min_candidates",
        COUNT,
        2,
        "Minimum number of such places.",
        "MANUAL_FIND_EXPLORATION_MIN_CANDIDATES",
    ),
    (
        "exploration_score_scale",
        SHARE,
        0.35,
        "Factor for the scores of such sections.",
        "MANUAL_FIND_EXPLORATION_SCORE_SCALE",
    ),
    (
        "query_decomp_enabled",
        Flag(),
        True,
        "Also search for the parts of a comparison one by one.",
        "MANUAL_FIND_QUERY_DECOMP_ENABLED",
    ),
    (
        "query_decomp_max_sub_queries",
        SOME,
        3,
        "Maximum number of parts.",
        "MANUAL_FIND_QUERY_DECOMP_MAX_SUB_QUERIES",
    ),
    (
        "query_decomp_rrf_k",
        SOME,
        60,
        "Constant k of reciprocal rank fusion: the larger, the less a part's top ranks stand out.",
        "MANUAL_FIND_QUERY_DECOMP_RRF_K",
    ),
    (
        "query_decomp_base_weight",
        SHARE,
        0.30,
        "Share of the whole question in the fused score; its parts get the rest.",
        "MANUAL_FIND_QUERY_DECOMP_BASE_WEIGHT",
    ),
    (
        "scan_hard_cap",
        SOME,
        5000,
        "Maximum number of sections that are scored.",
        "MANUAL_FIND_SCAN_HARD_CAP",
    ),
    (
        "per_file_candidate_cap",
        SOME,
        8,
        "Maximum number of candidates from one file.",
        "MANUAL_FIND_PER_FILE_CANDIDATE_CAP",
    ),
    (
        "file_prescan_enabled",
        Flag(),
        True,
        "Also propose candidates by headings and paths alone.",
        "MANUAL_FIND_FILE_PRESCAN_ENABLED",
    ),
)
_TRACES = (
    (
        "max_keep",
        SOME,
        100,
        "Maximum number of finds whose details are kept for `manual_hits`.",
        "TRACE_MAX_KEEP",
    ),
    ("ttl_sec", SECONDS, 1800, "Seconds that those details are kept.", "TRACE_TTL_SEC"),
)
_CACHE = (
    (
        "enabled",
        Flag(),
        True,
        "Answer the same question over the same files from memory.",
        "SEM_CACHE_ENABLED",
    ),
    ("ttl_sec", SECONDS, 1800, "Seconds that an answer is kept.", "SEM_CACHE_TTL_SEC"),
    ("max_keep", SOME, 500, "Maximum number of answers kept.", "SEM_CACHE_MAX_KEEP"),
    (
        "sim_threshold",
        SHARE,
        0.92,
        "At 1 only the identical question; below, width, dashes and runs of spaces may differ.",
        "SEM_CACHE_SIM_THRESHOLD",
    ),
    (
        "embedding_provider",
        Text(choices=("none",)),
        "none",
        "Questions are compared as text; `none` is the only value.",
        "SEM_CACHE_EMBEDDING_PROVIDER",
    ),
    (
        "max_summary_gap",
        Integer(least=-1, most=1_000_000),
        -1,
        "Cached answers with more gaps than this are searched again; -1: never.",
        "SEM_CACHE_MAX_SUMMARY_GAP",
    ),
    (
        "max_summary_conflict",
        Integer(least=-1, most=1_000_000),
        -1,
        "Cached answers with more conflicts than this are searched again; -1: never.",
        "SEM_CACHE_MAX_SUMMARY_CONFLICT",
    ),
)

MANUAL_ROWS: tuple[Setting, ...] = tuple(
    Setting(f"{section}.{key}", shape, default, doc, env)
    for section, rows in (
        ("manuals", _PLACES),
        ("manuals.adaptive", _ADAPTIVE),
        ("manuals.find", _FIND),
        ("manuals.traces", _TRACES),
        ("manuals.cache", _CACHE),
    )
    for key, shape, default, doc, env in rows
)

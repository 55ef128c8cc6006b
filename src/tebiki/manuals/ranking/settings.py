"""The settings that weigh a search, and the constants beside them.

Values only. Names are those of the environment variables in lower case; the defaults stand in the
settings table.
"""

from __future__ import annotations

from tebiki.named_tuples import NamedTuple


class FindSettings(NamedTuple):
    """Every setting that changes what a find answers."""

    coverage_min_ratio: float
    marginal_gain_min: float
    adaptive_candidate_low_base: int
    adaptive_file_bias_base: float
    sparse_query_coverage_weight: float
    lexical_coverage_weight: float
    lexical_phrase_weight: float
    lexical_number_context_bonus: float
    lexical_proximity_bonus_near: float
    lexical_proximity_bonus_far: float
    lexical_length_penalty_weight: float
    manual_find_link_weight: float
    manual_find_exploration_enabled: bool
    manual_find_exploration_ratio: float
    manual_find_exploration_min_candidates: int
    manual_find_exploration_score_scale: float
    manual_find_query_decomp_enabled: bool
    manual_find_query_decomp_max_sub_queries: int
    manual_find_query_decomp_rrf_k: int
    manual_find_query_decomp_base_weight: float
    manual_find_scan_hard_cap: int
    manual_find_per_file_candidate_cap: int
    manual_find_file_prescan_enabled: bool


class Constants(NamedTuple):
    """What was measured and is nobody's to set: see docs/evaluation.md."""

    k1: float = 1.2
    b: float = 0.5
    title: float = 1.5
    trail: float = 0.5
    place: float = 0.5
    share_exponent: float = 0.3
    coverage: float = 0.7
    sparse_coverage: float = 1.4
    compound: float = 1.4
    long_word: float = 0.25
    near: float = 1.4
    far: float = 0.5
    sentence: float = 0.5
    number: float = 0.3
    code: float = 0.5
    heading: float = 0.3
    top_heading: float = 0.3
    heading_named: float = 0.4
    heading_asked: float = 1.5
    file_name: float = 0.78
    term_in_heading: float = 1.2
    term_in_top_heading: float = 0.4
    bare: float = 0.3
    terms_are_heading: float = 0.6
    terms_are_file_name: float = 0.6
    term_in_file_name: float = 0.8
    hub: float = 0.3
    gate: float = 0.1
    gate_k: float = 60.0
    file: float = 0.56
    decay: float = 0.7
    link_text: float = 0.45
    link_unnamed: float = 0.3
    link_sentence: float = 0.2
    link_silent: float = 0.29
    link_shared: float = 0.6
    link_width: float = 0.25
    link_least: float = 0.01
    link_decay: float = 0.5


CONSTANTS = Constants()

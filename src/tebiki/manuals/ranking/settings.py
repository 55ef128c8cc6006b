"""The settings that weigh a search, with their defaults, and the constants beside them.

Values only. Names are those of the environment variables in lower case.
"""

from __future__ import annotations

from typing import NamedTuple


class FindSettings(NamedTuple):
    """Every setting that changes what a find answers."""

    coverage_min_ratio: float = 0.90
    marginal_gain_min: float = 0.02
    adaptive_candidate_low_base: int = 3
    adaptive_file_bias_base: float = 0.80
    sparse_query_coverage_weight: float = 0.35
    lexical_coverage_weight: float = 0.50
    lexical_phrase_weight: float = 0.50
    lexical_number_context_bonus: float = 0.80
    lexical_proximity_bonus_near: float = 1.00
    lexical_proximity_bonus_far: float = 0.50
    lexical_length_penalty_weight: float = 0.20
    manual_find_exploration_enabled: bool = True
    manual_find_exploration_ratio: float = 0.20
    manual_find_exploration_min_candidates: int = 2
    manual_find_exploration_score_scale: float = 0.35
    manual_find_query_decomp_enabled: bool = True
    manual_find_query_decomp_max_sub_queries: int = 3
    manual_find_query_decomp_rrf_k: int = 60
    manual_find_query_decomp_base_weight: float = 0.30
    manual_find_scan_hard_cap: int = 5000
    manual_find_per_file_candidate_cap: int = 8
    manual_find_file_prescan_enabled: bool = True


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
    file_name: float = 0.78
    term_in_heading: float = 1.2
    term_in_top_heading: float = 0.4
    bare: float = 0.3
    terms_are_heading: float = 0.6
    terms_are_file_name: float = 0.6
    gate: float = 0.1
    gate_k: float = 60.0
    file: float = 0.56
    decay: float = 0.7


CONSTANTS = Constants()

"""Settings, section by section, as the values each engine takes.

Apart from `engines.py` because the doctor and some commands ask for settings and no engine.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.config.manual_rows import MANUAL_ROWS
from tebiki.config.schema import BY_KEY
from tebiki.errors import MissingProfile

if TYPE_CHECKING:
    from tebiki.answers.answerer import AnswerSettings, Profile
    from tebiki.budget.caps import Caps
    from tebiki.config.layers import Settings
    from tebiki.manuals.find import FinderSettings
    from tebiki.manuals.library import LibrarySettings
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.websearch.searcher import SearchSettings

BASE_DELAY_SECONDS = 0.5
MOST_DELAY_SECONDS = 8.0
"""Back-off as the SDK itself does it: half a second, doubling, up to eight."""

SEARCH_BASE_DELAY_SECONDS = 1.0
LONGEST_SEARCH_WAIT_SECONDS = 20.0
"""A search is interactive: an API that wants a longer pause is reported, not waited for."""

MEBIBYTE = 1024 * 1024

SURVIVING = ("answer_detailed",)
"""The profiles whose answers take long enough to be worth it."""

PROFILES = ("answer", "answer_detailed", "answer_quick")

STATISTICS = ".system/adaptive_stats.jsonl"
"""Below the vault, where its tools do not write."""


def answer_settings(settings: Settings, *, lasting: bool = True) -> AnswerSettings:
    """Everything the answers engine wants to know."""
    from tebiki.answers.answerer import AnswerSettings, SearchHints, SearchTool
    from tebiki.answers.policy import PolicySource
    from tebiki.responses.retry import RetryRule

    return AnswerSettings(
        profiles={name: _profile(settings, name) for name in PROFILES},
        hints=SearchHints(
            recency_days=settings["search.defaults.recency_days"],
            max_results=settings["search.defaults.max_results"],
            domains=tuple(settings["search.defaults.domains"]),
        ),
        tool=SearchTool(
            strict_domains=settings["search.domain_filter"] == "strict",
            blocked_domains=tuple(settings["search.blocked_domains"]),
            context_size=settings["search.context_size"],
            user_location=tuple(
                (field, value)
                for field, value in settings.section("search.user_location").items()
                if value is not None
            ),
        ),
        policy=PolicySource(**settings.section("policy.system")),
        max_citations=settings.integer("policy.max_citations"),
        timeout_seconds=settings.integer("request.timeout_ms") / 1000,
        rule=RetryRule(
            max_attempts=settings.integer("request.max_retries") + 1,
            base_delay_seconds=BASE_DELAY_SECONDS,
            most_delay_seconds=MOST_DELAY_SECONDS,
        ),
        surviving=frozenset(SURVIVING if lasting and settings.flag("answers.background") else ()),
        keeps_answers=lasting and settings.integer("answers.cache_seconds") > 0,
        model_variables={name: variable_of(model_setting(settings, name)) for name in PROFILES},
    )


def search_settings(settings: Settings) -> SearchSettings:
    """Everything the search engine wants to know."""
    from tebiki.responses.domains import DomainRule
    from tebiki.responses.retry import RetryRule
    from tebiki.tools.search import NAME
    from tebiki.websearch.searcher import SearchSettings

    return SearchSettings(
        ledger_name=NAME,
        model=settings.text("websearch.model"),
        fallback_model=settings["model_profiles.answer.model"],
        timeout_seconds=settings.integer("websearch.timeout_ms") / 1000,
        rule=RetryRule(
            max_attempts=settings.integer("websearch.max_attempts"),
            base_delay_seconds=SEARCH_BASE_DELAY_SECONDS,
            most_delay_seconds=LONGEST_SEARCH_WAIT_SECONDS,
            retries_lost_connections=True,
            longest_retry_after_seconds=LONGEST_SEARCH_WAIT_SECONDS,
        ),
        model_variable=variable_of("websearch.model"),
        is_model_chosen=settings.is_given("websearch.model"),
        domains=DomainRule(
            tuple(settings["search.defaults.domains"])
            if settings["search.domain_filter"] == "strict"
            else (),
            tuple(settings["search.blocked_domains"]),
        ),
    )


def model_setting(settings: Settings, profile: str) -> str:
    """The setting from which a profile's model comes: its own, or that of `answer`."""
    own = f"model_profiles.{profile}.model"
    return own if settings[own] is not None else "model_profiles.answer.model"


def variable_of(key: str) -> str:
    """The variable of a setting that has one."""
    return BY_KEY[key].env or key


def vault_root(settings: Settings) -> str:
    """The folder of the notes: its own setting, or `vault` below the workspace."""
    return _root(settings, "vault")


def journal_bytes(settings: Settings) -> int:
    """How large the journal of the notes may become."""
    return settings.integer("vault.journal_mib") * MEBIBYTE


def manuals_root(settings: Settings) -> str:
    """The folder of the manuals: its own setting, or `manuals` below the workspace."""
    return _root(settings, "manuals")


def library_settings(
    settings: Settings, *, noted: bool = True, lasting: bool = False
) -> LibrarySettings:
    """Everything the manuals want to know; finds that are not noted do not tune anything either.

    Only a process that lasts watches them: to set that up costs as much as a walk.
    """
    from tebiki.manuals.client_memory import TraceRule
    from tebiki.manuals.library import LibrarySettings

    return LibrarySettings(
        allow_file_scope=settings.flag("manuals.allow_file_scope"),
        traces=TraceRule(
            max_keep=settings.integer("manuals.traces.max_keep"),
            ttl_seconds=settings["manuals.traces.ttl_sec"],
        ),
        finder=_finder_settings(settings, noted=noted, lasting=lasting),
    )


def _finder_settings(settings: Settings, *, noted: bool, lasting: bool) -> FinderSettings:
    from tebiki.manuals.find import FinderSettings
    from tebiki.manuals.past_finds import CacheRule

    own_statistics = settings["manuals.adaptive.stats_path"]
    statistics = own_statistics or os.path.join(vault_root(settings), STATISTICS)
    cache_root = os.path.expanduser(settings.text("cache.root"))
    cache = settings.section("manuals.cache")
    # Servers that share their state answer alike: none of them learns by itself.
    learns = settings["state.url"] is None
    return FinderSettings(
        find=_find_settings(settings),
        cache=CacheRule(
            enabled=cache["enabled"],
            ttl_seconds=cache["ttl_sec"],
            max_keep=cache["max_keep"],
            max_gaps=cache["max_summary_gap"],
            max_conflicts=cache["max_summary_conflict"],
            as_typed=cache["sim_threshold"] >= 1,
        ),
        index_root=os.path.abspath(os.path.join(cache_root, "tebiki")),
        tuning=learns and settings.flag("manuals.adaptive.tuning"),
        statistics_path=os.path.expanduser(statistics) if noted and learns else None,
        min_recall=settings["manuals.adaptive.min_recall"],
        may_watch=settings["manuals.watch"] == "auto",
        lasts=lasting,
        file_types=tuple(settings["manuals.file_types"]),
    )


def _find_settings(settings: Settings) -> FindSettings:
    """Ranking's settings; each is called as its variable is, in small letters."""
    from tebiki.manuals.ranking.settings import FindSettings

    by_variable = {row.env.lower(): row.key for row in MANUAL_ROWS if row.env}
    return FindSettings(**{field: settings[by_variable[field]] for field in FindSettings._fields})


def _root(settings: Settings, name: str) -> str:
    own: str | None = settings[f"{name}.root"]
    if own is not None:
        return os.path.expanduser(own)
    return os.path.join(os.path.expanduser(settings.text("workspace.root")), name)


def ledger_path(settings: Settings, state_folder: str) -> str:
    """Where the ledger is: by its own setting, or in the state folder."""
    from tebiki.budget.earlier_ledger import database_path

    own = settings["ledger.path"]
    default = os.path.join(state_folder, "ledger.db")
    return default if own is None else database_path(os.path.expanduser(own))


def caps(settings: Settings) -> Caps:
    """What the user lets the paid tools spend."""
    from tebiki.budget.caps import Caps

    return Caps(
        settings["budget.daily_usd"],
        settings["budget.calls_per_minute"],
        unread_cap(settings, "budget."),
    )


def unread_cap(settings: Settings, section: str) -> str | None:
    """What is wrong with a cap of this section that somebody set, if anything is."""
    return next((words for key, words in settings.unread.items() if key.startswith(section)), None)


def _profile(settings: Settings, name: str) -> Profile | MissingProfile:
    """A profile, each field that is not set taken from `answer`; or why there is none."""
    from tebiki.answers.answerer import Profile

    section, answer = f"model_profiles.{name}", "model_profiles.answer"
    own, inherited = settings.section(section), settings.section(answer)
    if settings.is_null(section) and name != "answer":
        return MissingProfile(
            f"{section} is null; set it or remove the line ({answer} is required)"
        )
    if own["model"] is None and inherited["model"] is None:
        return MissingProfile(f"{answer} is required")
    default = {field: BY_KEY[f"{answer}.{field}"].default for field in own}
    return Profile(**{field: own[field] or inherited[field] or default[field] for field in own})

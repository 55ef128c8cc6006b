"""The API: the key, the way there, and the models that the settings name."""

from __future__ import annotations

import difflib
import re
from functools import reduce
from typing import TYPE_CHECKING

from tebiki.answers.answerer import Profile
from tebiki.app.settings import answer_settings, model_setting, variable_of
from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.errors import AuthRejected, MissingKey, RateLimited, UpstreamError
from tebiki.responses.client import Access
from tebiki.responses.models import (
    AS_OF,
    DEPRECATIONS,
    ModelEnd,
    change_command,
    ending_of,
    ending_words,
    ends_soon,
)
from tebiki.values.clock import tokyo_day
from tebiki.values.keys import KEY_LIKE
from tebiki.values.phrases import as_is, counted_phrase, listed, phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from tebiki.config.layers import Settings
    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding
    from tebiki.responses.offers import Offer

OFFICIAL = "https://api.openai.com/"
NOT_FOUND = 404


def key(loaded: Loaded) -> Finding:
    """Whether there is a key, and whether it can be one; it is never told."""
    name = loaded.settings.text("openai.api_key_env")
    base_url = loaded.settings.text("openai.base_url")
    try:
        found = Access(base_url, loaded.api_key, name).key()
    except MissingKey as missing:
        advice = phrase("answers and search need it; manuals and the vault do not")
        return wrong("key", phrase("Missing API key: set {name}", name=missing.variable), advice)
    if base_url.startswith(OFFICIAL) and not re.fullmatch(KEY_LIKE, found):
        words = phrase("{name} is set, but is no key of the API's form", name=name)
        return doubtful("key", words, phrase("check it"))
    return good("key", phrase("{name} is set", name=name))


def endpoint(base_url: str, result: Offer | UpstreamError) -> Finding:
    """How the API answered when it was asked for its models."""
    if not isinstance(result, UpstreamError):
        return good(
            "endpoint",
            phrase(
                "{url} accepts the key and lists {models}",
                url=base_url,
                models=counted_phrase(len(result.models), "{n} model", "{n} models"),
            ),
            models=len(result.models),
        )
    if isinstance(result, AuthRejected):
        words = phrase("{url} refuses the key: {problem}", url=base_url, problem=result)
        return wrong("endpoint", words, phrase("set another key"))
    if isinstance(result, RateLimited):
        words = phrase("{url} is reachable: {problem}", url=base_url, problem=result)
        return doubtful("endpoint", words, phrase("try again later"))
    if result.status == NOT_FOUND:
        return doubtful(
            "endpoint",
            phrase("{url} has no list of models: {problem}", url=base_url, problem=result),
            phrase("if this is no gateway of your own, check openai.base_url"),
        )
    return wrong("endpoint", as_is(result), phrase("check the network and openai.base_url"))


def null_profiles(settings: Settings) -> Iterator[Finding]:
    """Tell of tools that were switched off by a profile set to null."""
    for name, profile in answer_settings(settings).profiles.items():
        if not isinstance(profile, Profile):
            words = phrase("{tool} refuses every call: {problem}", tool=name, problem=profile)
            yield doubtful("model", words, phrase("set a model for it"))


def models(settings: Settings, toolsets: Sequence[str], offer: Offer, now: float) -> list[Finding]:
    """Each model that the settings name: is it there, and for how long."""
    today = tokyo_day(now)
    found = [
        _model(model, names, offer, today)
        for model, names in models_in_use(settings, toolsets).items()
    ]
    return found if offer.tells_days else [*found, *endings(settings, toolsets, now)]


def endings(settings: Settings, toolsets: Sequence[str], now: float) -> Iterator[Finding]:
    """The chosen models that end soon, by what is known here: for when the API is not asked.

    A default is nobody's choice: should it be gone, searches use another by themselves.
    """
    today = tokyo_day(now)
    for model, users in models_in_use(settings, toolsets).items():
        ending = ending_of(model)
        chosen = settings.is_given(*users.values())
        if ending is not None and chosen and ends_soon(ending, today):
            yield _report_end(model, users, ending, today, known_on=AS_OF)


def models_in_use(settings: Settings, toolsets: Sequence[str]) -> dict[str, dict[str, str]]:
    """The models that will be asked for: the tools that use each, and the setting behind it."""
    named: dict[str, dict[str, str]] = {}
    if "answers" in toolsets:
        for name, profile in answer_settings(settings).profiles.items():
            if isinstance(profile, Profile):
                named.setdefault(profile.model, {})[name] = model_setting(settings, name)
    if "search" in toolsets:
        named.setdefault(settings.text("websearch.model"), {})["search"] = "websearch.model"
    return named


def _model(model: str, users: dict[str, str], offer: Offer, today: date) -> Finding:
    used = f"{model} ({', '.join(users)})"
    if model not in offer.models:
        return _report_missing(model, used, users, offer)
    end = offer.models[model]
    if end is None:
        return good("model", phrase("{model} is available", model=used), model=model)
    known = ending_of(model)
    return _report_end(model, users, ModelEnd(end, known.successor if known else None), today)


def _report_end(
    model: str, users: dict[str, str], ending: ModelEnd, today: date, **more: str
) -> Finding:
    """Tell of a model that ends, with its successor and the command that changes to it."""
    settings = dict.fromkeys(users.values())
    words = ending_words(f"{model} ({', '.join(users)})", ending, today)
    advice = phrase(
        "{commands}, or set {settings}; successors: {page}",
        commands=_both(change_command(variable_of(key), ending) for key in settings),
        settings=_both(settings),
        page=DEPRECATIONS,
    )
    facts = {"model": model, "shutdown_date": ending.day.isoformat(), **more}
    facts |= {"successor": ending.successor} if ending.successor else {}
    return (wrong if ending.day <= today else doubtful)("model", words, advice, **facts)


def _report_missing(model: str, used: str, users: dict[str, str], offer: Offer) -> Finding:
    near = difflib.get_close_matches(model, offer.models, n=3)
    advice = phrase(
        "set {settings} to another model", settings=_both(dict.fromkeys(users.values()))
    )
    if near:
        advice = phrase("{advice}, such as {models}", advice=advice, models=listed(near))
    words = phrase("{model} is not among the models of this key", model=used)
    if list(users) == ["search"]:
        # The search engine then asks the answer's model.
        words = phrase("{words}; searches use that of answer", words=words)
        return doubtful("model", words, advice, model=model)
    return wrong("model", words, advice, model=model)


def _both(parts: Iterable[str]) -> str:
    return reduce(
        lambda first, other: phrase("{first} and {other}", first=first, other=other), parts
    )

"""The answers engine: a question becomes one request, its reply becomes an answer with sources.

Plain Python: no MCP here. The clock and the model client are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tebiki.answers.answer import Answer
from tebiki.answers.citations import citations, rests_on_search
from tebiki.answers.policy import POLICY_REVISION
from tebiki.answers.sources_section import with_sources_section
from tebiki.errors import BadReply, MissingProfile, NotFound
from tebiki.named_tuples import NamedTuple
from tebiki.responses.domains import DomainRule
from tebiki.responses.models import ending_notice, family_of
from tebiki.responses.watching import event_watcher
from tebiki.values.callers import current_caller
from tebiki.values.clock import tokyo_day
from tebiki.values.phrases import phrase
from tebiki.values.unseen import without_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.answers.pending import PendingAnswers
    from tebiki.answers.policy import PolicySource
    from tebiki.answers.sharing import SharedAnswers
    from tebiki.answers.survival import BackgroundAsk, Survivors
    from tebiki.budget.meter import Meter
    from tebiki.observability.logs import Log
    from tebiki.responses.client import Exchange, Responder
    from tebiki.responses.replies import Json
    from tebiki.responses.retry import RetryRule
    from tebiki.responses.watching import Listener

LEAST_PLAIN, MOST_PLAIN = 1e-6, 1e21
"""Between these JavaScript writes a number without an exponent."""

USABLE = ("completed", "incomplete")
"""What a reply's status may be for its text to be an answer."""

INCOMPLETE_REASONS = {
    "max_output_tokens": "the output limit was reached",
    "content_filter": "the content filter stopped it",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """Which model answers, and how it is asked to."""

    model: str
    reasoning_effort: str
    verbosity: str

    @property
    def takes_verbosity(self) -> bool:
        """Tell whether the model's family knows verbosity."""
        return family_of(self.model).takes_verbosity

    @property
    def takes_effort(self) -> bool:
        """Tell whether the model's family knows effort."""
        return family_of(self.model).takes_effort


@dataclass(frozen=True, slots=True)
class SearchHints:
    """What the question's search should keep to."""

    recency_days: float
    max_results: float
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchTool:
    """Options of the search tool itself; off unless configured."""

    strict_domains: bool = False
    blocked_domains: tuple[str, ...] = ()
    context_size: str | None = None
    user_location: tuple[tuple[str, str], ...] = ()

    def definition(self, domains: tuple[str, ...]) -> dict[str, Any]:
        """Describe the tool for a request."""
        tool: dict[str, Any] = {"type": "web_search"}
        filters = self.domain_rule(domains).filters()
        if filters:
            tool["filters"] = filters
        if self.context_size is not None:
            tool["search_context_size"] = self.context_size
        if self.user_location:
            tool["user_location"] = {"type": "approximate", **dict(self.user_location)}
        return tool

    def domain_rule(self, domains: tuple[str, ...]) -> DomainRule:
        """Which domains a search with these hints may use."""
        return DomainRule(domains if self.strict_domains else (), self.blocked_domains)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """Everything about answers that a user can set."""

    profiles: Mapping[str, Profile | MissingProfile]
    hints: SearchHints
    tool: SearchTool
    policy: PolicySource
    max_citations: int
    timeout_seconds: float
    rule: RetryRule
    model_variables: Mapping[str, str]
    """By profile the variable that sets its model."""
    surviving: frozenset[str] = frozenset()
    """The profiles whose answers go on without their client."""
    keeps_answers: bool = False
    """Whether an identical question gets the same answer again for a while."""


class Lasting(NamedTuple):
    """What makes answers last: made when the first call needs it."""

    shared: SharedAnswers
    survivors: Survivors
    pending: PendingAnswers


class _Ask(NamedTuple):
    """One question on its way."""

    name: str
    profile: Profile
    request: dict[str, Any]
    domains: DomainRule


class Answerer:
    """Answers questions with the configured models."""

    def __init__(
        self,
        settings: AnswerSettings,
        responder: Responder,
        meter: Meter,
        clock: Callable[[], float],
        log: Log,
        *,
        lasting: Callable[[], Lasting],
    ) -> None:
        self._settings = settings
        self._responder = responder
        self._meter = meter
        self._lasting = lasting
        self._clock = clock
        self._log = log
        self._warned: set[str] = set()

    async def answer(
        self,
        profile_name: str,
        query: str,
        hints: SearchHints,
        watch: Callable[[str], None] | None = None,
        listener: Listener | None = None,
    ) -> Answer:
        """Ask a profile's model; `watch` hears what it is doing, `listener` also the text.

        Raises:
            MissingProfile: the profile is set to null.
            OverBudget, MissingPrice: a cap of the user's forbids it.
            MissingKey, UpstreamError: nothing usable came back.
        """
        profile = self._profile(profile_name)
        request = self._request(profile, query, hints)
        self._log_request(profile_name, profile)
        await self._responder.make_ready()
        if watch is not None:
            watch(phrase("asking {model}", model=profile.model))
        on_event = event_watcher(watch, listener) if watch is not None else None
        ask = _Ask(profile_name, profile, request, self._settings.tool.domain_rule(hints.domains))
        survives = profile_name in self._settings.surviving
        make = self._answer_surviving if survives else self._answer_once
        if not self._settings.keeps_answers:
            return await make(ask, on_event)
        from tebiki.answers.sharing import WholeRequest  # few answers need it

        question = WholeRequest(self._client(), self._key(ask))
        return await self._lasting().shared.answer(question, lambda: make(ask, on_event))

    async def resume(
        self, watch: Callable[[str], None] | None = None, listener: Listener | None = None
    ) -> Answer:
        """Take up the newest answer that this caller lost on the way.

        Raises:
            NotFound: there is none.
            MissingKey, UpstreamError: nothing usable came back.
        """
        await self._responder.make_ready()
        client = self._client()
        held = self._lasting().pending.take(lambda one: one.client == client)
        if held is None:
            raise NotFound(
                "no answer is on its way: with answers.background a detailed answer that was asked "
                "for in the last ten minutes can be taken up until it has been delivered"
            )
        kept = held.pending
        profile = Profile(kept.model, "", "")
        on_event = event_watcher(watch, listener) if watch is not None else _unheard
        domains = self._settings.tool.domain_rule(self._settings.hints.domains)
        ask = _Ask(kept.profile, profile, {}, domains)
        background = self._background(ask, kept.request)
        exchange = await self._lasting().survivors.resume(held, background, on_event)
        return self._finish(ask, exchange)

    async def _answer_once(self, ask: _Ask, on_event: Callable[[Json], None] | None) -> Answer:
        async with self._meter.call(ask.name, ask.profile.model) as tab:
            exchange = await self._responder.create(
                ask.request, self._settings.rule, self._settings.timeout_seconds, on_event
            )
            cost = tab.settle(exchange.spent())
            return self._finish(ask, replace(exchange, cost_usd=cost))

    async def _answer_surviving(self, ask: _Ask, on_event: Callable[[Json], None] | None) -> Answer:
        background = self._background(ask, self._key(ask))
        exchange = await self._lasting().survivors.ask(background, on_event or _unheard)
        return self._finish(ask, exchange)

    def _background(self, ask: _Ask, key: str) -> BackgroundAsk:
        from tebiki.answers.survival import BackgroundAsk  # few answers need it

        return BackgroundAsk(
            request=ask.request,
            key=key,
            client=self._client(),
            profile=ask.name,
            model=ask.profile.model,
            rule=self._settings.rule,
            timeout_seconds=self._settings.timeout_seconds,
        )

    def _finish(self, ask: _Ask, exchange: Exchange) -> Answer:
        remarks = {**exchange.remarks, **self._remarks(ask, exchange)}
        return self._answer_from(ask.profile, replace(exchange, remarks=remarks), ask.domains)

    def _client(self) -> str:
        """The caller's name as files may hold it; another key or API is another caller."""
        from tebiki.answers.pending import hash_of  # few answers need it

        return hash_of("client", current_caller().name, self._responder.fingerprint())

    def _key(self, ask: _Ask) -> str:
        """One name for a caller's whole request."""
        from tebiki.answers.pending import hash_of  # few answers need it

        return hash_of(self._client(), ask.name, ask.request)

    def default_hints(self) -> SearchHints:
        """The hints used where a call gives none."""
        return self._settings.hints

    def _profile(self, name: str) -> Profile:
        profile = self._settings.profiles[name]
        if isinstance(profile, MissingProfile):
            raise MissingProfile(str(profile))
        return profile

    def _request(self, profile: Profile, query: str, hints: SearchHints) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": profile.model,
            "instructions": self._settings.policy.text(self._warn_once),
            "input": [
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": question_text(query, hints)}],
                }
            ],
            "tools": [self._settings.tool.definition(hints.domains)],
            "include": ["web_search_call.action.sources"],
        }
        if profile.takes_verbosity:
            request["text"] = {"verbosity": profile.verbosity}
        if profile.takes_effort:
            request["reasoning"] = {"effort": profile.reasoning_effort}
        return request

    def _remarks(self, ask: _Ask, exchange: Exchange) -> dict[str, Any]:
        """What a receipt says besides: pages of domains that were ruled out, a model that ends."""
        remarks: dict[str, Any] = {}
        if ask.domains.any:
            remarks["domain_violations"] = ask.domains.count_violations(exchange.reply)
        variable, today = self._settings.model_variables[ask.name], tokyo_day(self._clock())
        notice = ending_notice(ask.profile.model, variable, today)
        if notice is not None and self._warn_once(notice):
            remarks["model_notice"] = notice
        return remarks

    def _answer_from(self, profile: Profile, exchange: Exchange, domains: DomainRule) -> Answer:
        reply = exchange.reply
        if reply.status not in USABLE:
            words = f"The API ended the answer with the status {reply.status}"
            raise BadReply(reply.failure_message or words)
        text = without_unseen(reply.text)
        if not text.strip():
            raise BadReply(_why_empty(reply.status, reply.incomplete_reason))
        if reply.status == "incomplete":
            text = f"{text.rstrip()}\n\n[Incomplete: {_why_incomplete(reply.incomplete_reason)}]"
        searched = rests_on_search(reply)
        today = tokyo_day(self._clock()).isoformat()
        most = self._settings.max_citations
        cited = citations(reply, today, most, domains.permits) if searched else []
        if searched:
            text = with_sources_section(text, cited, today)
        return Answer(text, searched, tuple(cited), profile.model, exchange)

    def _warn_once(self, words: str) -> bool:
        """What is wrong with the policy or the model holds for each call; it is said once."""
        if words in self._warned:
            return False
        self._warned.add(words)
        self._log.warning(words)
        return True

    def _log_request(self, name: str, profile: Profile) -> None:
        verbosity, effort = profile.takes_verbosity, profile.takes_effort
        self._log.debug(
            f"profile={name} model={profile.model} policy={POLICY_REVISION!r} "
            f"supports={{verbosity:{_word(verbosity)}, reasoning:{_word(effort)}}}"
        )
        self._log.debug(
            f"request summary tools=web_search(on) reasoning={_switch(effort)} "
            f"text.verbosity={_switch(verbosity)}"
        )


def _unheard(_event: Json) -> None:
    """Nobody wants to hear of it."""


def question_text(query: str, hints: SearchHints) -> str:
    """The user's question and the hints line below it."""
    domains = f" domains: {', '.join(hints.domains)}" if hints.domains else ""
    recency, results = plain_number(hints.recency_days), plain_number(hints.max_results)
    return f"{query}\n[Hints] recency_days={recency}, max_results={results}.{domains}"


def plain_number(number: float) -> str:
    """Write a number as JavaScript does, so that the hints read as they always have."""
    value = float(number)
    if value == 0:
        return "0"
    if LEAST_PLAIN <= abs(value) < MOST_PLAIN:
        digits = format(Decimal(repr(value)), "f")
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def _why_empty(status: str, reason: str | None) -> str:
    if status == "incomplete":
        return f"The answer is incomplete and has no text: {_why_incomplete(reason)}"
    return "The API answered without any text"


def _why_incomplete(reason: str | None) -> str:
    return INCOMPLETE_REASONS.get(reason or "", reason or "no reason given")


def _word(value: bool) -> str:
    return "true" if value else "false"


def _switch(value: bool) -> str:
    return "on" if value else "off"

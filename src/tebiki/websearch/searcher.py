"""The search engine: a query becomes one request, its reply becomes grounded results.

Plain Python: no MCP here. The clock and the model client are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tebiki.errors import BadReply, ModelNotFound, UpstreamError
from tebiki.responses.domains import ANY_DOMAIN, DomainRule
from tebiki.responses.failures import failure_by_code
from tebiki.responses.models import ending_notice
from tebiki.responses.watching import event_watcher, search_words
from tebiki.values.clock import tokyo_day
from tebiki.websearch.addresses import web_address
from tebiki.websearch.grounding import SearchResult, findings, rows_in, seen_pages
from tebiki.websearch.request import instructions, search_request
from tebiki.websearch.sanitising import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.budget.meter import Meter, Tab
    from tebiki.observability.logs import Log
    from tebiki.responses.client import Exchange, Responder
    from tebiki.responses.replies import Reply
    from tebiki.responses.retry import RetryRule

LONGEST_QUOTED_TEXT = 200
"""Characters of an unusable answer that its error repeats."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Everything about searching that a user can set, and what the ledger calls a search."""

    ledger_name: str
    model: str
    fallback_model: str | None
    timeout_seconds: float
    rule: RetryRule
    model_variable: str
    """The variable that sets the model."""
    is_model_chosen: bool = True
    """Whether somebody set it; a default that ends is our affair, not the user's."""
    domains: DomainRule = ANY_DOMAIN


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for, and how much of it to bring back."""

    query: str
    limit: int
    language: str
    timeframe: str | None


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The results of a search, how many there were before the limit, and what it took."""

    results: tuple[SearchResult, ...]
    total_count: int
    dropped: int
    exchange: Exchange

    def receipt(self) -> dict[str, Any]:
        """What the search took, and how many rows the model had made up."""
        return {**self.exchange.receipt(), "dropped": self.dropped}


class Searcher:
    """Searches the web with the configured model, or with one that the API does know."""

    def __init__(
        self,
        settings: SearchSettings,
        responder: Responder,
        meter: Meter,
        clock: Callable[[], float],
        log: Log,
    ) -> None:
        self._settings = settings
        self._responder = responder
        self._meter = meter
        self._clock = clock
        self._log = log
        self._model = settings.model
        self._has_noticed = False

    async def search(
        self, query: SearchQuery, watch: Callable[[str], None] | None = None
    ) -> SearchOutcome:
        """Search; `watch` hears what the model is doing.

        Raises:
            OverBudget, MissingPrice: a cap of the user's forbids it.
            MissingKey, UpstreamError: nothing usable came back.
        """
        await self._responder.make_ready()
        model = self._model
        async with self._meter.call(self._settings.ledger_name, model) as tab:
            exchange = await self._ask_one_or_the_other(model, query, watch, tab)
            cost = tab.settle(exchange.spent())
            exchange = replace(exchange, cost_usd=cost, remarks=self._remarks(exchange))
            return _outcome(exchange, query.limit, self._settings.domains)

    async def _ask_one_or_the_other(
        self, model: str, query: SearchQuery, watch: Callable[[str], None] | None, tab: Tab
    ) -> Exchange:
        """Ask the model, or the other one when the API does not know it."""
        try:
            return await self._ask(model, query, watch)
        except ModelNotFound as unknown:
            fallback = self._settings.fallback_model
            if fallback is None or fallback == model:
                raise
            self._remember(fallback)
            tab.change_model(fallback)
            # The request that found the model missing is not counted; those before it are.
            return await self._ask(fallback, query, watch, spent=unknown.attempts - 1)

    async def _ask(
        self,
        model: str,
        query: SearchQuery,
        watch: Callable[[str], None] | None,
        spent: int = 0,
    ) -> Exchange:
        today = tokyo_day(self._clock())
        told = instructions(query.limit, query.language, query.timeframe, today)
        self._log.debug(
            f"request summary model={model} tools=web_search(required) limit={query.limit} "
            f"language={query.language} timeframe={query.timeframe or '-'}"
        )
        if watch is not None:
            watch(f"{search_words(query.query)} ({model})")
        rule = self._settings.rule
        try:
            exchange = await self._responder.create(
                search_request(model, query.query, told, self._settings.domains.filters()),
                rule._replace(max_attempts=max(1, rule.max_attempts - spent)),
                self._settings.timeout_seconds,
                event_watcher(watch, searching=search_words(query.query)) if watch else None,
            )
        except UpstreamError as failure:
            failure.attempts += spent
            raise
        return replace(exchange, attempts=exchange.attempts + spent)

    def _remember(self, fallback: str) -> None:
        """Use another model from now on; calls that fail side by side warn once."""
        if self._model == fallback:
            return
        words = (
            f"the API does not know the search model {self._model}; "
            f"using {fallback} instead (set websearch.model or OPENAI_MODEL)"
        )
        # A default that has shut down is nothing a user did wrong.
        note = self._log.warning if self._settings.is_model_chosen else self._log.info
        note(words)
        self._model = fallback

    def _remarks(self, exchange: Exchange) -> dict[str, Any]:
        """What a receipt says besides: pages of domains that were ruled out, a model that ends."""
        settings = self._settings
        remarks: dict[str, Any] = {}
        if settings.domains.any:
            remarks["domain_violations"] = settings.domains.count_violations(exchange.reply)
        notice = None
        # Of a model that was replaced the warning about that tells enough.
        if settings.is_model_chosen and self._model == settings.model and not self._has_noticed:
            today = tokyo_day(self._clock())
            notice = ending_notice(settings.model, settings.model_variable, today)
        if notice is not None:
            self._has_noticed = True
            self._log.warning(notice)
            remarks["model_notice"] = notice
        return remarks


def _outcome(exchange: Exchange, limit: int, domains: DomainRule) -> SearchOutcome:
    reply = exchange.reply
    if reply.status == "failed":
        words = reply.failure_message or "The API reported that the search failed"
        raise failure_by_code(words, reply.failure_code, "FailedResponse")
    seen = seen_pages(reply)
    rows = rows_in(reply.text)
    if rows is None and not seen:
        raise BadReply(_why_unusable(reply))
    if domains.any:
        seen = {key: page for key, page in seen.items() if domains.permits(page.url)}
        rows = [row for row in rows or () if not _is_ruled_out(row, domains)]
    found = findings(rows or (), seen)
    return SearchOutcome(found.results[:limit], len(found.results), found.dropped, exchange)


def _is_ruled_out(row: Any, domains: DomainRule) -> bool:
    """Tell whether a row names a page of a domain that was ruled out; such a one is not made up."""
    address = web_address(row.get("url")) if isinstance(row, dict) else None
    return address is not None and not domains.permits(address)


def _why_unusable(reply: Reply) -> str:
    said = plain_text(reply.text, LONGEST_QUOTED_TEXT) or "(no text)"
    if reply.status == "incomplete":
        reason = reply.incomplete_reason or "no reason given"
        return f"The search was cut short ({reason}) and named no sources: {said}"
    return f"The model listed no results and named no sources: {said}"

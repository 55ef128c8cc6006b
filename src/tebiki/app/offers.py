"""Resources and prompts over the engines of an app, made when they are first asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tebiki.app.capabilities import has_app, readable_toolsets, served_prompts
from tebiki.tools import completion, find_app, prompts, resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from typing import Any

    from tebiki.app.engines import Engines
    from tebiki.manuals.browsing import Browser
    from tebiki.server.enquiries import Prompt, ResourceCollection


class Offers:
    """What a server has beside its tools, over these engines."""

    def __init__(self, engines: Engines, tools: AbstractSet[str]) -> None:
        self._engines = engines
        self._tools = tools

    def collections(self) -> list[ResourceCollection]:
        """The files that can be read, of each toolset that reads."""
        makers = {"manuals": self._manuals, "vault": self._vault}
        if self._engines.forwards_notes:
            # Its owner offers them; here only the tools lead there.
            del makers["vault"]
        served = readable_toolsets(self._tools)
        return [makers[one.name]() for one in served if one.name in makers]

    def prompts(self) -> list[Prompt]:
        """The prompts that have all their tools."""
        every = prompts.prompts(
            partial(completion.suggest_manuals, self._browser),
            partial(completion.suggest_notes, self._engines.vault, only_folders=True),
        )
        served = served_prompts(self._tools)
        return [one for one in every if one.name in served]

    def unlisted(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """What hosts read because a tool names it."""
        return {find_app.URI: find_app.find_app} if has_app(self._tools) else {}

    def _manuals(self) -> ResourceCollection:
        suggest = partial(completion.suggest_in_manual, self._browser)
        return resources.manual_collection(self._browser, suggest)

    def _vault(self) -> ResourceCollection:
        suggest = partial(completion.suggest_notes, self._engines.vault)
        return resources.vault_collection(self._engines.vault, suggest)

    def _browser(self) -> Browser:
        return self._engines.library().browser()

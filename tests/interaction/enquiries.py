"""Resources, prompts and completions as a client asks for them, in either era."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.talk import Talk

Json = dict[str, Any]


class Asker:
    """One client's questions beside tools; `modern` ones carry the envelope."""

    def __init__(self, server: Talk, *, modern: bool = False) -> None:
        self.server = server
        self._meta: Json = {"_meta": MODERN_META} if modern else {}
        self._numbers = count(1)

    def ask(self, method: str, **params: Any) -> Json:
        """Ask, and give the whole answer."""
        return self.server.ask(f"{method} {next(self._numbers)}", method, {**params, **self._meta})

    def result(self, method: str, **params: Any) -> Json:
        """Ask for what there is."""
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def error(self, method: str, **params: Any) -> Json:
        """Ask for what is refused."""
        answer = self.ask(method, **params)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def read(self, uri: str) -> Json:
        """The one part of what is at a URI."""
        (contents,) = self.result("resources/read", uri=uri)["contents"]
        found: Json = contents
        return found

    def pages(self, uri: str) -> Iterator[Json]:
        """Everything from a URI on."""
        page = self.read(uri)
        yield page
        while "_meta" in page:
            assert page["_meta"]["truncated"] is True
            page = self.read(page["_meta"]["next_uri"])
            yield page

    def uris(self) -> list[str]:
        """The resources that are listed."""
        return [one["uri"] for one in self.result("resources/list")["resources"]]

    def complete(self, ref: str, name: str, value: str, **others: str) -> Json:
        """What an argument may be, of a prompt by its name or of a template by its URI."""
        kind = {"type": "ref/resource", "uri": ref} if "://" in ref else {}
        completion: Json = self.result(
            "completion/complete",
            ref=kind or {"type": "ref/prompt", "name": ref},
            argument={"name": name, "value": value},
            context={"arguments": others},
        )["completion"]
        return completion

"""The reading room: resources, prompts and completion, as values, and the one way to ask for them.

Lists that never change are given at once; whatever looks at files is done in a thread, as tools do.
Not here: any particular resource or prompt (`tools/`), and which of them are offered (`app/`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidParams, NotFound
from tebiki.named_tuples import NamedTuple
from tebiki.protocol.eras import LIST_TTL_MS, cacheable
from tebiki.server.threads import begin_in_thread, run_in_thread, threads_of
from tebiki.values.shapes import quote_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tebiki.server.calls import Job
    from tebiki.server.error_map import ErrorMap, Outcome
    from tebiki.server.threads import ThreadJob

    Cancelled = Callable[[], bool]

FOLDERS_TTL_MS = 60_000
"""How long a client may keep a list of folders: somebody adds one now and then."""

TTL_MS = {
    "resources/list": FOLDERS_TTL_MS,
    "resources/templates/list": LIST_TTL_MS,
    "resources/read": 0,
    "prompts/list": LIST_TTL_MS,
}
"""What the modern era lets a client keep, and for how long; a file is read anew each time."""

THREADS = "enquiries"
MOST_SUGGESTIONS = 100
LONGEST_URI = 8192
LONGEST_ARGUMENT = 8192
"""Characters: beyond any path or question that somebody means."""


class Resource(NamedTuple):
    """Something that can be read by its URI, as it is listed."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str

    def definition(self) -> dict[str, Any]:
        """Describe it as `resources/list` does."""
        return {"uri": self.uri, **_describe(self)}


class ResourceTemplate(NamedTuple):
    """The form of the URIs of a collection."""

    uri_template: str
    name: str
    title: str
    description: str
    mime_type: str

    def definition(self) -> dict[str, Any]:
        """Describe it as `resources/templates/list` does."""
        return {"uriTemplate": self.uri_template, **_describe(self)}


def _describe(one: Resource | ResourceTemplate) -> dict[str, str]:
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "mimeType": one.mime_type,
    }


class ResourceText(NamedTuple):
    """What is at a URI, and what is said about it; what is longer goes on at another URI."""

    uri: str
    mime_type: str
    text: str
    next_uri: str | None = None
    meta: dict[str, str] | None = None

    def contents(self) -> dict[str, Any]:
        """Write it as `resources/read` does."""
        given = {"uri": self.uri, "mimeType": self.mime_type, "text": self.text}
        if self.next_uri is None:
            return given
        return {**given, "_meta": {"truncated": True, "next_uri": self.next_uri}}


class Suggestions(NamedTuple):
    """The first values that begin like what was typed, and how many there are."""

    values: tuple[str, ...] = ()
    total: int = 0


class Typed(NamedTuple):
    """An argument that is being typed, and those that were chosen before it."""

    name: str
    value: str
    others: Mapping[str, str]


class ResourceCollection(NamedTuple):
    """Resources of one scheme: those that are listed, all that can be read, what can be typed.

    `arguments` are the names in the template; `suggest` completes them.
    """

    scheme: str
    template: ResourceTemplate
    arguments: tuple[str, ...]
    listed: Callable[[], list[Resource]]
    read: Callable[[str, Cancelled], ResourceText]
    suggest: Callable[[Typed], Suggestions]


class PromptArgument(NamedTuple):
    """What a prompt is about; `suggest` completes it while it is typed."""

    name: str
    description: str
    required: bool = False
    suggest: Callable[[Typed], Suggestions] | None = None


class Prompt(NamedTuple):
    """A task that a person picks; `write` makes one message of its arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    write: Callable[[Mapping[str, str]], str]

    def definition(self) -> dict[str, Any]:
        """Describe it as `prompts/list` does."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [
                {"name": one.name, "description": one.description, "required": one.required}
                for one in self.arguments
            ],
        }

    def message(self, given: Any) -> dict[str, Any]:
        """The prompt as `prompts/get` gives it.

        Raises:
            InvalidParams: an argument is missing, unknown or no text.
        """
        words = self.write(self._read_arguments(given))
        content = {"type": "text", "text": words}
        return {"description": self.description, "messages": [{"role": "user", "content": content}]}

    def _read_arguments(self, given: Any) -> dict[str, str]:
        arguments = _texts(given, "arguments")
        known = [one.name for one in self.arguments]
        for name in arguments:
            if name not in known:
                raise InvalidParams(
                    f"Invalid params: {self.name} has no argument {quote_value(name)}; "
                    f"it takes {', '.join(known)}"
                )
        # What a client leaves blank in its form is not given.
        stated = {name: value for name, value in arguments.items() if value.strip()}
        for one in self.arguments:
            if one.required and one.name not in stated:
                raise InvalidParams(f"Invalid params: {self.name} needs the argument {one.name}")
        return stated


class Enquiry(NamedTuple):
    """A request for one of the methods here, as it came; `client` is whose it is, as of a call."""

    method: str
    params: Any
    modern: bool
    client: str = ""

    @property
    def family(self) -> str:
        """The words in which its failures are told: each era has its own code for them."""
        return "resources" if self.modern else "older resources"

    def add_hints(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result, with how long a client may keep it where its era and the method have that."""
        if not self.modern or self.method not in TTL_MS:
            return result
        return cacheable(result, TTL_MS[self.method])


class Enquiries:
    """Everything a server has beside its tools; `listen` hears what each client reads.

    `unlisted` are parts of the server itself, by URI: a tool names them, and no list does.
    """

    def __init__(
        self,
        collections: Sequence[ResourceCollection],
        prompts: Sequence[Prompt],
        errors: ErrorMap,
        listen: Callable[[str, str], None] | None = None,
        unlisted: Mapping[str, Callable[[], dict[str, Any]]] | None = None,
    ) -> None:
        self._listen = listen
        self._unlisted = unlisted or {}
        self._collections = {one.scheme: one for one in collections}
        self._prompts = {one.name: one for one in prompts}
        self._errors = errors
        self._work: dict[str, Callable[[Enquiry, Cancelled], dict[str, Any]]] = {
            "resources/list": self._list_resources,
            "resources/read": self._read,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }

    def fixed(self, enquiry: Enquiry) -> dict[str, Any] | None:
        """An answer that is always the same, if the method has one."""
        if enquiry.method == "resources/templates/list":
            forms = [one.template.definition() for one in self._collections.values()]
            return enquiry.add_hints({"resourceTemplates": forms})
        if enquiry.method == "prompts/list":
            listed = [one.definition() for one in self._prompts.values()]
            return enquiry.add_hints({"prompts": listed})
        return None

    def begin(self, enquiry: Enquiry, finish: Callable[[Outcome], None]) -> Job:
        """Answer beside the caller, who may cancel the job; `finish` must not wait for anybody."""
        return begin_in_thread(threads_of(THREADS), partial(self._answer, enquiry), finish)

    async def run(self, enquiry: Enquiry) -> Outcome:
        """Answer for a coroutine, which may be cancelled."""
        fixed = self.fixed(enquiry)
        if fixed is not None:
            return fixed
        return await run_in_thread(threads_of(THREADS), partial(self._answer, enquiry))

    def _answer(self, enquiry: Enquiry, job: ThreadJob) -> Outcome:
        work = self._work[enquiry.method]
        return self._errors.guard_work(
            lambda: enquiry.add_hints(work(enquiry, job.is_called_off)), enquiry.family
        )

    def _list_resources(self, _enquiry: Enquiry, _is_cancelled: Cancelled) -> dict[str, Any]:
        listed = [one for each in self._collections.values() for one in each.listed()]
        return {"resources": [one.definition() for one in listed]}

    def _read(self, enquiry: Enquiry, is_cancelled: Cancelled) -> dict[str, Any]:
        uri = _text(enquiry.params, "uri", "the URI of a resource", LONGEST_URI)
        if uri in self._unlisted:
            return {"contents": [self._unlisted[uri]()]}
        try:
            found = self._of_scheme(uri).read(uri, is_cancelled)
        except NotFound as missing:
            missing.details = {"uri": uri}
            raise
        if self._listen is not None:
            self._listen(enquiry.client, found.text)
        read = {"contents": [found.contents()]}
        return {**read, "_meta": found.meta} if found.meta is not None else read

    def _of_scheme(self, uri: str) -> ResourceCollection:
        scheme, separator, _ = uri.partition("://")
        found = self._collections.get(scheme.lower()) if separator else None
        if found is None:
            schemes = " or ".join(f"{name}://" for name in self._collections)
            raise NotFound(f"There is no such resource; those of this server begin with {schemes}.")
        return found

    def _get_prompt(self, enquiry: Enquiry, _is_cancelled: Cancelled) -> dict[str, Any]:
        name = _text(enquiry.params, "name", "the name of a prompt", LONGEST_ARGUMENT)
        return self._prompt(name).message(enquiry.params.get("arguments"))

    def _prompt(self, name: str) -> Prompt:
        if name not in self._prompts:
            known = ", ".join(self._prompts) or "none"
            raise InvalidParams(f"Unknown prompt {quote_value(name)}; there are: {known}")
        return self._prompts[name]

    def _complete(self, enquiry: Enquiry, _is_cancelled: Cancelled) -> dict[str, Any]:
        params = enquiry.params
        argument = params.get("argument") if isinstance(params, dict) else None
        name = _text(argument, "argument.name", "the name of an argument", LONGEST_ARGUMENT)
        value = _text(argument, "argument.value", "what was typed", LONGEST_ARGUMENT)
        context = params.get("context")
        others = context.get("arguments") if isinstance(context, dict) else None
        suggest = self._suggester(params.get("ref"), name)
        found = Suggestions()
        if suggest is not None:
            found = suggest(Typed(name, value, _texts(others, "context.arguments")))
        values = list(found.values[:MOST_SUGGESTIONS])
        has_more = found.total > len(values)
        return {"completion": {"values": values, "total": found.total, "hasMore": has_more}}

    def _suggester(self, ref: Any, name: str) -> Callable[[Typed], Suggestions] | None:
        """Who completes an argument; None where whatever is typed is as good."""
        kind = ref.get("type") if isinstance(ref, dict) else None
        if kind == "ref/prompt":
            prompt = self._prompt(_text(ref, "ref.name", "the name of a prompt", LONGEST_ARGUMENT))
            for one in prompt.arguments:
                if one.name == name:
                    return one.suggest
            raise InvalidParams(f"{prompt.name} has no argument {quote_value(name)}")
        if kind == "ref/resource":
            uri = _text(ref, "ref.uri", "the URI of a template", LONGEST_URI)
            for collection in self._collections.values():
                if collection.template.uri_template == uri:
                    if name not in collection.arguments:
                        raise InvalidParams(f"{uri} has no argument {quote_value(name)}")
                    return collection.suggest
            raise InvalidParams(f"Unknown resource template {quote_value(uri)}")
        raise InvalidParams('Invalid params: ref.type must be "ref/prompt" or "ref/resource"')


def _text(holder: Any, path: str, meaning: str, longest: int) -> str:
    """A text in params that has to be there."""
    key = path.rpartition(".")[2]
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: {path} must be {meaning}")
    if len(value) > longest:
        raise InvalidParams(f"Invalid params: {path} has more than {longest} characters")
    return value


def _texts(given: Any, path: str) -> dict[str, str]:
    """Texts by name, none of them too long."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InvalidParams(f"Invalid params: {path} must be an object")
    for name, value in given.items():
        if not isinstance(value, str):
            raise InvalidParams(
                f"Invalid params: {path} must hold text, and {quote_value(name)} is none"
            )
        if len(value) > LONGEST_ARGUMENT:
            raise InvalidParams(
                f"Invalid params: {quote_value(name)} has more than {LONGEST_ARGUMENT} characters"
            )
    return dict(given)

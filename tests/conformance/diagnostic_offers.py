"""The resources and prompts that the conformance suite asks for, made of the product's own values.

What the product's never hold (a picture, a document inside a message) stands beside them here, with
methods of the same names.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from tebiki.errors import NotFound
from tebiki.server.enquiries import (
    Prompt,
    PromptArgument,
    Resource,
    ResourceCollection,
    ResourceTemplate,
    ResourceText,
    Suggestions,
)
from tests.conformance.diagnostics import IMAGE, PIXEL, resource, text

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT_URI, BINARY_URI = "test://static-text", "test://static-binary"
TEMPLATE = re.compile(r"test://template/(\w+)/data")


class Picture:
    """What is at the URI of the picture."""

    text = ""
    meta = None

    @staticmethod
    def contents() -> dict[str, Any]:
        """Write it as `resources/read` does."""
        return {"uri": BINARY_URI, "mimeType": "image/png", "blob": PIXEL}


class RichPrompt:
    """A prompt whose messages hold more than text."""

    def __init__(self, plain: Prompt, blocks: Callable[[Any], list[dict[str, Any]]]) -> None:
        self.name = plain.name
        self.arguments = plain.arguments
        self.definition = plain.definition
        self._blocks = blocks

    def message(self, given: Any) -> dict[str, Any]:
        """The prompt as `prompts/get` gives it."""
        return {"messages": [{"role": "user", "content": one} for one in self._blocks(given)]}


def diagnostic_resources() -> ResourceCollection:
    """The suite's resources, under its scheme."""
    template = ResourceTemplate(
        "test://template/{id}/data", "template", "Template", "Data by id.", "application/json"
    )
    return ResourceCollection(
        scheme="test",
        template=template,
        arguments=("id",),
        listed=lambda: [
            Resource(TEXT_URI, "text", "Text", "Some text.", "text/plain"),
            Resource(BINARY_URI, "picture", "Picture", "One pixel.", "image/png"),
        ],
        read=lambda uri, _is_cancelled: _read(uri),
        suggest=lambda _typed: Suggestions(),
    )


def _read(uri: str) -> ResourceText:
    if uri == TEXT_URI:
        return ResourceText(uri, "text/plain", "This is the content of the static text resource.")
    if uri == BINARY_URI:
        return cast("ResourceText", Picture())
    if found := TEMPLATE.fullmatch(uri):
        data = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        return ResourceText(uri, "application/json", json.dumps(data))
    raise NotFound("There is no such resource.")


def diagnostic_prompts() -> list[Prompt]:
    """The suite's prompts."""
    image = _prompt("test_prompt_with_image", "")
    document = _prompt("test_prompt_with_embedded_resource", "", "resourceUri")
    rich = [
        RichPrompt(image, lambda _given: [IMAGE, text("Please analyze the image above.")]),
        RichPrompt(document, _with_document),
    ]
    return [
        _prompt("test_simple_prompt", "This is a simple prompt for testing."),
        _prompt(
            "test_prompt_with_arguments",
            "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
            "arg1",
            "arg2",
        ),
        *(cast("Prompt", one) for one in rich),
    ]


def _with_document(given: Any) -> list[dict[str, Any]]:
    words = "Embedded resource content for testing."
    embedded = resource(given["resourceUri"], "text/plain", words)
    return [embedded, text("Please process the embedded resource above.")]


def _prompt(name: str, words: str, *arguments: str) -> Prompt:
    rows = tuple(
        PromptArgument(one, "What to say.", required=True, suggest=lambda _typed: Suggestions())
        for one in arguments
    )
    return Prompt(name, name, f"Prompt of the conformance suite: {name}.", rows, words.format_map)

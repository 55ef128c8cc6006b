"""The headings of a Markdown text as the parser alone finds them: what ours must equal."""

from __future__ import annotations

from tebiki.manuals.documents import markdown


def parsed_headings(text: str, size: int = 262_144) -> list[markdown.Heading]:
    """Let the parser find all headings, about so many characters at a time."""
    found: list[markdown.Heading] = []
    start, line = 0, 0
    while start < len(text):
        tokens, end = markdown._parse_part(text, start, size, lambda: None)
        found.extend(markdown._headings(tokens, line))
        line += text.count("\n", start, end)
        start = end
    return found

"""Links of a Markdown text to other files: their text, the sentence around them, their target.

By patterns that never look at a character more than a few times: a text may be made to be slow.
What is code is covered first, so that nothing in it looks like a link. A target is only written
down here; which file of the manual it names is told by `link_targets`, from names alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.manuals.documents.link_targets import NOWHERE, WIKI, target_from
from tebiki.manuals.text.folding import lower, tidy_by_patterns
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tebiki.manuals.documents.sections import Section

MOST_LINKS = 5_000
"""Of one file; a page that has more is a list of everything, and says nothing of any of it."""

LONGEST_TEXT = 200
SENTENCE_CHARS = 300
"""Of a sentence, so much before a link and as much after it is kept."""

CHECKED_EVERY = 256

FENCED = re.compile(
    r"\n[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}+[.)])[ \t]++)?+"
    r"(?P<fence>(?:`{3}|~{3}))(?P<more>[`~]*+)[^\n]*+"
    r"(?:\n(?![ \t>]*+(?P=fence)(?P=more)[`~]*+[ \t]*+(?:\n|\Z))[^\n]*+)*+(?:\n[^\n]*+)?+"
)
"""A fence up to its end, or to the end of the text."""

# Each pattern begins with a class of characters: a search skips all others.
CODE_SPAN = re.compile(
    # Spans of one, two or more marks; a blank line ends every one of them.
    r"[`<](?:(?<=`)(?:(?!`)(?:[^`\n]|\n(?![ \t]*+\n))++`(?!`)"
    r"|`(?!`)(?:[^`\n]|`(?!`)|\n(?![ \t]*+\n))++``(?!`)"
    r"|`{2,}+[^`\n]++`{3,}+|`*+)"
    # Comments, and what HTML shows as it stands.
    r"|(?<=<)(?:!--(?:[^-]|-(?!->))*+(?:-->)?+"
    r"|(?i:(?:pre|script|style)\b(?:[^<]|<(?!/(?:pre|script|style)))*+)))"
)
INDENTED = re.compile(r"(?:\A|\n)[ \t]*\n(?P<code>(?:(?: {4}|\t)[^\n]*+(?:\n|\Z))++)")
"""Lines that are set in after a blank one: code, unless they go on with an item of a list."""

ITEM_START = re.compile(r"^[ \t>]*+(?:[-*+]|[0-9]{1,9}+[.)]|\[\^)", re.MULTILINE)
COVER = "\x01"
ESCAPE = "\\"
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")

_BRACKETED = rf"(?:[^\[\]\\\n]|\\.|\n(?![ \t]*+\n)|\[[^\[\]\n]{{0,{LONGEST_TEXT}}}+\])"
LINK = re.compile(
    r"[\[<](?:(?<=\[)(?:"
    r"\[(?P<page>[^\[\]\n|#]{1,300}+)(?:\#(?P<part>[^\[\]\n|]{0,300}+))?+"
    r"(?:\|(?P<alias>[^\[\]\n]{0,300}+))?+\]\]"
    rf"|(?<![\\!]\[)(?P<text>{_BRACKETED}{{1,400}}+)\]"
    r"(?:\([ \t\n]{0,20}+(?:<(?P<angled>[^<>\n]{0,1000}+)>"
    r"|(?P<url>[^\s()<>]{0,1000}+(?:\([^\s()]{0,300}+\)[^\s()]{0,300}+){0,5}+)"
    # With spaces as they are, which many write, only where it ends as a file does.
    r"|(?P<spaced>[^\s()<>\"'][^()<>\n\"']{0,300}?\.(?:md|markdown|mdx|html)"
    r"(?:\#[^()<>\n\"']{0,300}?)?))"
    r"(?:[ \t\n]{1,20}+(?:\"[^\"\n]{0,500}+\"|'[^'\n]{0,500}+'|\([^()\n]{0,500}+\)))?+"
    r"[ \t\n]{0,20}+\)"
    r"|\[(?P<label>[^\[\]\n]{0,300}+)\])?+)"
    r"|(?<=<)(?:[aA](?=\s)(?P<attributes>[^<>]{1,2000}+)>"
    r"(?P<inner>(?:[^<]|<(?!/?[aA][\s>])){0,600}+)</[aA]"
    r"|(?P<auto>[^\s<>:@]{1,300}+)>))"
)
HREF = re.compile(
    r"(?<!\S)(?i:href)[ \t\n]{0,20}+=[ \t\n]{0,20}+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))"
)
DEFINITION = re.compile(
    r"^(?: {0,3}>){0,3} {0,3}\[(?P<label>[^\[\]\n^][^\[\]\n]{0,300}+)\]:[ \t]{0,20}+"
    r"(?:<(?P<angled>[^<>\n]{1,1000}+)>|(?P<url>[^\s<>]{1,1000}+))[^\n]*+",
    re.MULTILINE,
)
LINKED_FILE = re.compile(r"\.(?:md|markdown|mdx|json)(?:#|\Z)", re.IGNORECASE)
"""How the name of a file ends, in what stands between angle brackets and is no mark of HTML."""

SENTENCE_END = re.compile(
    r"[.!?;\n。！？](?:(?<=[。！？])|(?<=\n)(?=[ \t]*+(?:\n|[-*+|#>]|[0-9]{1,3}+[.)]))"
    r"|(?<=[.!?;])(?=\s))"
)
HIDDEN = re.compile(
    r"[`*\[\]!<](?:(?<=[`*\[])|(?<=\])(?:\([^()\n]{0,300}+\)|\[[^\[\]\n]{0,300}+\])?+"
    r"|(?<=!)(?=\[)|(?<=<)/?+[a-zA-Z][^<>]{0,300}+>)"
)
"""What a reader of a sentence does not see."""

LINK_SIGNS = (
    *("](", "][", "[[", "]:", "<a ", "<A ", "<a\n"),
    *(".md>", ".md#", ".markdown", ".mdx", ".json>", ".json#"),
)
"""Without one of these a text has no link, nor what defines one."""

BRACKETS = "[]<>"
"""Each of these signs has one of them, and a character is looked for far more quickly."""


class Link(NamedTuple):
    """A link to a file: its line, what it says, the sentence around it, folded, where it leads.

    `target` is as `target_from` writes it down, `fragment` what it says after `#`.
    """

    line: int
    text: str
    sentence: str
    target: str
    fragment: str


def links_of(sections: Sequence[Section], check: Callable[[], None]) -> list[list[Link]]:
    """The links of each section of one file; those to the file itself are left out.

    `check` is called often, and may raise.
    """
    found: list[list[Link]] = [[] for _ in sections]
    whole = "\0".join([section.text for section in sections])
    if not any(map(whole.__contains__, BRACKETS)) or not any(map(whole.__contains__, LINK_SIGNS)):
        return found
    covered = [_cover_code(section.text) if _may_link(section) else "" for section in sections]
    check()
    defined = _definitions(covered)
    left = MOST_LINKS
    if defined:
        # A reference may be all that a section has, and what defines one is none itself.
        covered = [
            DEFINITION.sub(_cover, text or _cover_code(section.text))
            for text, section in zip(covered, sections, strict=True)
        ]
    for section, text, links in zip(sections, covered, found, strict=True):
        for link in _links_in(section, text, defined, check):
            links.append(link)
            left -= 1
            if not left:
                return found
    return found


def _may_link(section: Section) -> bool:
    text = section.text
    return section.json_path is None and any(sign in text for sign in LINK_SIGNS)


def _definitions(texts: Sequence[str]) -> dict[str, str]:
    """Where the references of a file lead; of two for one label the first counts."""
    found: dict[str, str] = {}
    for text in texts:
        if "]:" in text:
            for match in DEFINITION.finditer(text):
                if len(found) >= MOST_LINKS:
                    return found
                url = _unescaped(match["angled"] or match["url"])
                found.setdefault(_label(match["label"]), url)
    return found


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _cover_code(text: str) -> str:
    """The text with all code covered, each character at its place."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "```" in text or "~~~" in text:
        text = FENCED.sub(_cover, f"\n{text}")[1:]
    if "`" in text or "<" in text:
        text = CODE_SPAN.sub(_cover, text)
    if "\n    " in text or "\n\t" in text:
        text = INDENTED.sub(_cover_indented, text)
    return text


def _cover(match: re.Match[str]) -> str:
    """As long as what it covers, line by line."""
    code = match[0]
    if "\n" not in code:
        return code if code == "<" else COVER * len(code)
    return "\n".join([COVER * len(line) for line in code.split("\n")])


def _cover_indented(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 2000) : match.start()]
    paragraph = before.rpartition("\n\n")[2]
    if ITEM_START.search(paragraph) or paragraph.startswith(("    ", "\t", "  ")):
        return match[0]
    start = match.start("code") - match.start()
    lines = match[0][start:].split("\n")
    return match[0][:start] + "\n".join([COVER * len(line) for line in lines])


def _links_in(
    section: Section, covered: str, defined: Mapping[str, str], check: Callable[[], None]
) -> Iterator[Link]:
    text, path = section.text, section.path
    place, seen, sentence = 0, 0, _NO_SENTENCE
    line, counted = section.start_line, 0
    while match := LINK.search(covered, place):
        seen += 1
        if not seen % CHECKED_EVERY:
            check()
        url = _url_of(match, text, defined)
        target, fragment = target_from(path, url) if url else NOWHERE
        start, place = match.span()
        if not target or target == path:
            # What stands in these brackets may be a link itself.
            place = place if target or not match["text"] else start + 1
            continue
        if start >= sentence.end:
            sentence = _sentence_around(text, start, place)
        line += covered.count("\n", counted, start)
        counted = start
        yield Link(line, _shown(_text_of(match, text)), sentence.shown, target, fragment)


def _url_of(match: re.Match[str], text: str, defined: Mapping[str, str]) -> str:
    """Where a link leads as it is written; nothing when it is none."""
    if match["page"] is not None:
        # In a table the bar before another name is written with a sign that is not of the name.
        page, part = (match[name] or "" for name in ("page", "part"))
        return f"{WIKI}{page.removesuffix(ESCAPE).strip()}#{part.removesuffix(ESCAPE)}"
    if match["attributes"] is not None:
        told = HREF.search(match["attributes"])
        return next(filter(None, told.groups()), "") if told else ""
    if match["auto"] is not None:
        return match["auto"] if LINKED_FILE.search(match["auto"]) else ""
    for name in ("angled", "url", "spaced"):
        if match[name] is not None:
            return _unescaped(match[name])
    if not defined:
        return ""
    return defined.get(_label(match["label"] or text[slice(*match.span("text"))]), "")


def _unescaped(url: str) -> str:
    return ESCAPED.sub(r"\1", url) if ESCAPE in url else url


def _text_of(match: re.Match[str], text: str) -> str:
    """What a link says; one between angle brackets says its target."""
    for name in ("text", "inner", "alias", "page", "auto"):
        if match[name]:
            return text[slice(*match.span(name))]
    return ""


def _shown(text: str) -> str:
    text = text.strip("`")
    if not text.isalnum():
        text = HIDDEN.sub("", text)
        if "&" in text:
            from html import unescape  # few texts have such signs

            text = unescape(text)
        text = " ".join(text.split())
    return text[:LONGEST_TEXT]


class _Sentence(NamedTuple):
    """A sentence with links in it, as it is kept, and where it ends."""

    shown: str
    end: int


_NO_SENTENCE = _Sentence("", -1)


def _sentence_around(text: str, start: int, end: int) -> _Sentence:
    """The sentence, the item or the row that a link stands in."""
    begun = max(0, start - SENTENCE_CHARS)
    for before in SENTENCE_END.finditer(text, begun, start):
        begun = before.end()
    after = SENTENCE_END.search(text, end, end + SENTENCE_CHARS)
    stop = after.end() if after else min(len(text), end + SENTENCE_CHARS)
    return _Sentence(lower(tidy_by_patterns(HIDDEN.sub("", text[begun:stop]))), stop)

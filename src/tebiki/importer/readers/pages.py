"""HTML: which encoding it is in, what of it is the text, and that as Markdown."""

from __future__ import annotations

import codecs
import re
from html import escape
from html.parser import HTMLParser

from tebiki.errors import InvalidArguments
from tebiki.files.encodings import decode
from tebiki.importer.blocks import MarkdownBlock
from tebiki.importer.joining import BROKEN_CJK, UNUSED, clean, with_reading
from tebiki.importer.outcomes import BROKEN, TOO_LARGE, Document, Unreadable

MARKED = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
HEAD_BYTES = 4096
DECLARED = re.compile(
    rb"<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "cp932": "cp932",
    "ms932": "cp932",
    "euc-jp": "euc_jp",
    "x-euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp_2",
    "iso-8859-1": "cp1252",
    "us-ascii": "cp1252",
    "windows-1252": "cp1252",
}
"""What pages declare, as Python calls it; Shift_JIS on the web is CP932."""

VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
)
DROPPED = frozenset(
    [
        "script",
        "style",
        "nav",
        "noscript",
        "template",
        "iframe",
        "object",
        "svg",
        "button",
        "select",
    ]
)
FRAME = frozenset(["footer", "aside"])
"""Around the text where a page does not say which part is its main one."""

DROPPED_ROLES = frozenset(["navigation", "banner", "contentinfo", "search", "complementary"])
NO_TEXT = frozenset(["script", "style"])
DEEPEST_NESTING = 2_000
LINE_OF_MARKUP = re.compile(r"^(\s*)(<|=+\s*$)")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
LINKS_OF_THE_PAGE = re.compile(r"^\s*(?:#|javascript:|data:|vbscript:)", re.IGNORECASE)


def read_html(data: bytes) -> Document:
    """Read a page.

    Raises:
        Unreadable: it is in no encoding that is known, or nested too deeply.
    """
    text = decode_page(data)
    main = _Main(
        has_main=bool(re.search(r"<main\b|\brole\s*=\s*[\"']?main\b", text, re.IGNORECASE))
    )
    main.feed(text)
    main.close()
    main.handle_endtag("ruby")  # where a page leaves one open
    return Document([MarkdownBlock(markdown(main.html()))], title=clean(main.title))


def decode_page(data: bytes) -> str:
    """The text of a page: its mark decides, then what it declares, then what its bytes look like.

    Raises:
        Unreadable: none of these.
    """
    for mark, codec in MARKED:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, errors="replace")
    declared = DECLARED.search(data[:HEAD_BYTES])
    named = CODECS.get(declared[1].decode("ascii", "replace").lower()) if declared else None
    if named is not None:
        try:
            return data.decode(named)
        except UnicodeDecodeError:
            pass  # pages lie about it
    try:
        return decode(data)[0]
    except InvalidArguments as wrong:
        if named is not None:
            return data.decode(named, errors="replace")
        raise Unreadable(BROKEN, "broken: not text in UTF-8, UTF-16, CP932 or EUC-JP") from wrong


def markdown(html: str) -> str:
    """A page as Markdown."""
    from html_to_markdown import ConversionOptions, convert  # only where there is a page

    options = ConversionOptions(
        extract_metadata=False, skip_images=True, compact_tables=True, autolinks=False
    )
    return _tame(convert(html, options).content or "")


def _tame(text: str) -> str:
    """Markdown in which no line of text is taken for a mark of ours or for an underline."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        lines.append(line if fence else LINE_OF_MARKUP.sub(r"\1\\\2", line).rstrip())
    return re.sub(r"\n{3,}", "\n\n", UNUSED.sub("", "\n".join(lines))).strip()


class _Main(HTMLParser):
    """Writes a page again, without what is not its text."""

    def __init__(self, *, has_main: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._has_main = has_main
        self._inside_main = 0
        self._open: list[tuple[str, bool, bool]] = []
        self._dropping = 0
        self._verbatim = 0
        self._in_title = False
        self._ruby: list[str] | None = None
        self._out: list[str] = []
        self._everything: list[str] = []

    def html(self) -> str:
        """What was kept: the main part, or all where that is empty."""
        return "".join(self._out if self._has_main and self._out else self._everything)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag, or drop what it begins."""
        named = {name: value or "" for name, value in attrs}
        if tag in VOID:
            self._write(f"<{tag}>")
            return
        if tag == "ruby" and self._ruby is None:
            # The words and their reading, each put together: no term is cut by its signs' readings.
            self._ruby = ["", ""]
        if len(self._open) > DEEPEST_NESTING:
            raise Unreadable(TOO_LARGE, f"tags nested more than {DEEPEST_NESTING} deep")
        is_main = tag == "main" or named.get("role") == "main"
        drops = not is_main and self._drops(tag, named)
        self._open.append((tag, drops, is_main))
        self._dropping += drops
        self._verbatim += tag in {"pre", "textarea"}
        self._inside_main += is_main
        self._in_title = tag == "title" and not self.title
        self._write(f"<{tag}{_keep_attributes(named)}>")

    def handle_endtag(self, tag: str) -> None:
        """Close a tag, and those in it that were left open."""
        if tag == "title":
            self._in_title = False
        if all(name != tag for name, _, _ in self._open):
            return
        while self._open:
            name, dropped, is_main = self._open.pop()
            if name == "ruby" and self._ruby is not None:
                base, reading = ("".join(part.split()) for part in self._ruby)
                self._ruby = None
                self._write(escape(with_reading(base, reading), quote=False))
            self._write(f"</{name}>")
            self._dropping -= dropped
            self._verbatim -= name in {"pre", "textarea"}
            self._inside_main -= is_main
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """Keep text; Japanese that was broken into lines is whole again."""
        if self._in_title:
            self.title += data
            return
        if self._open and self._open[-1][0] in NO_TEXT:
            return
        if self._ruby is not None:
            within = self._open[-1][0] if self._open else ""
            if within != "rp":
                self._ruby[within == "rt"] += data
            return
        self._write(escape(data if self._verbatim else BROKEN_CJK.sub("", data), quote=False))

    def _drops(self, tag: str, named: dict[str, str]) -> bool:
        if tag in DROPPED or "hidden" in named or named.get("aria-hidden") == "true":
            return True
        if named.get("role", "").lower() in DROPPED_ROLES:
            return True
        return tag in FRAME and not self._has_main

    def _write(self, text: str) -> None:
        if self._dropping or self._ruby is not None:
            return
        self._everything.append(text)
        if self._inside_main:
            self._out.append(text)


def _keep_attributes(named: dict[str, str]) -> str:
    """What of a tag's attributes means something to a reader."""
    kept = ""
    for name in ("href", "rowspan", "colspan", "start"):
        value = named.get(name, "")
        if value and not (name == "href" and LINKS_OF_THE_PAGE.match(value)):
            kept += f' {name}="{escape(value)}"'
    return kept

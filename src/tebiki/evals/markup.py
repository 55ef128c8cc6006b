"""HTML that cannot be broken by what stands in it: text is escaped unless it is markup already.

The only place where a piece of HTML comes to be. What the pieces mean is `page`'s and `plots`'.
"""

from __future__ import annotations

import html
import unicodedata

WITHOUT_END = frozenset(["meta"])
"""Elements of HTML that have no end; those of SVG always have one."""

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the reading direction around: what is read is then not what is there."""

INSTEAD = "\ufffd"


class Markup(str):
    """A piece of HTML."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """A text as HTML shows it; what no page can hold is marked as such."""
    plain = text if text.isascii() and text.isprintable() else "".join(map(_safe, text))
    return Markup(html.escape(plain, quote=True))


def tag(name: str, /, *inside: str, **attributes: str | float) -> Markup:
    """An element; `class_` stands for class, and a low line in a name for a dash."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
    )
    start = f"<{name}{written}>"
    return Markup(start if name in WITHOUT_END else f"{start}{join(*inside)}</{name}>")


def join(*parts: str) -> Markup:
    """Pieces one after another, each text among them escaped."""
    return Markup("".join(one if isinstance(one, Markup) else escape(one) for one in parts))


def table(headings: list[str], rows: list[list[str]], numbers: int = 0) -> Markup:
    """A table that scrolls by itself when it is too wide; the last columns may be numbers."""
    first_number = len(headings) - numbers

    def row(cells: list[str], kind: str) -> Markup:
        return tag(
            "tr",
            *(
                tag(kind, cell, class_="number") if at >= first_number else tag(kind, cell)
                for at, cell in enumerate(cells)
            ),
        )

    body = tag("tbody", *(row(cells, "td") for cells in rows))
    inner = tag("table", tag("thead", row(headings, "th")), body)
    return tag("div", inner, class_="scroll", tabindex="0")


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def _safe(sign: str) -> str:
    if sign in "\n\t":
        return sign
    return INSTEAD if sign in TURNING or unicodedata.category(sign) in {"Cc", "Cs"} else sign

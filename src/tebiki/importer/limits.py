"""How much of anything an import takes, and what a child process may use."""

from __future__ import annotations

CONVERTER = "4"
"""Goes up whenever the same source would give other text: what was imported is then read anew."""

MEBIBYTE = 1024 * 1024

MOST_SOURCE_BYTES = 512 * MEBIBYTE
MOST_UNPACKED_BYTES = 256 * MEBIBYTE
"""Of all that is taken out of one file that is packed."""

MOST_MEMBERS = 100_000
"""Files in one zip file that are looked at."""

MOST_PAGES = 20_000
MOST_TEXT_BYTES = 64 * MEBIBYTE
"""Of the Markdown that one file gives."""

MOST_PART_BYTES = 8 * MEBIBYTE
"""Of one file of Markdown; search takes 16 MiB, and a note can be edited up to this size."""

MOST_HEAD_BYTES = MEBIBYTE
"""Of the line that tells what a child found."""

MEMORY_BYTES = 1024 * MEBIBYTE
CPU_SECONDS = 60
PAGES_OF_CPU_SECONDS = 1_000
"""So many pages may take `CPU_SECONDS`, and so many more as much again."""

WALL_FACTOR = 3
"""Seconds on the wall for each second of CPU: others use the machine as well."""

MOST_DESCRIPTORS = 32
MOST_CHILDREN = 2
LONGEST_TITLE = 300
MOST_HEADING_CHARS = 200
"""A line that is longer is a paragraph, however large its letters are."""


def cpu_seconds(pages: int) -> int:
    """How long a child may work on so many pages."""
    return CPU_SECONDS * max(1, -(-pages // PAGES_OF_CPU_SECONDS))

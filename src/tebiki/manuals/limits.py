"""What may be asked of the manuals: defaults, bounds and choices, for whoever asks and answers.

Constants only: tools are listed with them before anything of the engine is loaded.
"""

from __future__ import annotations

DEPTHS = ("shallow", "deep")
DEFAULT_FILES = 20
MOST_FILES = 200
"""Of one table of contents, all its pages together."""

MOST_FILES_WIDE = 50
"""Of one page, when headings are shown or the whole manual is asked for."""

DEFAULT_HEADINGS = 20
MOST_HEADINGS = 200
"""Of one file in a table of contents."""

LONGEST_QUERY = 2000
LONGEST_TERM = 500
MOST_TERMS = 2
DEFAULT_CANDIDATES = 200
DEFAULT_TIME_MS = 60_000
LONGEST_TIME_MS = 24 * 60 * 60 * 1000
"""Whoever asks for more than a day gets a day."""

MOST_INLINE = 5
"""Hits an answer shows at once; more are asked for page by page."""

KINDS = (
    "candidates",
    "unscanned",
    "conflicts",
    "gaps",
    "integrated_top",
    "claims",
    "evidences",
    "edges",
    "gate_runs",
    "fusion_debug",
)
DEFAULT_HITS = 50

MOST_SECTIONS_READ = 20
"""With scope sections."""

SCOPES = ("snippet", "section", "sections", "file")
AROUND_CHARS = 240
"""On each side of a snippet's line, unless told otherwise."""

READABLE_CHARS = 1_000
"""Of a node of JSON: neighbours are kept together up to this size, larger ones parted if that can
be, and whoever is led to a node is shown so much from there on."""

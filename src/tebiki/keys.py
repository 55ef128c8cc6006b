"""What an API key looks like, for whoever must not repeat one."""

from __future__ import annotations

KEY_LIKE = r"\bsk-[A-Za-z0-9_-]{8,}"
"""A pattern as text: most processes never need it compiled."""

SHORTEST_SECRET = 6
"""A shorter "key" is a typing error or a word for none; it stands inside ordinary words."""

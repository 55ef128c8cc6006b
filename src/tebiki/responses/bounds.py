"""How large a reply may be, however it comes."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from tebiki.errors import BadReply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MOST_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, unpacked: a thousand times what an answer has, and no more than memory has."""


async def bound_reply(response: Any) -> None:
    """See to it that no reply fills the memory, whatever it claims to be."""
    read = response.aiter_bytes

    async def bounded(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        total = 0
        # Closed with the reply, also when only a part of it was wanted.
        async with aclosing(read(chunk_size)) as pieces:
            async for piece in pieces:
                total += len(piece)
                if total > MOST_REPLY_BYTES:
                    raise BadReply(
                        f"The API's reply has more than {MOST_REPLY_BYTES} bytes; no answer does. "
                        "Check openai.base_url, and whatever stands between here and there"
                    )
                yield piece

    response.aiter_bytes = bounded

"""What the HTTP server is told: frozen values, made from the settings by `app/http_settings.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tebiki.budget.clients import Allowance
    from tebiki.web.addresses import Guests, ListenAddress


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of everything one worker bears."""

    body_bytes: int
    header_bytes: int
    read_seconds: float
    write_seconds: float
    connections: int
    sessions: int
    sessions_per_client: int
    session_idle_seconds: float
    shutdown_seconds: float


@dataclass(frozen=True, slots=True)
class OAuth:
    """Whose tokens are taken, and for whom they must be meant."""

    issuer: str
    audience: str
    jwks_url: str | None = None
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Everything the HTTP server wants to know."""

    place: ListenAddress
    guests: Guests
    bounds: Bounds
    allowance: Allowance
    token_file: str
    token_always_needed: bool = False
    workers: int = 1
    shares_state: bool = False
    tokens: tuple[str, ...] = ()
    oauth: OAuth | None = None
    access_log: bool = True
    page: bool = False

    @property
    def has_sessions(self) -> bool:
        """Whether there are MCP sessions: only where every request comes to one process."""
        return self.workers == 1 and not self.shares_state

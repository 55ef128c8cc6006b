"""Every error tebiki raises on purpose, as one tree.

    TebikiError                 str() is fit for a person or a model to read
    ├── UsageError              the caller can put it right
    │   ├── InvalidArguments    a tool's arguments are not what it takes
    │   ├── UnknownTool         no tool of that name is served
    │   ├── TooManyCalls        one client has too many calls running at once
    │   ├── InvalidPath         a string that cannot be the name of a file here
    │   ├── NotFound            nothing is there
    │   ├── NeedsNarrowScope    more files are there than one answer may list
    │   ├── InvalidScope        that way of reading does not suit this kind of file
    │   └── Conflict            what exists there does not allow it
    ├── RefusedError            a rule forbids it
    │   ├── OutOfScope          it lies outside the root
    │   ├── Forbidden           a link, or a reserved area
    │   ├── PrivateText         a question for the web repeats what the user's own files say
    │   └── OverBudget          the user's own cap on paid calls; says when calls are allowed again
    ├── ConfigError             a setting is wrong
    │   ├── BadSetting          found at start-up; names the key, its origin and what is allowed
    │   ├── MissingKey          no API key in the environment
    │   ├── MissingProfile      the model profile a tool needs is set to null
    │   ├── MissingPrice        a daily cap is set and the model has no price
    │   └── UnreadCap           a cap on paid calls is set to something that is none
    ├── UpstreamError           the Responses API failed
    │   ├── UpstreamTimeout     one attempt took longer than allowed
    │   ├── ConnectionFailed    the API could not be reached, or hung up
    │   ├── AuthRejected        401 or 403
    │   ├── ModelNotFound       404 for the configured model
    │   ├── RateLimited         429; says when to try again, if the API does
    │   ├── ServerFault         5xx
    │   └── BadReply            a reply that cannot be used
    └── ProtocolError           the peer broke the protocol
        ├── ParseError          not JSON
        ├── InvalidRequest      JSON, but not a request
        ├── MethodNotFound
        ├── InvalidParams
        └── UnsupportedVersion  a protocol revision that is not supported

Wire codes are not here: `server/error_map.py` alone knows them.
"""

from __future__ import annotations

from typing import Any


class TebikiError(Exception):
    """Whatever tebiki itself reports; `details` are facts by which a caller can help itself.

    `remedy` is what else would help, as an engine knows it; by which tool or command that is done,
    the counter and the command line tell.
    """

    def __init__(
        self, *words: object, details: dict[str, Any] | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(*words)
        self.details = details
        self.remedy = remedy


class UsageError(TebikiError):
    """The caller can put it right."""


class InvalidArguments(UsageError):
    """A tool's arguments are not what it takes."""


class UnknownTool(UsageError):
    """No tool of that name is served."""


class TooManyCalls(UsageError):
    """More calls at once than one client may have running."""


class InvalidPath(UsageError):
    """A string that cannot name a file here."""


class NotFound(UsageError):
    """Nothing is there."""


class NeedsNarrowScope(UsageError):
    """More lies there than one answer may list."""


class InvalidScope(UsageError):
    """A file of that kind is not read in that way."""


class Conflict(UsageError):
    """What is there stands in the way."""


class RefusedError(TebikiError):
    """A rule forbids it."""


class OutOfScope(RefusedError):
    """It lies outside the root."""


class Forbidden(RefusedError):
    """A link, or a reserved area."""


class PrivateText(RefusedError):
    """A question for the web repeats a long passage of the user's own files; nothing was sent."""


class OverBudget(RefusedError):
    """A cap that the user set on paid calls is reached; nothing was sent."""

    def __init__(self, message: str, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class ConfigError(TebikiError):
    """A setting is wrong."""


class BadSetting(ConfigError):
    """A value that stops the start; one line that names key, value, origin and what is allowed."""


class MissingKey(ConfigError):
    """No API key in the environment."""

    def __init__(self, variable: str) -> None:
        super().__init__(f"Missing API key: set {variable}")
        self.variable = variable


class MissingProfile(ConfigError):
    """The model profile a tool needs is set to null."""


class MissingPrice(ConfigError):
    """A daily cap is set, and what the model costs is not known."""


class UnreadCap(ConfigError):
    """Somebody set a cap on paid calls, and what it is cannot be read; nothing was sent."""


class UpstreamError(TebikiError):
    """The Responses API failed."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        kind: str | None = None,
        name: str | None = None,
        body: str = "",
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.kind = kind
        self.name = name or type(self).__name__
        self.body = body
        self.retry_after_seconds = retry_after_seconds
        self.attempts = 1
        self.was_sent = True
        """False when no attempt came as far as a connection: nobody can have billed anything."""


class UpstreamTimeout(UpstreamError):
    """One attempt took longer than allowed."""


class ConnectionFailed(UpstreamError):
    """The API could not be reached, or hung up."""


class AuthRejected(UpstreamError):
    """The API refused the key (401) or what the key may do (403)."""


class ModelNotFound(UpstreamError):
    """The API does not know the configured model."""


class RateLimited(UpstreamError):
    """The API asks to come back later (429)."""


class ServerFault(UpstreamError):
    """The API failed on its own side (5xx)."""


class BadReply(UpstreamError):
    """The API answered with something that cannot be used."""


class UnwritableOutput(TebikiError):
    """What a command prints cannot be written: the disk behind it is full."""


class ProtocolError(TebikiError):
    """The peer broke the protocol."""


class ParseError(ProtocolError):
    """A message that is not JSON."""


class InvalidRequest(ProtocolError):
    """JSON that is no request; keeps the id when there was a usable one."""

    def __init__(self, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.request_id = request_id


class MethodNotFound(ProtocolError):
    """A method this server does not have."""


class InvalidParams(ProtocolError):
    """A method's params are not what it takes."""


class UnsupportedVersion(ProtocolError):
    """A protocol revision we do not speak."""

    def __init__(self, requested: str, supported: tuple[str, ...]) -> None:
        super().__init__("Unsupported protocol version")
        self.requested = requested
        self.supported = supported

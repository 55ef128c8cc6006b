"""A loopback stand-in for the OpenAI Responses API, for tests, demonstrations and measurements.

Only the standard library may be imported here; nothing of tebiki may be, either.
"""

from simulator.journal import RecordedRequest
from simulator.server import Simulator

__all__ = ["RecordedRequest", "Simulator"]

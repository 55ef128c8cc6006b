"""The SDK is imported without its types, and is whole for whoever asks for more of it."""

from __future__ import annotations

import subprocess
import sys

BUILD = """
import sys
from tebiki.responses.client import Responder
from tebiki.responses.lean_sdk import import_leanly

import_leanly()
from openai._client import AsyncOpenAI
"""


def run(lines: str) -> str:
    """What a fresh interpreter prints that has the client."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD + lines], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_client_comes_without_the_descriptions_of_what_it_sends() -> None:
    """They are most of the SDK, and of the time that the first answer waits for it."""
    printed = run("print(sum(name.startswith('openai.types.') for name in sys.modules))")

    assert int(printed) < 10


def test_every_public_name_of_the_sdk_is_still_there() -> None:
    """Also after a client was made, and the same as in the module that defines it."""
    printed = run(
        "import openai\n"
        "print(all(hasattr(openai, name) for name in openai.__all__))\n"
        "print(openai.AsyncOpenAI is AsyncOpenAI)\n"
        "from openai.types.responses import Response\n"
        "print(Response.__name__)\n"
    )

    assert printed.split() == ["True", "True", "Response"]

"""`python -m simulator`, as a benchmark or a demonstration starts it."""

import subprocess
import sys
from urllib.parse import urlsplit

from openai import OpenAI

from simulator import Simulator
from tests.simulator.asking import KEY

_COMMAND = [sys.executable, "-m", "simulator"]


def test_the_command_prints_its_url_and_serves_until_stdin_closes() -> None:
    """One line on stdout, then nothing but answers."""
    with subprocess.Popen(
        [*_COMMAND, "--delay-ms", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        with OpenAI(base_url=base_url, api_key=KEY, max_retries=0) as client:
            assert client.responses.create(model="gpt-5.2", input="hello").output_text
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(timeout=30) == 0


def test_the_command_says_when_its_port_is_taken(simulator: Simulator) -> None:
    """In one line, without a traceback."""
    port = str(urlsplit(simulator.base_url).port)
    ended = subprocess.run(
        [*_COMMAND, "--port", port], input="", capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"cannot listen on port {port}: ")
    assert len(ended.stderr.splitlines()) == 1

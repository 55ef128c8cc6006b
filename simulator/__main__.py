"""`python -m simulator`: print the base URL, serve until stdin closes."""

import argparse
import sys

from simulator.server import Simulator


def main() -> None:
    """Serve the stand-in for as long as the parent keeps stdin open."""
    parser = argparse.ArgumentParser(prog="python -m simulator")
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes a free one")
    parser.add_argument("--delay-ms", type=float, default=0, help="upstream time of each answer")
    wanted = parser.parse_args()
    try:
        with Simulator(port=wanted.port, delay_ms=wanted.delay_ms) as simulator:
            sys.stdout.write(simulator.base_url + "\n")
            sys.stdout.flush()
            sys.stdin.buffer.read()
    except (OSError, OverflowError) as problem:
        sys.exit(f"cannot listen on port {wanted.port}: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

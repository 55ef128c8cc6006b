"""`make page` begins here: says what the browser tests need and this machine does not have."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

CHROMIUM = os.environ.get("TEBIKI_CHROMIUM") or shutil.which("chromium") or ""


def missing() -> list[str]:
    """What is not there, each with how to get it."""
    told = []
    if not CHROMIUM:
        told.append(
            "Chromium is not on the PATH: apt-get install chromium, or name it with "
            "TEBIKI_CHROMIUM=/path/to/chromium"
        )
    if importlib.util.find_spec("playwright") is None:
        told.append(
            "Playwright is not installed: make page installs it from requirements/page.lock"
        )
    return told


def main() -> int:
    """Name what is missing; 1 if anything is."""
    told = missing()
    sys.stderr.writelines(f"make page: {line}\n" for line in told)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

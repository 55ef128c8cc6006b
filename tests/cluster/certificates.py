"""Certificates for servers on loopback, made by OpenSSL."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.cluster.releases import NEEDED, NotStarted, program

if TYPE_CHECKING:
    from pathlib import Path


def make_certificates(folder: Path, name: str = "localhost") -> Path:
    """A certificate for a name, its key, and the authority that signed it."""
    openssl = program("openssl")
    if openssl is None:
        raise NotStarted(f"openssl is missing: {NEEDED['openssl']}")
    key = ("-newkey", "rsa:2048", "-nodes", "-days", "1")
    authority = ("-CA", str(folder / "ca.pem"), "-CAkey", str(folder / "ca.key"))
    its_own = ("-addext", f"subjectAltName=DNS:{name}",
               "-addext", "basicConstraints=critical,CA:FALSE")  # fmt: skip
    for words in (
        ("-subj", "/CN=tests", "-keyout", str(folder / "ca.key"), "-out", str(folder / "ca.pem")),
        (*authority, "-subj", f"/CN={name}", *its_own,
         "-keyout", str(folder / "server.key"), "-out", str(folder / "server.pem")),
    ):  # fmt: skip
        subprocess.run([openssl, "req", "-x509", *key, *words], capture_output=True, check=True)
    return folder

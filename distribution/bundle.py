"""`make bundle`: the manifest and the sources become `dist/tebiki.mcpb`, always the same bytes."""

from __future__ import annotations

import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "dist" / "tebiki.mcpb"
BESIDE_THE_SOURCES = ("pyproject.toml", "README.md", "LICENSE")
A_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in the archive: when it was built says nothing."""


def build(target: Path) -> int:
    """Write the bundle; gives the number of its files."""
    files = {name: ROOT / name for name in BESIDE_THE_SOURCES}
    files["manifest.json"] = ROOT / "distribution" / "manifest.json"
    for path in sorted((ROOT / "src").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            files[path.relative_to(ROOT).as_posix()] = path
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(files.items()):
            entry = zipfile.ZipInfo(name, A_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return len(files)


def main() -> None:
    """Build it where the wheel is built too."""
    TARGET.parent.mkdir(exist_ok=True)
    count = build(TARGET)
    print(f"{TARGET.relative_to(ROOT)}: {count} files, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()

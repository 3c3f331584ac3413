# SPDX-License-Identifier: Apache-2.0
"""Which files belong to the project."""
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {".git", ".venv", "build", "demo", "dist", "__pycache__", ".pytest_cache", ".hypothesis"}


def project_files(root: Path = ROOT) -> list[Path]:
    """Files that git tracks or would track, relative to root, sorted; without git, all but build products."""
    if (root / ".git").exists():
        listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                 cwd=root, capture_output=True, text=True)
        if listing.returncode == 0:
            names = {name for name in listing.stdout.split("\0") if name}
            return sorted(Path(name) for name in names if (root / name).is_file())
    return sorted(path.relative_to(root) for path in root.rglob("*")
                  if path.is_file() and not LEFT_OUT.intersection(path.relative_to(root).parts))

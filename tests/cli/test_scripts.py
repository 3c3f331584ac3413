# SPDX-License-Identifier: Apache-2.0
"""Every script says what it does before it does anything, and does nothing when it is told what it does not know."""
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").iterdir()
                 if path.read_text().startswith("#!/usr/bin/env bash"))


def test_figures_are_listed_without_a_build():
    listed = subprocess.run([ROOT / "scripts" / "figures", "--list"], capture_output=True, text=True, timeout=20)
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert listed.returncode == 0 and names[:2] == ["counts", "accuracy"], listed.stderr
    refused = subprocess.run([ROOT / "scripts" / "figures", "--only", "none"], capture_output=True, text=True,
                             timeout=20)
    assert sorted(names) == sorted(refused.stderr.split("there are ")[1].split())


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_and_unknown_options(script):
    told = subprocess.run([ROOT / "scripts" / script, "--help"], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0 and told.stdout.startswith("Usage: scripts/" + script), told.stderr
    refused = subprocess.run([ROOT / "scripts" / script, "--nonsense"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "--nonsense" in refused.stderr and "Usage" in refused.stdout + refused.stderr

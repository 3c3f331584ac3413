# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from cli_support import Cli  # noqa: E402


@pytest.fixture
def tandem(tmp_path):
    return Cli(tmp_path)

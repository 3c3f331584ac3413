# SPDX-License-Identifier: Apache-2.0
import pytest
from cli_support import Cli


@pytest.fixture
def tandem(tmp_path):
    return Cli(tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""The script ``tandem`` of an installed package: starts the program ``tandem/bin/tandem``.

A module of its own, as an import of the package takes longer than most commands.
"""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tandem", "bin", "tandem")
    if not os.path.exists(program):
        sys.exit(
            "tandem: this installation has no command line, which needs fmt and CLI11 to be built. Debian and Ubuntu: "
            "apt-get install libfmt-dev libcli11-dev, then pip install --force-reinstall --no-deps . in Tandem's folder"
        )
    os.environ.setdefault("TANDEM_PYTHON", sys.executable)  # which has what draws pictures
    os.execv(program, [sys.argv[0], *sys.argv[1:]])

# SPDX-License-Identifier: Apache-2.0
"""``python3 -m tandem.mjcf robot.xml > robot.urdf``: for programs that were built without MuJoCo."""

from __future__ import annotations

import sys

from tandem.errors import Error
from tandem.mjcf import _read_file


def _main(words: list[str]) -> int:
    if len(words) != 1 or words[0].startswith("-"):
        print("Usage: python3 -m tandem.mjcf robot.xml > robot.urdf", file=sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 2
    try:
        robot = _read_file(words[0])
        model, text = robot.build(), robot.write_urdf()
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for warning in model.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for joint in model.joints:
        if joint.type == "spherical":
            print(f'warning: ball joint "{joint.name}" becomes three hinges: URDF has no ball joints', file=sys.stderr)
    if names := model.configuration_names:
        print(f"warning: keyframes are ignored, as URDF does not support them: {', '.join(names)}", file=sys.stderr)
    print(text, end="")
    return 0


sys.exit(_main(sys.argv[1:]))

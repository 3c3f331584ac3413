# SPDX-License-Identifier: Apache-2.0
"""Sliders of joints, and handles of what floats, in the panel of the viewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tandem._core import Joint, Model
from tandem._view.drawing import real_first
from tandem.configuration import pose_to_quaternion
from tandem.functions import Array
from tandem.spatial import compose, inverse, quaternion_exp, quaternion_log, quaternion_to_matrix

#: More degrees of freedom than this, and sliders are those of one joint that is picked by name.
MOST_SLIDERS = 60
_MOST_NAMES = 2000  # in a list
_NO_LIMIT = {"prismatic": 1.0}  # m; others turn: a half turn each way

#: Called with what changes a configuration in place.
Change = Callable[[Callable[[Array], None]], None]


def choice(gui: Any, label: str, names: list[str], chosen: Callable[[str], None], hint: str | None = None) -> None:
    """A list to choose from; of very many names a field to write one in, in which others do nothing."""
    if len(names) <= _MOST_NAMES:
        field = gui.add_dropdown(label, tuple(names), hint=hint)
    else:
        field = gui.add_text(label, names[0], hint=f"one of {len(names):,} names")
    known = set(names)
    field.on_update(lambda event: chosen(field.value) if event.client and field.value in known else None)


class JointSliders:
    """What moves the joints of a robot, and follows them when they are moved elsewhere.

    Args:
        server: of viser
        model: the robot
        change: carries out what a slider asks for
        size: m, of the gizmos of free joints
    """

    def __init__(self, server: Any, model: Model, change: Change, size: float) -> None:
        self._server, self._model, self._change, self._size = server, model, change, size
        self._rows: dict[str, list[Callable[[Array], None]]] = {}  # of each joint: what follows a configuration
        self._gizmos: list[tuple[Joint, Any]] = []
        self._handles: list[Any] = []
        self._held = ""  # the joint whose gizmo is being dragged
        self._q: Array = np.zeros(model.nq)
        self._frames: Array = np.zeros((0, 3, 4))
        joints = list(model.joints)
        with server.gui.add_folder(f"Joints ({len(joints)})"):
            if sum(joint.nv for joint in joints) > MOST_SLIDERS:
                choice(server.gui, "Joint", [joint.name for joint in joints],
                       lambda name: self._show([model.joint(name)]))
                self._folder = server.gui.add_folder("of it")
                joints = joints[:1]
            else:
                self._folder = server.gui.add_folder("Positions", expand_by_default=len(joints) <= 20)
        self._show(joints)

    def _show(self, joints: list[Joint]) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles, self._gizmos, self._rows = [], [], {}
        with self._folder:
            for joint in joints:
                self._rows[joint.name] = self._of(joint)
        if len(self._frames):
            self.follow(self._q, self._frames)

    def follow(self, q: Array, frames: Array) -> None:
        """The robot is at ``q [nq]``, its frames ``[frames, 3, 4]`` in the scene."""
        self._q, self._frames = q, frames
        if not np.isfinite(q).all():
            return
        for joint, gizmo in self._gizmos:
            if joint.name == self._held:  # the browser knows, and is ahead
                continue
            pose = frames[joint.index]
            gizmo.position, gizmo.wxyz = pose[:, 3], real_first(pose[:, :3])
        for rows in self._rows.values():
            for row in rows:
                row(q)

    def _of(self, joint: Joint) -> list[Callable[[Array], None]]:
        if joint.mimics:
            return [self._follower(joint)]
        first = joint.q_index
        if joint.nv == 1:
            return [self._slider(joint.name, joint, first, joint.lower, joint.upper)]
        if joint.type == "universal":
            return [self._slider(f"{joint.name} {x}", joint, first + k, -np.inf, np.inf) for k, x in enumerate("xy")]
        if joint.type == "planar":
            return [self._slider(f"{joint.name} {x}", joint, first + k, -2.0, 2.0) for k, x in enumerate("xy")] + [
                self._slider(f"{joint.name} angle", joint, first + 2, -np.inf, np.inf)
            ]
        if joint.type == "spherical":
            return [self._turn(joint, first)]
        self._add_gizmo(joint)
        return [self._place(joint), self._turn(joint, first + 3)]

    def _slider(self, label: str, joint: Joint, row: int, lower: float, upper: float) -> Callable[[Array], None]:
        reach = _NO_LIMIT.get(joint.type, float(np.pi))
        low = lower if np.isfinite(lower) else min(-reach, upper - 2 * reach)
        high = max(upper if np.isfinite(upper) else low + 2 * reach, low)
        slider = self._server.gui.add_slider(
            label, min=low, max=max(high, low + 1e-9), step=max((high - low) / 1000, 1e-9), initial_value=low,
            hint=f"{joint.type}, {joint.parent} to {joint.child}, {'m' if joint.type == 'prismatic' else 'rad'}",
        )  # fmt: skip
        self._handles.append(slider)

        @slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._change(lambda q: q.__setitem__(row, slider.value))

        def shown(q: Array) -> None:
            slider.value = min(max(float(q[row]), low), max(high, low + 1e-9))

        return shown

    def _follower(self, joint: Joint) -> Callable[[Array], None]:
        number = self._server.gui.add_number(
            joint.name, 0.0, disabled=True, step=1e-4,
            hint=f"follows {joint.mimics}: {joint.multiplier:g} times its position, and {joint.offset:g}",
        )  # fmt: skip
        self._handles.append(number)

        def shown(q: Array) -> None:
            number.value = round(joint.multiplier * float(q[joint.q_index]) + joint.offset, 4)

        return shown

    def _vector(self, label: str, unit: str, put: Callable[[Array, Array], None], get: Callable[[Array], Array]) -> Any:
        vector = self._server.gui.add_vector3(label, (0.0, 0.0, 0.0), step=0.01, hint=unit)
        self._handles.append(vector)

        @vector.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._change(lambda q: put(q, np.array(vector.value)))

        def shown(q: Array) -> None:
            vector.value = tuple(round(float(x), 4) for x in get(q))

        return shown

    def _place(self, joint: Joint) -> Any:
        rows = slice(joint.q_index, joint.q_index + 3)
        return self._vector(f"{joint.name} position", "m", lambda q, x: q.__setitem__(rows, x), lambda q: q[rows])

    def _turn(self, joint: Joint, first: int) -> Any:
        rows = slice(first, first + 4)
        return self._vector(
            f"{joint.name} rotation", "rotation vector, rad",
            lambda q, x: q.__setitem__(rows, quaternion_exp(x)), lambda q: quaternion_log(q[rows]),
        )  # fmt: skip

    def _add_gizmo(self, joint: Joint) -> None:
        gizmo = self._server.scene.add_transform_controls(f"/gizmo of {joint.name}", scale=self._size, visible=False)
        self._handles.append(gizmo)
        self._gizmos.append((joint, gizmo))
        box = self._server.gui.add_checkbox(f"{joint.name}: move it in the scene", False)
        self._handles.append(box)

        @box.on_update
        def _(_: Any) -> None:
            gizmo.visible = box.value

        @gizmo.on_update
        def _(event: Any) -> None:
            if event.client is None:
                return
            self.drag(joint, np.column_stack([quaternion_to_matrix(np.roll(gizmo.wxyz, -1)), gizmo.position]))

    def drag(self, joint: Joint, held: Array) -> None:
        """The link of a free joint is held at a pose ``[3, 4]`` in the scene."""
        hangs = compose(self._frames[self._model.parents[joint.index]], joint.placement)
        position, quaternion = pose_to_quaternion(compose(inverse(hangs), held))

        def put(q: Array) -> None:
            q[joint.q_index : joint.q_index + 3] = position
            q[joint.q_index + 3 : joint.q_index + 7] = quaternion

        self._held = joint.name
        try:
            self._change(put)
        finally:
            self._held = ""

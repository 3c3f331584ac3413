# SPDX-License-Identifier: Apache-2.0
"""What is shown of a robot, in the panel of the viewer: layers, the ground, a frame by name, and a picture of it
all."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from tandem._core import Model
from tandem._view.drawing import LAYERS, Drawing, real_first
from tandem._view.joint_sliders import choice
from tandem.functions import Array


class ViewerPanel:
    """Boxes to tick.

    Args:
        server: of viser
        model: the robot
        drawing: of it
        ground: handle of the grid
        size: m, of the robot
        again: draws everything again
        lock: that is held while anything changes
    """

    def __init__(
        self, server: Any, model: Model, drawing: Drawing, ground: Any, size: float, again: Callable[[], None],
        lock: Any
    ) -> None:
        self._server, self._model, self._drawing, self._size = server, model, drawing, size
        self._again, self._lock = again, lock
        self._frame: int | None = None
        self._axes: list[Any] = []
        self._boxes: dict[str, Any] = {}
        has_shapes, gui = drawing.has("shapes"), server.gui
        first = {"shapes": True, "bodies": not has_shapes, "bones": not has_shapes}
        with gui.add_folder("Show"):
            for layer, name in LAYERS.items():
                if drawing.has(layer):
                    self._boxes[layer] = gui.add_checkbox(name, first.get(layer, False))
                    self._boxes[layer].on_update(self._ticked(layer))
                    drawing.show(layer, first.get(layer, False))
            box = gui.add_checkbox("Ground", True)
            box.on_update(lambda _: setattr(ground, "visible", box.value))
            choice(gui, "Frame", ["", *model.frame_names], self.pick_frame, "shown with its name and place")
            self._place = gui.add_markdown("", visible=False)
            gui.add_button("Save a picture").on_click(self._send_picture)

    def _ticked(self, layer: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is not None:
                self.show(layer, event.target.value)

        return changed

    def show(self, layer: str, visible: bool) -> None:
        with self._lock:
            if layer in self._boxes:
                self._boxes[layer].value = visible
            self._drawing.show(layer, visible)
            self._again()

    def pick_frame(self, name: str) -> None:
        """Shows one frame by its name; none if that is empty."""
        with self._lock:
            for handle in self._axes:
                handle.remove()
            self._frame, self._axes, self._place.visible = None, [], bool(name)
            if name:
                scene, length = self._server.scene, 0.12 * self._size
                self._frame = self._model.frame_index(name)
                self._axes = [
                    scene.add_frame("/frame", axes_length=length, axes_radius=0.05 * length),
                    scene.add_label("/frame/name", name),
                ]
            self._again()

    def follow(self, frames: Array, at: Array) -> None:
        """Frames ``[frames, 3, 4]`` are there in the scene, the robot's base at ``at [3]``."""
        if self._frame is None:
            return
        pose = frames[self._frame]
        qw, qx, qy, qz = real_first(pose[:, :3])
        self._axes[0].position, self._axes[0].wxyz = pose[:, 3], (qw, qx, qy, qz)
        x, y, z = pose[:, 3] - at
        self._place.content = f"x y z: {x:.4f} {y:.4f} {z:.4f} m  \nqx qy qz qw: {qx:.4f} {qy:.4f} {qz:.4f} {qw:.4f}"

    def _send_picture(self, event: Any) -> None:
        from PIL import Image

        camera = event.client.camera
        picture = event.client.get_render(camera.image_height, camera.image_width, timeout=30)
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "PNG")
        event.client.send_file_download(f"{self._model.name}.png", file.getvalue())

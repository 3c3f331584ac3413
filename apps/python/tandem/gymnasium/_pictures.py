# SPDX-License-Identifier: Apache-2.0
"""Pictures of robots for ``render``, seen from the side by a camera that follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tandem._core import Model
from tandem.gymnasium._framework import Numbers
from tandem.scene import Scene


class Pictures:
    """Draws a robot in a configuration, by :class:`tandem.scene.Scene`."""

    def __init__(self, model: Model, size: tuple[int, int] = (320, 240)) -> None:
        self._model, self._size = model, size

    def picture(self, q: Numbers) -> NDArray[np.uint8]:
        """``[height, width, 3]``"""
        scene = Scene(size=self._size, azimuth=75, zoom=0.8)
        scene.add(self._model, q[None])
        picture: NDArray[np.uint8] = np.asarray(next(scene.pictures()), np.uint8)
        return picture

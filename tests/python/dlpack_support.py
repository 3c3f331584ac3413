# SPDX-License-Identifier: Apache-2.0
"""A stand-in for tensors of other libraries: memory that is handed out by DLPack alone."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tensor:
    """Wraps a NumPy array and shows nothing of it but DLPack."""

    def __init__(self, array: np.ndarray, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device, 0)


class Namespace:
    """An array library by the array API."""

    @staticmethod
    def from_dlpack(x: np.ndarray) -> Tensor:
        return LibraryTensor(x)


class LibraryTensor(Tensor):
    """A tensor whose library says how to make another one."""

    def __array_namespace__(self) -> type[Namespace]:
        return Namespace

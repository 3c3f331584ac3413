# SPDX-License-Identifier: Apache-2.0
"""The functions of the package as calls from code that JAX compiles: by ``jax.ffi``, without Python and without
copies."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tandem import _core
from tandem._autodiff.derivatives import COMPILED, Call
from tandem._common.frameworks import framework
from tandem._core import Model

_jax = framework("jax", "JAX")

#: outputs that a function returns only when it is asked to, by what asks for them
_ASKED = {
    "by_forces": {"f_ext_bar", "df_ext_bar"},
    "by_parameters": {"pi_bar", "dpi_bar"},
    "by_controller": {"q_target_bar", "kp_bar", "kd_bar"},
    "next_stops": {"stops_next", "impedance_bar", "dimpedance_next"},
}

#: outputs that a function returns only beside an input
_ASKED_BY_INPUTS = {
    "forward_kinematics": {"pose": "q", "velocity": "v", "acceleration": "a"},
    "forward_kinematics_jvp": {"dpose": "q", "dvelocity": "v", "dacceleration": "a"},
    "forward_kinematics_vjp": {"q_bar": "q", "v_bar": "v", "a_bar": "a"},
}

#: what compiled code runs on, by what JAX calls it
PLATFORMS = {"cpu": "xla_cpu", "cuda": "xla_cuda"}


def _registered() -> frozenset[str]:
    """Where this JAX takes calls of the version that the library is written for."""
    ready = set()
    for platform, device in PLATFORMS.items():
        try:
            ffi = framework("jax.ffi", "JAX")
            ffi.register_ffi_target("tandem", _core.xla_target(), platform="CUDA" if platform == "cuda" else platform)
        except Exception:  # another version: Python is called back instead
            continue
        ready.add(device)
    return frozenset(ready)


READY = _registered()


@functools.lru_cache(None)
def _call(
    model: Model, name: str, given: tuple[bool, ...], options: tuple[tuple[str, Any], ...], in_float: bool, device: str
) -> tuple[int, Any, Any]:
    """The number of a call, the shapes of its inputs that are given and of its outputs."""
    own = dict(options)
    asked = {name for flag in _ASKED if own.pop(flag, False) for name in _ASKED[flag]}
    plan = _core.Plan(model, name, own, device, in_float)
    rows = plan.algorithm.arguments
    places = [k for k, (_, role, *_) in enumerate(rows) if role.endswith("input")]
    inputs = [k for k, there in zip(places, given) if there]
    names = {rows[k][0] for k in inputs}
    asked |= {output for output, with_ in _ASKED_BY_INPUTS.get(name, {}).items() if with_ in names}
    outputs = [k for k, (of, role, *_) in enumerate(rows) if role == "output" or of in asked]
    return _core.xla_call(plan, inputs, outputs)


def _evaluate(device: str, of: Call, name: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    arrays = [x if hasattr(x, "ndim") else np.asarray(x) for x in inputs if x is not None]
    dtype = next(x.dtype for x in arrays if hasattr(x, "aval"))
    there = tuple(x is not None for x in inputs)
    number, own, results = _call(of.model, name, there, tuple(options.items()), dtype == np.float32, device)
    fronts = [x.shape[: x.ndim - len(shape)] for x, shape in zip(arrays, own)]
    front = np.broadcast_shapes(*fronts)

    def level(x: Any, lead: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        x = _jax.numpy.asarray(x, dtype)
        return x.reshape(shape) if np.prod(lead) == 1 else _jax.numpy.broadcast_to(x, (*front, *shape))

    operands = [level(x, front_of, shape) for x, front_of, shape in zip(arrays, fronts, own)]
    structures = [_jax.ShapeDtypeStruct((*front, *shape), dtype) for shape in results]
    found = _jax.ffi.ffi_call("tandem", structures)(*operands, call=np.int64(number))
    return tuple(found) if len(found) > 1 else found[0]


COMPILED["xla_cpu"] = functools.partial(_evaluate, "cpu")
COMPILED["xla_cuda"] = functools.partial(_evaluate, "cuda")

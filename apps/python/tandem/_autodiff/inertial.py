# SPDX-License-Identifier: Apache-2.0
"""Derivatives by masses, centres of mass and inertias of links.

Joint torques are linear in the ten inertial parameters of a link, for which the library has derivatives: its mass m, m
c and the moments about its frame's origin, I + m (c.c - c c^T), with c its centre of mass and I its inertia about that.
These are the same lines along increments of m, c and I, and transposed.
"""

from __future__ import annotations

from typing import Any

from tandem._autodiff.derivatives import Call
from tandem._autodiff.parameters import INERTIAL, beside_base
from tandem._autodiff.tangents import constant, joined, stack, times

_MOMENTS = [0, 1, 3, 2, 4, 5]  # xx xy xz yy yz zz of a link's inertia from xx xy yy xz yz zz of parameters, and back


def links(name: str, call: Call, like: Any) -> Any:
    """A parameter of the links that move, which the base does not: that of the states, or of the robot."""
    given = dict(call.parameters).get(name)
    whole = constant(call.model.parameter(name), like) if given is None else given
    return whole[..., 1:] if name == "mass" else whole[..., 1:, :]


def _about_origin(c: Any, x: Any) -> Any:
    """How c.c - c c^T changes with c along x: six numbers, as parameters have them; half of it along c is it itself."""
    cx, cy, cz = c[..., 0], c[..., 1], c[..., 2]
    x, y, z = x[..., 0], x[..., 1], x[..., 2]
    xx, yy, zz = 2.0 * cx * x, 2.0 * cy * y, 2.0 * cz * z
    return stack([yy + zz, -cx * y - cy * x, xx + zz, -cx * z - cz * x, -cy * z - cz * y, xx + yy], -1)


def _about_origin_pulled(c: Any, moments: Any) -> Any:
    """The derivative of weighted moments c.c - c c^T by c."""
    xx, xy, yy, xz, yz, zz = (moments[..., k] for k in range(6))
    trace = xx + yy + zz
    rows = [[2.0 * (trace - xx), -xy, -xz], [-xy, 2.0 * (trace - yy), -yz], [-xz, -yz, 2.0 * (trace - zz)]]
    return times(stack([stack(row, -1) for row in rows], -2), c)


def inertial_increment(call: Call, changes: dict[str, Any], like: Any) -> Any:
    """``[..., 10 n_joints]``: how the inertial parameters change with mass, centre of mass and inertia; None if they do
    not."""
    dm, dc, dI = (changes.get(name) for name in INERTIAL)
    if dm is None and dc is None and dI is None:
        return None
    m, c = links("mass", call, like)[..., None], links("com", call, like)
    parts = []
    if dm is not None:
        dm = dm[..., 1:, None]
        parts.append(joined([dm + 0.0 * m, dm * c, 0.5 * dm * _about_origin(c, c)], -1))
    if dc is not None:
        dc = dc[..., 1:, :]
        parts.append(joined([0.0 * dc[..., :1] + 0.0 * m, m * dc, m * _about_origin(c, dc)], -1))
    if dI is not None:
        dI = dI[..., 1:, :]
        parts.append(joined([0.0 * dI[..., :4], dI[..., _MOMENTS]], -1))
    dpi = sum(parts[1:], parts[0])
    return dpi.reshape(*dpi.shape[:-2], -1)


def by_inertial(call: Call, pi_bar: Any, wanted: dict[str, bool]) -> dict[str, Any]:
    """Gradients by masses, centres of mass and inertias that are wanted, from one by the inertial parameters."""
    pi_bar = pi_bar.reshape(*pi_bar.shape[:-1], -1, 10)
    of_mass, of_first, moments = pi_bar[..., 0], pi_bar[..., 1:4], pi_bar[..., 4:]
    m, c = links("mass", call, pi_bar), links("com", call, pi_bar)
    bent = _about_origin_pulled(c, moments)
    found = {}
    if wanted["mass"]:
        found["mass"] = of_mass + (c * (of_first + 0.5 * bent)).sum(-1)
    if wanted["com"]:
        found["com"] = m[..., None] * (of_first + bent)
    if wanted["inertia"]:
        found["inertia"] = moments[..., _MOMENTS]
    return {name: beside_base(gradient, -1 if name == "mass" else -2) for name, gradient in found.items()}

# SPDX-License-Identifier: Apache-2.0
"""Between the numbers of a configuration and motions of its joints, for derivatives.

Derivatives of the library are by motions of the joints, ``nv`` of them, by the convention of :func:`tandem.integrate`;
those of frameworks are by the numbers of ``q`` as they stand, ``nq`` of them. Any length of a quaternion stands for the
same rotation, so that derivatives along its length are zero. Arrays are of NumPy or JAX, or tensors of PyTorch.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from tandem import spatial
from tandem._core import Model

NUMPY = (np.ndarray, np.generic)

#: of each type of joint with coordinates that do not add up: the rows of a motion that it has, linear first
_MOTIONS = {"planar": (0, 1, 5), "spherical": (3, 4, 5), "free": (0, 1, 2, 3, 4, 5)}


def zeros(like: Any, shape: tuple[int, ...]) -> Any:
    """An array of zeros of the kind, precision and place of another."""
    if isinstance(like, NUMPY):
        return np.zeros(shape, like.dtype)
    return like.new_zeros(shape) if hasattr(like, "new_zeros") else _others(like).zeros(shape, like.dtype)


def constant(numbers: Any, like: Any) -> Any:
    """Numbers as an array of the kind, precision and place of another."""
    if isinstance(like, NUMPY):
        return np.asarray(numbers, like.dtype)
    return like.new_tensor(numbers) if hasattr(like, "new_tensor") else _others(like).asarray(numbers, like.dtype)


def put(array: Any, index: Any, values: Any) -> Any:
    """The array with other values at an index: in place where that can be."""
    if hasattr(array, "at"):
        return array.at[index].set(values)
    array[index] = values
    return array


def stack(parts: list[Any], axis: int) -> Any:
    """One array of several, along an axis that is new."""
    if isinstance(parts[0], NUMPY):
        return np.stack(parts, axis)
    return _others(parts[0]).stack(parts, axis)


def joined(parts: list[Any], axis: int) -> Any:
    """One array of several, along an axis that they have."""
    if isinstance(parts[0], NUMPY):
        return np.concatenate(parts, axis)
    xp = _others(parts[0])
    return (xp.cat if hasattr(xp, "cat") else xp.concatenate)(parts, axis)


def _others(x: Any) -> Any:
    """The functions for tensors of PyTorch or arrays of JAX."""
    return importlib.import_module("torch" if hasattr(x, "new_zeros") else "jax.numpy")


def cross(a: Any, b: Any) -> Any:
    """Vector products along the last axis."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def times(matrix: Any, x: Any) -> Any:
    """Matrices times vectors."""
    return (matrix @ x[..., None])[..., 0]


def under(matrix: Any, y: Any) -> Any:
    """Transposed matrices times vectors."""
    return (y[..., None, :] @ matrix)[..., 0, :]


def _dot(a: Any, b: Any) -> Any:
    return (a * b).sum(-1)[..., None]


def _turned(p: Any, x: Any, sense: float) -> Any:
    """x turned by the quaternion p of any length, or (sense -1) back."""
    twice = 2.0 / _dot(p, p)
    axis = sense * p[..., :3]
    once = cross(axis, x)
    return x + twice * (p[..., 3:] * once + cross(axis, once))


def _conjugate_product(p: Any, dp: Any) -> Any:
    """The vector of conj(p) dp."""
    return p[..., 3:] * dp[..., :3] - dp[..., 3:] * p[..., :3] - cross(p[..., :3], dp[..., :3])


def _product(p: Any, w: Any) -> Any:
    """p times the quaternion (w, 0); the transpose of _conjugate_product."""
    return joined([p[..., 3:] * w + cross(p[..., :3], w), -_dot(p[..., :3], w)], -1)


class _Group:
    """Joints of one type, side by side: rows of q and v as ``[joints, rows]``."""

    def __init__(self, kind: str, q: list[list[int]], v: list[list[int]]) -> None:
        self.kind, self.motion = kind, list(_MOTIONS[kind])
        self.q, self.v = np.array(q, np.intp), np.array(v, np.intp)


class Tangents:
    """Of one robot. ``down``: motions from changes of q; ``up``: changes of q from motions; and their transposes."""

    def __init__(self, model: Model) -> None:
        self.nq, self.nv = model.nq, model.nv
        q: list[int] = []
        v: list[int] = []
        groups: dict[str, tuple[list[list[int]], list[list[int]]]] = {}
        for joint in model.joints:
            if joint.mimics:
                continue
            rows_q = list(range(joint.q_index, joint.q_index + joint.nq))
            rows_v = list(range(joint.v_index, joint.v_index + joint.nv))
            if joint.type in _MOTIONS:
                group = groups.setdefault(joint.type, ([], []))
                group[0].append(rows_q)
                group[1].append(rows_v)
            else:
                q += rows_q
                v += rows_v
        self.groups = [_Group(kind, *rows) for kind, rows in groups.items()]
        self.q, self.v = np.array(q, np.intp), np.array(v, np.intp)
        self.same = not self.groups

    def down(self, q: Any, dq: Any) -> Any:
        """``[..., nv]`` motions that changes ``dq [..., nq]`` of the numbers of ``q`` are."""
        if self.same:
            return dq
        return self._through(q, dq, self.nv, self.q, self.v, _down, "q", "v")

    def down_transposed(self, q: Any, g: Any) -> Any:
        """``[..., nq]`` of a gradient by motions ``g [..., nv]``."""
        if self.same:
            return g
        return self._through(q, g, self.nq, self.v, self.q, _down_transposed, "v", "q")

    def down_transposed_rate(self, q: Any, dq: Any, g: Any) -> Any:
        """``[..., nq]``: JVP of ``down_transposed`` for the tangent ``dq [..., nq]`` of ``q``, with constant g."""
        front = np.broadcast_shapes(*(tuple(x.shape[:-1]) for x in (q, dq, g)))
        result = zeros(g, (*front, self.nq))
        for group in self.groups:
            rate = _down_transposed_rate(group.kind, q[..., group.q], dq[..., group.q], g[..., group.v])
            result = put(result, (..., group.q), rate)
        return result

    def up(self, q: Any, u: Any) -> Any:
        """``[..., nq]`` changes of the numbers that motions ``u [..., nv]`` make, the lengths of quaternions kept."""
        if self.same:
            return u
        return self._through(q, u, self.nq, self.v, self.q, _up, "v", "q")

    def up_transposed(self, q: Any, g: Any) -> Any:
        """``[..., nv]`` of a gradient by the numbers ``g [..., nq]``."""
        if self.same:
            return g
        return self._through(q, g, self.nv, self.q, self.v, _up_transposed, "q", "v")

    def _through(self, q: Any, x: Any, n: int, rows: Any, to: Any, of: Any, ours: str, theirs: str) -> Any:
        front = np.broadcast_shapes(tuple(q.shape[:-1]), tuple(x.shape[:-1]))
        result = zeros(x, (*front, n))
        result = put(result, (..., to), x[..., rows])
        for group in self.groups:
            moved = of(group.kind, q[..., group.q], x[..., getattr(group, ours)])
            result = put(result, (..., getattr(group, theirs)), moved)
        return result

    def integration(self, u: Any) -> list[tuple[_Group, Any, Any]]:
        """Of :func:`tandem.integrate`: how the motion of what is reached follows from those of q and of u, ``[...,
        joints, n, n]``."""
        found = []
        for group in self.groups:
            own = u[..., group.v]
            whole = zeros(own, (*own.shape[:-1], 6))
            whole[..., group.motion] = own
            carried = spatial.adjoint(spatial.inverse(spatial.exp(whole)))
            rows = np.array(group.motion)
            block = (..., rows[:, None], rows)
            found.append((group, carried[block], exponential_derivative(whole)[block]))
        return found


@functools.lru_cache(64)
def tangents(model: Model) -> Tangents:
    """Those of a robot, kept for the last few."""
    return Tangents(model)


def exponential_derivative(u: Any) -> Any:
    """``[..., 6, 6]``: the motion, along the axes of what is reached, by which exp(u) changes with u; linear first.

    1 - ad/2! + ad^2/3! - ..., with ad the cross product of motions by u.
    """
    turning, sliding = spatial.skew(u[..., 3:]), spatial.skew(u[..., :3])
    nothing = zeros(u, tuple(turning.shape))
    ad = joined([joined([turning, sliding], -1), joined([nothing, turning], -1)], -2)
    one = zeros(u, tuple(ad.shape))
    one[..., range(6), range(6)] = 1.0
    angle = float(abs(u[..., 3:]).max()) if np.prod(tuple(u.shape)) else 0.0
    total = one
    for k in range(int(28 + 6 * min(angle, 100.0)), 1, -1):
        total = one - ad @ total / k
    return total


def _down(kind: str, q: Any, dq: Any) -> Any:
    if kind == "spherical":
        return 2.0 / _dot(q, q) * _conjugate_product(q, dq)
    if kind == "planar":
        return _in_plane(q, dq, -1.0)
    p = q[..., 3:]
    return joined([_turned(p, dq[..., :3], -1.0), 2.0 / _dot(p, p) * _conjugate_product(p, dq[..., 3:])], -1)


def _down_transposed(kind: str, q: Any, g: Any) -> Any:
    if kind == "spherical":
        return 2.0 / _dot(q, q) * _product(q, g)
    if kind == "planar":
        return _in_plane(q, g, 1.0)
    p = q[..., 3:]
    return joined([_turned(p, g[..., :3], 1.0), 2.0 / _dot(p, p) * _product(p, g[..., 3:])], -1)


def _down_transposed_rate(kind: str, q: Any, dq: Any, g: Any) -> Any:
    """Directions turn with the joint; 2 p g / (p.p) of a quaternion p is linear but for its length."""
    if kind == "planar":
        turned = stack([-dq[..., 2] * g[..., 1], dq[..., 2] * g[..., 0], 0.0 * g[..., 2] * dq[..., 2]], -1)
        return _in_plane(q, turned, 1.0)
    if kind == "spherical":
        per = 2.0 / _dot(q, q)
        return per * (_product(dq, g) - per * _dot(q, dq) * _product(q, g))
    p, dp = q[..., 3:], dq[..., 3:]
    turn = _down("spherical", p, dp)
    return joined([_turned(p, cross(turn, g[..., :3]), 1.0), _down_transposed_rate("spherical", p, dp, g[..., 3:])], -1)


def _up(kind: str, q: Any, u: Any) -> Any:
    if kind == "spherical":
        return 0.5 * _product(q, u)
    if kind == "planar":
        return _in_plane(q, u, 1.0)
    p = q[..., 3:]
    return joined([_turned(p, u[..., :3], 1.0), 0.5 * _product(p, u[..., 3:])], -1)


def _up_transposed(kind: str, q: Any, g: Any) -> Any:
    if kind == "spherical":
        return 0.5 * _conjugate_product(q, g)
    if kind == "planar":
        return _in_plane(q, g, -1.0)
    p = q[..., 3:]
    return joined([_turned(p, g[..., :3], -1.0), 0.5 * _conjugate_product(p, g[..., 3:])], -1)


def _in_plane(q: Any, x: Any, sense: float) -> Any:
    """Vectors of a plane turned by the angle of a planar joint, or back; the last number as it is."""
    xp = np if isinstance(q, NUMPY) else _others(q)
    c, s = xp.cos(q[..., 2]), sense * xp.sin(q[..., 2])
    return stack([c * x[..., 0] - s * x[..., 1], s * x[..., 0] + c * x[..., 1], x[..., 2] + 0.0 * c], -1)

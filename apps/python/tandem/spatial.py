# SPDX-License-Identifier: Apache-2.0
"""Rotations and rigid motions: quaternions, poses, and transformations of motions and forces between frames.

Conventions are those of all of Tandem. Quaternions are ``[..., 4]``, x y z w; poses ``[..., 3, 4]``, a rotation matrix
and beside it the origin in m, as :func:`tandem.forward_kinematics` returns them: the pose X_AB of frame B in frame A
turns coordinates in B into those in A. Motions ``[..., 6]`` are linear first, m/s and rad/s, forces ``[..., 6]`` too,
N and N m.

Leading shapes are any that broadcast, as in NumPy. Results have the floating type of what goes in; integers count as
doubles. Beside NumPy's arrays and lists, PyTorch's tensors and arrays that know the array API (``__array_namespace__``,
JAX's for instance) give arrays of their own kind, and nothing is written in place, so that they may be differentiated
and compiled. Functions raise :class:`tandem.Error` for a wrong shape or type.

>>> from tandem import spatial
>>> turn = spatial.exp([0, 0, 0, 0, 0, np.pi / 2])         # a quarter about z
>>> spatial.apply(turn, [1, 0, 0]).round(9) + 0
array([0., 1., 0.])
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandem.errors import Error
from tandem.functions import Array

__all__ = [
    "adjoint",
    "apply",
    "coadjoint",
    "compose",
    "exp",
    "inverse",
    "log",
    "pose",
    "quaternion_conjugate",
    "quaternion_exp",
    "quaternion_from_matrix",
    "quaternion_log",
    "quaternion_normalise",
    "quaternion_product",
    "quaternion_rotate",
    "quaternion_slerp",
    "quaternion_to_matrix",
    "skew",
]


def skew(x: ArrayLike) -> Array:
    """The matrix ``[..., 3, 3]`` of the cross product with ``x [..., 3]``: skew(x) y = x × y.

    >>> tandem.spatial.skew([1, 2, 3]) @ [1, 2, 3]
    array([0., 0., 0.])
    """
    xp, x = _arrays("skew", x=(x, (3,)))
    a, b, c = _columns(x)
    o = xp.zeros_like(a)
    return _matrix(xp, [[o, -c, b], [c, o, -a], [-b, a, o]])


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """Product of quaternions ``a [..., 4]`` and ``b [..., 4]``: rotation by b, then by a.

    With frames: of C in A, from that of B in A and that of C in B. Nothing is normalised.

    >>> tandem.spatial.quaternion_product([1, 0, 0, 0], [0, 1, 0, 0])    # i j = k
    array([0., 0., 1., 0.])
    """
    xp, a, b = _arrays("quaternion_product", a=(a, (4,)), b=(b, (4,)))
    ax, ay, az, aw = _columns(a)
    bx, by, bz, bw = _columns(b)
    return _join(
        xp,
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by + ay * bw + az * bx - ax * bz,
            aw * bz + az * bw + ax * by - ay * bx,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
    )


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """Conjugate ``(-x, -y, -z, w)``, ``[..., 4]``; for a unit quaternion the inverse rotation."""
    xp, x = _arrays("quaternion_conjugate", quaternion=(quaternion, (4,)))
    return _join(xp, [-x[..., :3], x[..., 3:]])


def quaternion_normalise(quaternion: ArrayLike) -> Array:
    """Normalise quaternions ``[..., 4]`` of any length; NaN for zeros.

    >>> tandem.spatial.quaternion_normalise([0, 0, 3e300, 4e300])
    array([0. , 0. , 0.6, 0.8])
    """
    xp, x = _arrays("quaternion_normalise", quaternion=(quaternion, (4,)))
    return _unit(xp, x)


def quaternion_rotate(quaternion: ArrayLike, x: ArrayLike) -> Array:
    """Vectors ``x [..., 3]`` turned: from coordinates in B to those in A by the quaternion ``[..., 4]`` of B in A.

    The quaternion may have any length but zero.
    """
    xp, q, x = _arrays("quaternion_rotate", quaternion=(quaternion, (4,)), x=(x, (3,)))
    q = _unit(xp, q)
    u, w = q[..., :3], q[..., 3:]
    t = 2.0 * _cross(xp, u, x)
    return x + w * t + _cross(xp, u, t)


def quaternion_to_matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrices ``[..., 3, 3]`` of quaternions ``[..., 4]`` of any length but zero.

    >>> tandem.spatial.quaternion_to_matrix([0, 0, 1, 1]).round(9)       # a quarter about z
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    xp, q = _arrays("quaternion_to_matrix", quaternion=(quaternion, (4,)))
    x, y, z, w = _columns(_unit(xp, q))
    return _matrix(
        xp,
        [
            [1 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1 - 2.0 * (x * x + y * y)],
        ],
    )


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """Unit quaternions ``[..., 4]``, w >= 0, of rotation matrices ``[..., 3, 3]``.

    >>> tandem.spatial.quaternion_from_matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]])
    array([1., 0., 0., 0.])
    """
    xp, R = _arrays("quaternion_from_matrix", matrix=(matrix, (3, 3)))
    xx, xy, xz, yx, yy, yz, zx, zy, zz = _columns(xp.reshape(R, (*R.shape[:-2], 9)))
    # the rows of 4 u u^T for the unit quaternion u; the longest is the best one to take the direction from
    rows = [
        [1 + xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, 1 - xx + yy - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, 1 - xx - yy + zz, yx - xy],
        [zy - yz, xz - zx, yx - xy, 1 + xx + yy + zz],
    ]
    longest, square = _join(xp, rows[0]), rows[0][0]
    for k in range(1, 4):
        longer = rows[k][k] > square
        longest = xp.where(longer, _join(xp, rows[k]), longest)
        square = xp.where(longer, rows[k][k], square)
    u = _unit(xp, longest)
    return xp.where(u[..., 3:] < 0, -u, u)


def quaternion_exp(w: ArrayLike) -> Array:
    """Unit quaternions ``[..., 4]`` of rotation vectors ``w [..., 3]`` rad: the angle times the axis.

    >>> tandem.spatial.quaternion_exp([0, 0, np.pi]).round(9)
    array([0., 0., 1., 0.])
    """
    xp, w = _arrays("quaternion_exp", w=(w, (3,)))
    sine, cosine = _half_angle(xp, w)
    return _join(xp, [sine * w, cosine])


def quaternion_log(quaternion: ArrayLike) -> Array:
    """Rotation vectors ``[..., 3]`` rad, at most pi long, of quaternions ``[..., 4]`` of any length but zero.

    A quaternion and its negative are the same rotation: the result is the shorter rotation vector.
    """
    xp, q = _arrays("quaternion_log", quaternion=(quaternion, (4,)))
    q = _unit(xp, q)
    q = xp.where(q[..., 3:] < 0, -q, q)
    u, w = q[..., :3], q[..., 3:]
    sine2 = _dot(xp, u, u)
    small = sine2 < 1e-16
    sine = xp.sqrt(xp.where(small, 1.0 + sine2, sine2))
    arctan2 = getattr(xp, "atan2", None) or xp.arctan2
    return xp.where(small, 2.0 + sine2 / 3.0, 2.0 * arctan2(sine, w) / sine) * u


def quaternion_slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Spherical linear interpolation from ``a [..., 4]``, t = 0, to ``b [..., 4]``, t = 1, on the short arc.

    The angular velocity is constant in ``t [...]``, which may be outside 0 .. 1. At t = 1 the result may be -b, which
    is the same rotation. Lengths may be any but zero.

    >>> tandem.spatial.quaternion_slerp([0, 0, 0, 1], [0, 0, 1, 0], [0, 0.5, 1]).round(3)
    array([[0.   , 0.   , 0.   , 1.   ],
           [0.   , 0.   , 0.707, 0.707],
           [0.   , 0.   , 1.   , 0.   ]])
    """
    xp, start, end, times = _arrays("quaternion_slerp", a=(a, (4,)), b=(b, (4,)), t=(t, ()))
    start = _unit(xp, start)
    way = quaternion_log(quaternion_product(quaternion_conjugate(start), _unit(xp, end)))
    return quaternion_product(start, quaternion_exp(times[..., None] * way))


def pose(position: ArrayLike, quaternion: ArrayLike) -> Array:
    """Poses ``[..., 3, 4]`` of positions ``[..., 3]`` m and quaternions ``[..., 4]`` of any length but zero.

    The inverse is :func:`tandem.pose_to_quaternion`.
    """
    xp, p, q = _arrays("pose", position=(position, (3,)), quaternion=(quaternion, (4,)))
    return _pose(xp, quaternion_to_matrix(q), p)


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Poses X_AC ``[..., 3, 4]`` of X_AB, ``a [..., 3, 4]``, and X_BC, ``b [..., 3, 4]``."""
    xp, X, Y = _arrays("compose", a=(a, (3, 4)), b=(b, (3, 4)))
    turned = X[..., :3] @ Y
    return _pose(xp, turned[..., :3], turned[..., 3] + X[..., 3])


def inverse(pose: ArrayLike) -> Array:
    """Poses X_BA ``[..., 3, 4]`` of X_AB ``[..., 3, 4]``."""
    xp, X = _arrays("inverse", pose=(pose, (3, 4)))
    back = _transposed(xp, X[..., :3])
    return _pose(xp, back, -(back @ X[..., 3:])[..., 0])


def apply(pose: ArrayLike, x: ArrayLike) -> Array:
    """Transform points ``x [..., 3]`` m from frame B to frame A by the pose X_AB ``[..., 3, 4]``."""
    _, X, points = _arrays("apply", pose=(pose, (3, 4)), x=(x, (3,)))
    return (X[..., :3] @ points[..., None])[..., 0] + X[..., 3]


def exp(motion: ArrayLike) -> Array:
    """Poses ``[..., 3, 4]`` reached in unit time with the velocity ``motion [..., 6]`` along the body's own axes.

    Linear first, m and rad. The exponential of SE(3); what :func:`tandem.integrate` does with free joints.

    >>> tandem.spatial.exp([1, 2, 3, 0, 0, 0])
    array([[1., 0., 0., 1.],
           [0., 1., 0., 2.],
           [0., 0., 1., 3.]])
    """
    xp, u = _arrays("exp", motion=(motion, (6,)))
    v, w = u[..., :3], u[..., 3:]
    sine, _ = _half_angle(xp, w)
    wv = _cross(xp, w, v)
    p = v + 2.0 * sine * sine * wv + _t_minus_sine(xp, _dot(xp, w, w)) * _cross(xp, w, wv)
    return _pose(xp, quaternion_to_matrix(quaternion_exp(w)), p)


def log(pose: ArrayLike) -> Array:
    """Motions ``[..., 6]``, linear first, m and rad, whose :func:`exp` is ``pose [..., 3, 4]``.

    The shortest rotation is taken, of at most pi. At half a turn either sense would do, and near it rounding picks one.
    """
    xp, X = _arrays("log", pose=(pose, (3, 4)))
    w, p = quaternion_log(quaternion_from_matrix(X[..., :3])), X[..., 3]
    t2 = _dot(xp, w, w)
    # (1 - (t/2) cot(t/2)) / t^2, by series that converge fast for all t up to pi
    one_minus_cosine = _series(t2, 2)
    factor = (_series(t2, 3) - 2.0 * _series(t2, 4)) / (2.0 * one_minus_cosine)
    wp = _cross(xp, w, p)
    return _join(xp, [p - 0.5 * wp + factor * _cross(xp, w, wp), w])


def adjoint(pose: ArrayLike) -> Array:
    """Matrices ``[..., 6, 6]`` that turn motions seen from B into those seen from A, by the pose X_AB ``[..., 3, 4]``.

    Of one and the same body: along the axes of A, and the velocity of the body's point at the origin of A. With R and p
    of the pose, ``[R, skew(p) R; 0, R]``, linear first.

    >>> X = tandem.spatial.pose([0, 0, 1], [0, 0, 0, 1])      # B lies 1 m above A
    >>> tandem.spatial.adjoint(X) @ [0, 0, 0, 1, 0, 0]        # what turns about the x of B moves the origin of A
    array([0., 1., 0., 1., 0., 0.])
    """
    xp, X = _arrays("adjoint", pose=(pose, (3, 4)))
    R, o, pR = _blocks(xp, X)
    return _join(xp, [_join(xp, [R, pR]), _join(xp, [o, R])], axis=-2)


def coadjoint(pose: ArrayLike) -> Array:
    """Matrices ``[..., 6, 6]`` that turn forces seen from B into those seen from A, by the pose X_AB ``[..., 3, 4]``.

    The force along the axes of A, and its moment about the origin of A. ``[R, 0; skew(p) R, R]``, linear first: the
    inverse transpose of :func:`adjoint`, so that power is the same in both frames.
    """
    xp, X = _arrays("coadjoint", pose=(pose, (3, 4)))
    R, o, pR = _blocks(xp, X)
    return _join(xp, [_join(xp, [R, o]), _join(xp, [pR, R])], axis=-2)


def _blocks(xp: Any, X: Any) -> tuple[Any, Any, Any]:
    R = X[..., :3]
    return R, xp.zeros_like(R), skew(X[..., 3]) @ R


def _half_angle(xp: Any, w: Any) -> tuple[Any, Any]:
    """sin(t / 2) / t and cos(t / 2) for t = |w|, smooth at zero."""
    t2 = _dot(xp, w, w)
    small = t2 < 1e-8
    t = xp.sqrt(xp.where(small, 1.0 + t2, t2))
    sine = xp.where(small, 0.5 - t2 / 48.0, xp.sin(0.5 * t) / t)
    return sine, xp.where(small, 1.0 - t2 / 8.0, xp.cos(0.5 * t))


def _t_minus_sine(xp: Any, t2: Any) -> Any:
    """(t - sin t) / t^3 of t^2."""
    near = t2 < 9.0
    t = xp.sqrt(xp.where(near, 9.0 + 0.0 * t2, t2))
    return xp.where(near, _series(xp.where(near, t2, 0.0 * t2), 3), (t - xp.sin(t)) / (t * t * t))


def _series(t2: Any, n: int) -> Any:
    """1/n! - t^2/(n+2)! + t^4/(n+4)! - ..., exact to rounding for t <= pi."""
    total = 0.0 * t2 + 1.0 / math.factorial(n + 28)
    for k in range(26, -1, -2):
        total = 1.0 / math.factorial(n + k) - t2 * total
    return total


def _unit(xp: Any, x: Any) -> Any:
    a, b, c, d = _columns(xp.abs(x))
    x = x / xp.maximum(xp.maximum(a, b), xp.maximum(c, d))  # its square neither overflows nor vanishes
    return x / xp.sqrt(_dot(xp, x, x))


def _dot(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum(a * b, axis=-1, keepdims=True)


def _cross(xp: Any, a: Any, b: Any) -> Any:
    ax, ay, az = _columns(a)
    bx, by, bz = _columns(b)
    return _join(xp, [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _columns(x: Any) -> list[Any]:
    """The numbers along the last axis, which stays: in NumPy 1 a float32 without axes turns into a double."""
    return [x[..., k : k + 1] for k in range(x.shape[-1])]


def _join(xp: Any, parts: list[Any], axis: int = -1) -> Any:
    concat = getattr(xp, "concat", None) or xp.concatenate
    return concat(parts, axis=axis)


def _matrix(xp: Any, rows: list[list[Any]]) -> Any:
    flat = _join(xp, [entry for row in rows for entry in row])
    return xp.reshape(flat, (*flat.shape[:-1], len(rows), len(rows[0])))


def _pose(xp: Any, R: Any, p: Any) -> Any:
    return _join(xp, [R, p[..., None]])


def _transposed(xp: Any, x: Any) -> Any:
    return xp.matrix_transpose(x) if hasattr(xp, "matrix_transpose") else xp.swapaxes(x, -1, -2)


def _namespace(values: list[Any]) -> Any:
    """Where the functions for these arrays are; NumPy's give way to others."""
    torch = sys.modules.get("torch")
    for x in values:
        if torch is not None and isinstance(x, torch.Tensor):
            return torch
        if hasattr(x, "__array_namespace__") and not isinstance(x, (np.ndarray, np.generic)):
            return x.__array_namespace__()
    return np


def _arrays(function: str, **given: tuple[Any, tuple[int, ...]]) -> Any:
    """The namespace, then the arguments as floating arrays of one leading shape; given: values, their last axes."""
    values = [value for value, _ in given.values()]
    xp = _namespace(values)
    # what is an array of the namespace stays as it is: torch.asarray would cut it off from its derivatives
    arrays = [value if xp is not np and _namespace([value]) is xp else xp.asarray(value) for value in values]
    for name, x in zip(given, arrays):
        last = given[name][1]
        if len(x.shape) < len(last) or tuple(x.shape[len(x.shape) - len(last) :]) != last:
            expected = ", ".join(["...", *map(str, last)])
            raise Error(f"{function}: {name} has shape {tuple(x.shape)}, expected ({expected})")
        if xp is np and x.dtype.kind not in "fiub":
            raise Error(f"{function}: {name} has dtype {x.dtype}, expected real numbers")
    leading = [tuple(x.shape[: len(x.shape) - len(last)]) for x, (_, last) in zip(arrays, given.values())]
    try:
        shape = np.broadcast_shapes(*leading)
    except ValueError:
        shapes = ", ".join(f"{s} of {name}" for s, name in zip(leading, given))
        raise Error(f"{function}: leading shapes do not broadcast: {shapes}") from None
    if xp is np:
        kind = np.result_type(*arrays)
        kind = kind if kind.kind == "f" else np.dtype(np.float64)
        arrays = [x.astype(kind, copy=False) for x in arrays]
    else:
        arrays = [x * 1.0 for x in arrays]  # integers become floating
    return (xp, *(xp.broadcast_to(x, (*shape, *last)) for x, (_, last) in zip(arrays, given.values())))

# SPDX-License-Identifier: Apache-2.0
"""tandem.spatial: closed forms, round trips near zero and half a turn, and the library's own steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tandem
from tandem import spatial

EPS = np.finfo(float).eps
TINY = [0.0, 1e-300, 1e-160, 1e-20, 1e-9, 1e-8, 1.1e-8, 1e-4, 1e-3]
ANGLES = [*TINY, 0.1, 1.0, 2.0, 2.999, 3.0, 3.001, *(np.pi - t for t in (1e-3, 1e-6, 1e-9, 1e-15)), np.pi]


def axes(count: int) -> np.ndarray:
    x = np.random.default_rng(1).normal(size=(count, 3))
    x[:6] = [*np.eye(3), *-np.eye(3)]
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def poses(count: int) -> np.ndarray:
    random = np.random.default_rng(2)
    return spatial.pose(random.normal(size=(count, 3)), random.normal(size=(count, 4)))


def series_exp(motion: np.ndarray) -> np.ndarray:
    """The exponential of the 4 x 4 matrix by its power series, after halving and before squaring."""
    A = np.zeros((4, 4), np.longdouble)
    A[:3, :3], A[:3, 3] = spatial.skew(motion[3:]), motion[:3]
    A /= 2**8
    total = term = np.eye(4, dtype=np.longdouble)
    for k in range(1, 20):
        term = term @ A / k
        total = total + term
    for _ in range(8):
        total = total @ total
    return total[:3].astype(float)


def test_skew_is_the_cross_product() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 5, 4, 3))
    assert np.allclose((spatial.skew(x) @ y[..., None])[..., 0], np.cross(x, y), rtol=0, atol=16 * EPS)


def test_products_of_units_are_as_hamilton_has_them() -> None:
    i, j, k, one = np.eye(4)
    product = spatial.quaternion_product
    for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
        assert np.array_equal(product(a, b), c) and np.array_equal(product(b, a), -c)
        assert np.array_equal(product(a, a), -one) and np.array_equal(product(one, a), a)


def test_quaternions_turn_as_their_matrices_do() -> None:
    random = np.random.default_rng(4)
    a, b, x = random.normal(size=(7, 4)), random.normal(size=(7, 4)), random.normal(size=(7, 3))
    A, B = spatial.quaternion_to_matrix(a), spatial.quaternion_to_matrix(b)
    assert np.allclose(A @ np.swapaxes(A, -1, -2), np.eye(3), atol=16 * EPS)
    assert np.allclose(np.linalg.det(A), 1, atol=16 * EPS)
    assert np.allclose(spatial.quaternion_to_matrix(spatial.quaternion_product(a, b)), A @ B, atol=16 * EPS)
    assert np.allclose(spatial.quaternion_rotate(a, x), (A @ x[..., None])[..., 0], atol=32 * EPS)
    back = spatial.quaternion_to_matrix(spatial.quaternion_conjugate(a))
    assert np.allclose(back, np.swapaxes(A, -1, -2), atol=16 * EPS)


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors_there_and_back(angle: float) -> None:
    w = angle * axes(40)
    q = spatial.quaternion_exp(w)
    assert np.allclose(np.linalg.norm(q, axis=1), 1, rtol=0, atol=4 * EPS)
    closed = np.concatenate([np.sin(angle / 2) * axes(40), np.full((40, 1), np.cos(angle / 2))], axis=1)
    assert np.allclose(q, closed, rtol=0, atol=8 * EPS)
    for back in (
        spatial.quaternion_log(q),
        spatial.quaternion_log(-7 * q),
        spatial.quaternion_log(spatial.quaternion_from_matrix(spatial.quaternion_to_matrix(q))),
    ):
        if angle > np.pi - 1e-8:  # either sense is the same rotation there
            back = back * np.sign((back * w).sum(axis=1, keepdims=True))
        assert np.allclose(back, w, rtol=16 * EPS, atol=16 * EPS * angle)


@pytest.mark.parametrize("angle", ANGLES)
def test_from_matrix_inverts_to_matrix(angle: float) -> None:
    q = spatial.quaternion_exp(angle * axes(40))
    back = spatial.quaternion_from_matrix(spatial.quaternion_to_matrix(q))
    assert (back[:, 3] >= 0).all()
    back *= np.sign((back * q).sum(axis=1, keepdims=True))
    assert np.allclose(back, q, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("angle", [*ANGLES, 3.5, 6.0, 20.0])
def test_exp_is_the_matrix_exponential(angle: float) -> None:
    for axis in axes(12):
        motion = np.array([0.3, -2.0, 1.1, *(angle * axis)])
        assert np.allclose(spatial.exp(motion), series_exp(motion), rtol=0, atol=64 * EPS * (1 + angle))


@pytest.mark.parametrize("angle", ANGLES)
def test_log_inverts_exp(angle: float) -> None:
    v = np.random.default_rng(5).normal(size=(40, 3))
    motion = np.concatenate([v, angle * axes(40)], axis=1)
    pose = spatial.exp(motion)
    back = spatial.log(pose)
    assert np.allclose(spatial.exp(back), pose, rtol=0, atol=64 * EPS)
    if angle < np.pi - 1e-8:
        assert np.allclose(back, motion, rtol=0, atol=64 * EPS)
        assert np.allclose(back[:, 3:], motion[:, 3:], rtol=32 * EPS, atol=32 * EPS * angle)


def test_a_screw_in_closed_form() -> None:
    # turning once about an axis parallel to z through (r, 0) while rising by h
    r, h = 0.7, 0.3
    for t in (0.0, 1e-6, 1.0, np.pi, 5.0, 2 * np.pi, 50.0):
        c, s = np.cos(t), np.sin(t)
        expected = [[c, -s, 0, r * (1 - c)], [s, c, 0, -r * s], [0, 0, 1, h * t]]
        assert np.allclose(spatial.exp([0, -r * t, h * t, 0, 0, t]), expected, rtol=0, atol=16 * EPS * (1 + t))


def test_steps_of_free_joints_are_exp_and_differences_log() -> None:
    model = tandem.ModelBuilder("ball").link("world").link("ball", 1.0).joint("j", "free", "world", "ball").build()
    q0, q1 = (tandem.random_configuration(model, seed=seed, batch=50) for seed in (1, 99))
    u = np.random.default_rng(6).normal(size=(50, 6))
    X0, X1 = (spatial.pose(q[:, :3], q[:, 3:]) for q in (q0, q1))
    stepped = tandem.integrate(model, q0, u)
    expected = spatial.pose(stepped[:, :3], stepped[:, 3:])
    assert np.allclose(spatial.compose(X0, spatial.exp(u)), expected, rtol=0, atol=64 * EPS)
    way = spatial.log(spatial.compose(spatial.inverse(X0), X1))
    assert np.allclose(way, tandem.difference(model, q0, q1), rtol=0, atol=1e4 * EPS)


def test_poses_make_a_group_that_moves_points() -> None:
    a, b, c = poses(30).reshape(3, 10, 3, 4)
    x = np.random.default_rng(7).normal(size=(10, 3))
    assert np.allclose(
        spatial.apply(spatial.compose(a, b), x), spatial.apply(a, spatial.apply(b, x)), atol=64 * EPS
    )
    left = spatial.compose(spatial.compose(a, b), c)
    assert np.allclose(left, spatial.compose(a, spatial.compose(b, c)), atol=64 * EPS)
    one = np.eye(4)[:3]
    assert np.allclose(spatial.compose(a, spatial.inverse(a)), one, atol=64 * EPS)
    product = tandem.pose_to_matrix(a) @ tandem.pose_to_matrix(b)
    assert np.allclose(tandem.pose_to_matrix(spatial.compose(a, b)), product, atol=64 * EPS)
    p, q = tandem.pose_to_quaternion(a)
    assert np.allclose(spatial.pose(p, q), a, atol=16 * EPS)


def test_adjoints_keep_power_and_carry_velocities() -> None:
    a, b = poses(20).reshape(2, 10, 3, 4)
    Ad, Co = spatial.adjoint, spatial.coadjoint
    assert np.allclose(Ad(spatial.compose(a, b)), Ad(a) @ Ad(b), atol=64 * EPS)
    assert np.allclose(np.swapaxes(Co(a), -1, -2) @ Ad(a), np.eye(6), atol=64 * EPS)
    # a velocity along the body's axes, seen from the world, as forward_kinematics has it
    robot = tandem.load("arm7")
    q, v = tandem.random_configuration(robot, seed=1), np.linspace(-1, 1, 7)
    pose, local = tandem.forward_kinematics(robot, q, v, reference="local")
    _, world = tandem.forward_kinematics(robot, q, v, reference="world")
    assert np.allclose((Ad(pose) @ local[..., None])[..., 0], world, atol=256 * EPS)
    # exp(Ad u) = X exp(u) X^-1
    u = np.random.default_rng(8).normal(size=(10, 6))
    turned = spatial.compose(spatial.compose(a, spatial.exp(u)), spatial.inverse(a))
    assert np.allclose(spatial.exp((Ad(a) @ u[..., None])[..., 0]), turned, atol=512 * EPS)


def test_slerp_turns_evenly_the_short_way() -> None:
    a = spatial.quaternion_exp([0.3, -0.2, 0.9])
    way = np.array([0.4, 1.5, -0.6])
    b = spatial.quaternion_product(a, spatial.quaternion_exp(way))
    for t in (-0.5, 0.0, 0.25, 1.0, 1.5):
        expected = spatial.quaternion_product(a, spatial.quaternion_exp(t * way))
        assert np.allclose(spatial.quaternion_slerp(a, b, t), expected, atol=16 * EPS)
        assert np.allclose(spatial.quaternion_slerp(a, -3 * b, t), expected, atol=16 * EPS)
    assert np.allclose(spatial.quaternion_slerp(a, a, 0.3), a, atol=4 * EPS)
    many = spatial.quaternion_slerp(a, b, np.linspace(0, 1, 6).reshape(3, 2))
    assert many.shape == (3, 2, 4)


def test_quaternions_of_any_length_are_normalised() -> None:
    q = np.array([0.1, -0.7, 0.5, 0.5])
    R, unit = spatial.quaternion_to_matrix(q), q / np.linalg.norm(q)
    for size in (5e-324, 1e-310, 1e-200, 1e-160, 1e160, 1e300):
        allowed = 1.0 if size < 1e-308 else 4 * EPS  # below there is no precision to keep
        assert np.allclose(spatial.quaternion_normalise(size * q), unit, atol=allowed)
        if size > 1e-308:
            assert np.allclose(spatial.quaternion_to_matrix(size * q), R, atol=8 * EPS)
            assert np.allclose(spatial.quaternion_log(size * q), spatial.quaternion_log(q), atol=8 * EPS)
    with np.errstate(invalid="ignore"):
        assert np.isnan(spatial.quaternion_normalise(np.zeros(4))).all()


def one_argument() -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return [
        ("skew", (3,), (3, 3)),
        ("quaternion_conjugate", (4,), (4,)),
        ("quaternion_normalise", (4,), (4,)),
        ("quaternion_to_matrix", (4,), (3, 3)),
        ("quaternion_from_matrix", (3, 3), (4,)),
        ("quaternion_exp", (3,), (4,)),
        ("quaternion_log", (4,), (3,)),
        ("inverse", (3, 4), (3, 4)),
        ("exp", (6,), (3, 4)),
        ("log", (3, 4), (6,)),
        ("adjoint", (3, 4), (6, 6)),
        ("coadjoint", (3, 4), (6, 6)),
    ]


def two_arguments() -> list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    return [
        ("quaternion_product", (4,), (4,), (4,)),
        ("quaternion_rotate", (4,), (3,), (3,)),
        ("pose", (3,), (4,), (3, 4)),
        ("compose", (3, 4), (3, 4), (3, 4)),
        ("apply", (3, 4), (3,), (3,)),
    ]


def valid(shape: tuple[int, ...], leading: tuple[int, ...], dtype: Any = float) -> np.ndarray:
    """Numbers, turned into rotations where the shape is that of a pose or a matrix."""
    random = np.random.default_rng(len(leading) + shape[0])
    if shape == (3, 4):
        return spatial.pose(random.normal(size=(*leading, 3)), random.normal(size=(*leading, 4))).astype(dtype)
    if shape == (3, 3):
        return spatial.quaternion_to_matrix(random.normal(size=(*leading, 4))).astype(dtype)
    return random.normal(size=(*leading, *shape)).astype(dtype)


def test_every_function_is_tried_on_shapes_and_types() -> None:
    tried = {row[0] for row in one_argument() + two_arguments()} | {"quaternion_slerp"}
    assert tried == set(spatial.__all__)


@pytest.mark.parametrize("name, given, result", one_argument())
@pytest.mark.parametrize("leading", [(), (5,), (2, 0), (2, 3, 1)])
def test_any_leading_shape_and_precision(name: str, given: Any, result: Any, leading: Any) -> None:
    function = getattr(spatial, name)
    x = valid(given, leading)
    y = function(x)
    assert y.shape == (*leading, *result) and y.dtype == np.float64
    for index in np.ndindex(leading):
        assert np.allclose(y[index], function(x[index]), rtol=0, atol=4 * EPS)
    single = function(x.astype(np.float32))
    assert single.dtype == np.float32 and np.allclose(single, y, rtol=0, atol=2e-5)
    assert np.array_equal(function(x.tolist() if x.size else x), y)
    assert function(np.asfortranarray(x)).dtype == np.float64
    integers = np.zeros(given, int)
    integers[..., -1] = 1
    assert function(integers).dtype == np.float64


@pytest.mark.parametrize("name, first, second, result", two_arguments())
def test_leading_shapes_broadcast(name: str, first: Any, second: Any, result: Any) -> None:
    function = getattr(spatial, name)
    a, b = valid(first, (2, 1)), valid(second, (3,))
    y = function(a, b)
    assert y.shape == (2, 3, *result)
    for i, j in np.ndindex(2, 3):
        assert np.allclose(y[i, j], function(a[i, 0], b[j]), rtol=0, atol=4 * EPS)
    assert function(a.astype(np.float32), b.astype(np.float32)).dtype == np.float32
    with pytest.raises(tandem.Error) as error:
        function(a, valid(second, (3, 5)))
    assert str(error.value).startswith(f"{name}: leading shapes do not broadcast: (2, 1) of ")
    assert ", (3, 5) of " in str(error.value)


@pytest.mark.parametrize("name, given, result", one_argument())
def test_what_does_not_fit_is_refused(name: str, given: Any, result: Any) -> None:
    function = getattr(spatial, name)
    expected = ", ".join(["...", *map(str, given)])
    for shape in ((), (2,), (*given[:-1], 5), (4, 4, 4)):
        if shape[-len(given) :] != given:
            with pytest.raises(tandem.Error) as error:
                function(np.zeros(shape))
            assert str(error.value).startswith(f"{name}: ")
            assert f"has shape {shape}, expected ({expected})" in str(error.value)
    with pytest.raises(tandem.Error, match="complex128, expected real numbers"):
        function(np.zeros(given, complex))


class Functions:
    """The functions of the array API that a namespace must have, on arrays that are not NumPy's."""

    @staticmethod
    def concat(parts: list[Foreign], axis: int) -> Foreign:
        return Foreign(np.concatenate([p.x for p in parts], axis=axis))

    @staticmethod
    def reshape(a: Foreign, shape: tuple[int, ...]) -> Foreign:
        return Foreign(a.x.reshape(shape))

    @staticmethod
    def sum(a: Foreign, axis: int, keepdims: bool) -> Foreign:
        return Foreign(a.x.sum(axis=axis, keepdims=keepdims))

    @staticmethod
    def asarray(a: Any) -> Foreign:
        return a if isinstance(a, Foreign) else Foreign(np.asarray(a))

    @staticmethod
    def broadcast_to(a: Foreign, shape: tuple[int, ...]) -> Foreign:
        return Foreign(np.broadcast_to(a.x, shape))

    @staticmethod
    def matrix_transpose(a: Foreign) -> Foreign:
        return Foreign(np.swapaxes(a.x, -1, -2))


def elementwise(name: str) -> Any:
    numpys = {"atan2": "arctan2"}.get(name, name)
    return staticmethod(lambda *a: Foreign(getattr(np, numpys)(*(x.x for x in a))))


for _name in ("abs", "sqrt", "sin", "cos", "atan2", "maximum", "where", "zeros_like"):
    setattr(Functions, _name, elementwise(_name))


class Foreign:
    """An array with the array API's namespace that NumPy cannot read and nobody can write to."""

    __array_ufunc__ = None

    def __init__(self, x: np.ndarray):
        self.x, self.shape = x, x.shape

    def __array_namespace__(self) -> type:
        return Functions

    def __array__(self, *_: Any, **__: Any) -> None:
        raise TypeError("not NumPy's")

    def __getitem__(self, key: Any) -> Foreign:
        return Foreign(self.x[key])

    def __neg__(self) -> Foreign:
        return Foreign(-self.x)


def operator(name: str) -> Any:
    def apply(a: Foreign, b: Any) -> Foreign:
        return Foreign(getattr(a.x, name)(b.x if isinstance(b, Foreign) else b))

    return apply


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "matmul", "lt", "gt"):
    setattr(Foreign, f"__{_name}__", operator(f"__{_name}__"))


@pytest.mark.parametrize("row", one_argument() + two_arguments(), ids=lambda row: row[0])
def test_arrays_of_other_namespaces(row: Any) -> None:
    name, *shapes, _ = row
    arguments = [valid(shape, (5,)) for shape in shapes]
    result = getattr(spatial, name)(*map(Foreign, arguments))
    assert isinstance(result, Foreign)
    assert np.array_equal(result.x, getattr(spatial, name)(*arguments))
    mixed = getattr(spatial, name)(Foreign(arguments[0]), *arguments[1:])
    assert isinstance(mixed, Foreign)


def test_slerp_in_another_namespace() -> None:
    a, b = valid((4,), (5,)), valid((4,), ())
    result = spatial.quaternion_slerp(Foreign(a), b, 0.3)
    assert isinstance(result, Foreign) and np.array_equal(result.x, spatial.quaternion_slerp(a, b, 0.3))

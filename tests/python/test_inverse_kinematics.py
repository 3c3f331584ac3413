# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: every arm comes to where it can be; the same bits in any batch; limits hold."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numpy as np
import pytest
from dlpack_support import LibraryTensor
from support import robot

import tandem

MODELS = Path(os.environ.get("TANDEM_MODELS", Path(__file__).resolve().parents[3] / "shared" / "models"))

SHARED = sorted(MODELS.glob("urdf/*/*.urdf")) if MODELS.is_dir() else []


@functools.cache
def arm(name: str) -> tuple[tandem.Model, int]:
    model = tandem.load(name)
    depth = [0] * model.n_links
    for i in range(1, model.n_links):
        depth[i] = depth[model.parents[i]] + 1
    return model, int(np.argmax(depth))


def shared_arms() -> list[str]:
    """Robots without a base that moves, whose longest limb has six or more joints."""
    found = ["arm6", "arm7"]
    for file in SHARED:
        try:
            model, _ = arm(str(file))
        except tandem.Error:
            continue
        if model.nq == model.nv and model.nv <= 30 and model.depth >= 6:
            found.append(str(file))
    return found


def poses(model, frame, seed, batch):
    q = tandem.random_configuration(model, seed=seed, batch=batch)
    return tandem.forward_kinematics(model, q)[:, frame]


def error_of(model, frame, q, target):
    pose = tandem.forward_kinematics(model, q)[..., frame, :, :]
    rotation = np.swapaxes(pose[..., :3], -1, -2) @ target[..., :3]
    turn = tandem.spatial.quaternion_log(tandem.spatial.quaternion_from_matrix(rotation))
    return np.linalg.norm(np.concatenate([pose[..., 3] - target[..., 3], turn], -1), axis=-1)


@pytest.mark.parametrize("name", shared_arms(), ids=lambda n: Path(n).stem)
def test_arms_come_to_poses_within_their_limits(name):
    model, frame = arm(name)
    target = poses(model, frame, 1, 100)
    start = tandem.random_configuration(model, seed=2, batch=100)
    once = tandem.inverse_kinematics(model, frame, target, start, restarts=0)
    found = tandem.inverse_kinematics(model, frame, target, start, restarts=40)
    for solution in (once, found):
        assert (model.q_lower <= solution.q).all() and (solution.q <= model.q_upper).all()
        np.testing.assert_allclose(error_of(model, frame, solution.q, target), solution.error, atol=1e-12, rtol=1e-6)
        np.testing.assert_array_equal(solution.converged, solution.error <= 1e-8)
    # from one random start a fifth of all poses and more are reached, in some forty starts nearly all
    assert once.converged.mean() >= 0.2 and found.converged.mean() >= 0.95
    assert (found.iterations >= once.iterations).all() and (found.error <= once.error).all()


def test_a_state_has_the_same_bits_in_any_batch_and_on_any_threads():
    model, frame = arm("arm7")
    target, start = poses(model, frame, 3, 37), tandem.random_configuration(model, seed=4, batch=37)
    whole = tandem.inverse_kinematics(model, frame, target, start, threads=1)
    for b in (0, 7, 8, 36):
        for x, y in zip(tandem.inverse_kinematics(model, frame, target[b], start[b]), whole):
            np.testing.assert_array_equal(x, y[b])
    for part, threads in ((slice(3, 20), 2), (slice(None, None, -1), 0)):
        for x, y in zip(tandem.inverse_kinematics(model, frame, target[part], start[part], threads=threads), whole):
            np.testing.assert_array_equal(x, y[part])


def test_positions_weights_and_shapes():
    model, frame = arm("arm7")
    target = poses(model, frame, 5, 12).reshape(3, 4, 3, 4)
    found = tandem.inverse_kinematics(model, "tool0", target[..., 3])
    assert found.q.shape == (3, 4, 7) and found.converged.shape == (3, 4) and found.converged.all()
    reached = tandem.forward_kinematics(model, found.q)[..., model.frame_index("tool0"), :, :]
    np.testing.assert_allclose(reached[..., 3], target[..., 3], atol=1e-7)
    # free to turn about its z: that axis alone comes to the target's
    found = tandem.inverse_kinematics(model, frame, target, weights=(1, 1, 1, 1, 1, 0))
    reached = tandem.forward_kinematics(model, found.q)[..., frame, :, :]
    assert found.converged.all()
    np.testing.assert_allclose(reached[..., 2:], target[..., 2:], atol=1e-6)
    assert np.abs(reached[..., :2] - target[..., :2]).max() > 0.1
    one = tandem.inverse_kinematics(model, frame, target[0, 0], np.zeros((5, 7)))
    assert one.q.shape == (5, 7) and isinstance(tandem.inverse_kinematics(model, frame, target[0, 0]).error, float)
    empty = tandem.inverse_kinematics(model, frame, target[:0])
    assert empty.q.shape == (0, 4, 7) and empty.converged.shape == (0, 4)


def test_precision_and_kind_follow_the_target():
    model, frame = arm("arm7")
    target = poses(model, frame, 6, 20).astype(np.float32)
    found = tandem.inverse_kinematics(model, frame, target)
    assert found.q.dtype == found.error.dtype == np.float32 and found.converged.all()
    assert (found.error <= 1e-4).all()
    tensor = tandem.inverse_kinematics(model, frame, LibraryTensor(target))
    assert isinstance(tensor.q, LibraryTensor)
    np.testing.assert_array_equal(tensor.q.array, found.q)


@pytest.mark.parametrize("name, floating", [("humanoid", True), ("quadruped", True)])
def test_floating_robots_and_ball_joints(name, floating):
    model = robot(name, floating)
    frame = model.n_links - 1
    target = poses(model, frame, 7, 10)
    found = tandem.inverse_kinematics(model, frame, target, tandem.random_configuration(model, seed=8, batch=10))
    assert found.converged.all() and (error_of(model, frame, found.q, target) <= 1e-8).all()


def test_what_cannot_be_reached_says_so():
    model, frame = arm("arm7")
    far = poses(model, frame, 9, 3)
    far[1, :, 3] = (10, 0, 0)
    far[2, 0, 0] = np.nan
    found = tandem.inverse_kinematics(model, frame, far, restarts=3)
    assert found.converged.tolist() == [True, False, False]
    assert 8 < found.error[1] < 11 and (found.q[1] >= model.q_lower).all() and (found.q[1] <= model.q_upper).all()
    # the arm points there
    reached = tandem.forward_kinematics(model, tandem.inverse_kinematics(model, frame, [10.0, 0, 0]).q)[frame]
    assert reached[0, 3] > 0.5 and abs(reached[1, 3]) < 0.3


def test_started_at_a_solution_it_stays():
    model, frame = arm("arm6")
    q = tandem.random_configuration(model, seed=10, batch=5)
    found = tandem.inverse_kinematics(model, frame, tandem.forward_kinematics(model, q)[:, frame], q)
    np.testing.assert_array_equal(found.q, q)
    assert (found.iterations == 0).all()


POSE = np.eye(3, 4)
WRONG = {
    "frame": (dict(frame="tool9"), 'no frame "tool9"'),
    "index": (dict(frame=99), "inverse_kinematics: frame 99 does not exist"),
    "shape": (dict(target=np.zeros((2, 4))), "target has shape (2, 4), expected (..., 3, 4) or (..., 3)"),
    "no rotation": (dict(target=[np.eye(3, 4), 2 * np.eye(3, 4)]), "target of state 1 is not a pose: the first three"),
    "mirror": (dict(target=-np.eye(3, 4)), "target of state 0 is not a pose"),
    "q0": (dict(q0=np.zeros(6)), "inverse_kinematics: q0 has shape (6,), expected (7,) or (..., 7)"),
    "batches": (
        dict(target=[np.eye(3, 4)] * 3, q0=np.zeros((2, 7))),
        "target has a batch of 3 states, but q0 has 2 states",
    ),
    "weights": (dict(weights=[1, 1, 1]), "weights has shape (3,), expected (6,)"),
    "tolerance": (dict(tolerance=-1.0), "tolerance is -1, expected 0 or more"),
    "iterations": (dict(max_iterations=0), "max_iterations is 0, expected 1 or more"),
    "restarts": (dict(restarts=-1), "restarts is -1, expected 0 or more"),
    "threads": (dict(threads=-1), "threads is -1, expected 1 or more"),
}


@pytest.mark.parametrize("case", WRONG)
def test_error_text(case):
    options, text = WRONG[case]
    with pytest.raises(tandem.Error) as error:
        tandem.inverse_kinematics(robot("arm7"), **{"frame": "tool0", "target": POSE} | options)
    assert text in str(error.value)

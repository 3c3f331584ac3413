# SPDX-License-Identifier: Apache-2.0
"""The environment of Gymnasium, by Gymnasium's own checks and beside its own vector environments."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import tandem

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed (pip install gymnasium)")
reach = pytest.importorskip("tandem.gymnasium")

MODES = ["NextStep", "SameStep"]


@pytest.mark.parametrize("control", ["targets", "forces"])
def test_gymnasium_finds_nothing_wrong(control):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("tandem/Reach-v0", control=control)
        assert env.spec.max_episode_steps == 50
        env.unwrapped.spec.additional_wrappers = ()
        check_env(env.unwrapped)


@pytest.mark.parametrize("mode", MODES)
def test_beside_gymnasiums_own_vector_environment(mode):
    """The same seeds and actions give the same numbers as environments one by one, which Gymnasium steps and resets."""
    options = {"max_episode_steps": 4, "substeps": 2}
    ours = gymnasium.make_vec("tandem/Reach-v0", num_envs=3, autoreset_mode=mode, **options)
    how = {"autoreset_mode": gymnasium.vector.AutoresetMode(mode)}
    theirs = gymnasium.make_vec(
        "tandem/Reach-v0", num_envs=3, vectorization_mode="sync", vector_kwargs=how, **options
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    ours.action_space.seed(3)
    a, b = ours.reset(seed=5), theirs.reset(seed=5)
    for step in range(14):
        np.testing.assert_array_equal(a[0], b[0])
        assert a[0].dtype == b[0].dtype and a[0] in ours.observation_space
        equal_infos(a[-1], b[-1])
        if step:
            for x, y in zip(a[1:4], b[1:4]):
                np.testing.assert_array_equal(x, y)
                assert x.dtype == y.dtype
        actions = ours.action_space.sample()
        if step == 9:  # out of turn
            a, b = ours.reset(), theirs.reset()
            a, b = (*a[:1], *[np.zeros(3)] * 3, a[1]), (*b[:1], *[np.zeros(3)] * 3, b[1])
        else:
            a, b = ours.step(actions), theirs.step(actions)


def equal_infos(a, b):
    assert set(a) == set(b)
    for name, values in a.items():
        if isinstance(values, dict):
            equal_infos(values, b[name])
        elif values.dtype == object:
            for x, y in zip(values, b[name]):
                assert (x is None) == (y is None) and (x is None or np.array_equal(x, y))
        else:
            np.testing.assert_array_equal(values, b[name])


def test_episodes_are_of_the_seed_alone():
    many = reach.ReachVectorEnv(20, max_episode_steps=3, substeps=2, threads=2)
    few = reach.ReachVectorEnv(4, max_episode_steps=3, substeps=2, threads=1)
    x, y = many.reset(seed=7)[0], few.reset(seed=[7, 8, None, 10])[0]
    np.testing.assert_array_equal(x[[0, 1, 3]], y[[0, 1, 3]])
    for _ in range(9):
        x, y = many.step(np.full((20, 7), 0.3))[0], few.step(np.full((4, 7), 0.3))[0]
        np.testing.assert_array_equal(x[[0, 1, 3]], y[[0, 1, 3]])
    again = many.reset(seed=7)[0]
    assert not np.array_equal(again, x)
    goals = again[:, 14:17]
    assert np.unique(goals, axis=0).shape == goals.shape
    np.testing.assert_array_equal(again[5:], many.reset(seed=7)[0][5:])
    assert not np.array_equal(again, many.reset()[0])


def test_without_autoreset_episodes_are_begun_by_a_mask():
    env = reach.ReachVectorEnv(3, max_episode_steps=2, substeps=1, autoreset_mode="Disabled")
    before, _ = env.reset(seed=1)
    actions = np.zeros((3, 7))
    env.step(actions)
    *_, truncations, _ = env.step(actions)
    assert truncations.all()
    with pytest.raises(tandem.Error, match="episode 0 has ended; reset it"):
        env.step(actions)
    after, infos = env.reset(options={"reset_mask": np.array([True, False, True])})
    assert infos["_distance"].tolist() == [True, False, True]
    assert np.array_equal(after[1, 14:17], before[1, 14:17]) and not np.array_equal(after[0, 14:17], before[0, 14:17])
    with pytest.raises(tandem.Error, match="episode 1 has ended"):
        env.step(actions)
    with pytest.raises(tandem.Error, match="reset_mask must be a mask"):
        env.reset(options={"reset_mask": np.array([1, 0, 1])})


def test_observations_stay_within_bounds():
    for control in ("targets", "forces"):
        env = reach.ReachVectorEnv(64, control=control, kp=600.0)
        observations, _ = env.reset(seed=3)
        wild = np.random.default_rng(0)
        ended = 0
        for _ in range(70):
            assert observations in env.observation_space
            actions = wild.choice([-1.0, 1.0], (64, 7))
            actions[:8] = 1  # the same way all the time
            observations, rewards, terminations, _, _ = env.step(actions)
            ended += terminations.sum()
            assert np.isfinite(rewards).all()
        assert observations in env.observation_space
    assert ended > 0, "none of those that forces drive became too fast"


def test_forces_can_be_learnt():
    """Random ones seldom end an episode, and a spring from the tip to the goal, with damping, comes near most goals."""
    env = reach.ReachVectorEnv(64, control="forces", autoreset_mode="Disabled")
    env.reset(seed=1)
    random, ended = np.random.default_rng(0), np.zeros(64, bool)
    for _ in range(49):
        _, _, terminated, _, _ = env.step(random.uniform(-1, 1, (64, 7)))
        ended |= terminated
        if terminated.any():
            env.reset(options={"reset_mask": terminated})
    assert ended.mean() < 0.1
    _, infos = env.reset(seed=2)
    before = infos["distance"]
    for _ in range(49):
        batch, way = env.batch, env._goals - env._tip.position
        J = tandem.jacobian(env.model, batch.q, env._frame, "local_world_aligned")[:, :3]
        pull = np.einsum("bij,bi->bj", J, way)
        _, _, terminated, _, infos = env.step((100 * pull - 10 * batch.v) / 50)
        assert not terminated.any()
    assert np.median(infos["distance"]) < 0.4 * np.median(before)


def test_a_joint_with_one_limit_begins_and_has_goals_within_it():
    arm = tandem.describe("arm7").change_joint("joint2", lower=2.0,
                                               upper=np.inf).change_joint("joint4", lower=-np.inf, upper=-1.0).build()
    env = reach.ReachVectorEnv(32, robot=arm, control="forces")
    env.reset(seed=1)
    for _ in range(3):
        q = env.batch.q
        assert (q[:, 1] >= 2).all() and (q[:, 3] <= -1).all() and np.isfinite(env._goals).all()
        env.reset()


def test_wrappers_of_gymnasium_take_it():
    env = gymnasium.make_vec("tandem.gymnasium:tandem/Reach-v0", num_envs=4, max_episode_steps=3, substeps=1)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env = gymnasium.wrappers.vector.NormalizeObservation(env)
    env.reset(seed=1)
    for _ in range(3):
        *_, infos = env.step(env.action_space.sample())
    assert infos["episode"]["l"].tolist() == [3] * 4
    env.close()


def test_pictures_show_the_arm_and_its_goal():
    pytest.importorskip("matplotlib")
    env = gymnasium.make("tandem/Reach-v0", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.shape == (480, 480, 3) and first.dtype == np.uint8 and env.metadata["render_fps"] == 25
    np.testing.assert_array_equal(first, env.render())  # looking changes nothing
    env.step(np.ones(7))
    assert np.any(env.render() != first)

    many = gymnasium.make_vec("tandem/Reach-v0", num_envs=3, render_mode="rgb_array", substeps=5)
    many.reset(seed=1)
    pictures = many.render()
    assert len(pictures) == 3 and many.metadata["render_fps"] == 50
    np.testing.assert_array_equal(pictures[0], first)  # the same seed, the same picture
    assert np.any(pictures[1] != first)
    red = (first[..., 0] > 180) & (first[..., 1] < 80) & (first[..., 2] < 60)
    assert 20 < red.sum() < 1000  # a ring around the goal

    film = gymnasium.wrappers.RenderCollection(env)
    film.reset(seed=2)
    film.step(np.zeros(7))
    assert len(film.render()) == 2
    silent = reach.ReachVectorEnv(2)
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert silent.render() is None


def test_without_matplotlib_pictures_say_what_is_missing():
    code = (
        "import importlib.util as u; find = u.find_spec; u.find_spec = lambda n, *a: None if n == 'matplotlib' else "
        "find(n, *a)\n"
        "import tandem.gymnasium as g; g.ReachEnv(); g.ReachEnv(render_mode='rgb_array')"
    )
    environment = {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "render_mode rgb_array needs Matplotlib: pip install matplotlib" in done.stderr


def test_what_cannot_be_is_said():
    for options, words in (
        ({"robot": "quadruped", "control": "push"}, "control is 'push', expected 'targets' or 'forces'"),
        ({"robot": tandem.load("quadruped", floating=True)}, "is free, expected joints with one coordinate"),
        ({"autoreset_mode": "Never"}, "autoreset_mode is 'Never', expected one of NextStep, SameStep, Disabled"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"render_mode": "human"}, "render_mode is 'human', expected 'rgb_array' or None"),
        ({"frame": "nose"}, "nose"),
    ):
        with pytest.raises(tandem.Error, match=words):
            reach.ReachVectorEnv(2, **options)
    env = reach.ReachVectorEnv(2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros((2, 7)))
    with pytest.raises(tandem.Error, match="seed has 3 numbers, expected 2"):
        env.reset(seed=[1, 2, 3])
    for seed in (1.5, "a", -1, [1, 2.5]):
        with pytest.raises(tandem.Error, match="ReachVectorEnv.reset: seed is .*, expected"):
            env.reset(seed=seed)
    with pytest.raises(tandem.Error, match="ReachVectorEnv.reset: options is 3, expected a dict"):
        env.reset(options=3)
    np.testing.assert_array_equal(env.reset(seed=np.int64(3))[0], env.reset(seed=[3, np.int32(4)])[0])
    np.testing.assert_array_equal(env.reset(seed=2**64 + 3)[0], env.reset(seed=3)[0])
    env.reset()
    with pytest.raises(tandem.Error, match=r"actions have shape \(7,\), expected \(2, 7\)"):
        env.step(np.zeros(7))


def test_without_gymnasium_the_module_says_what_is_missing():
    code = "import sys; sys.modules['gymnasium'] = None; import tandem.gymnasium"
    environment = {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "tandem.gymnasium needs Gymnasium, which is not installed: pip install gymnasium" in done.stderr

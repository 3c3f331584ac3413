# SPDX-License-Identifier: Apache-2.0
"""The robots of Gymnasium's MuJoCo environments, beside these."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from mujoco_support import mujoco

import tandem

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed (pip install gymnasium[mujoco])")
pytest.importorskip("tandem.gymnasium")
from tandem.gymnasium._mujoco_env import installed_file  # noqa: E402
from tandem.gymnasium._mujoco_state import Bodies, Coordinates, body_names  # noqa: E402

NAMES = ["HalfCheetah", "Hopper", "Walker2d", "Ant", "Humanoid"]
EXACT = {"tolerance": 1e-9, "most_steps": 100}  # a policy's closed loop is chaos: what differs grows


def theirs(name: str, **options: Any) -> Any:
    """Gymnasium's own, with its problem of contacts solved to the end: Humanoid's file ends PGS after 50 iterations."""
    env = gymnasium.make(f"{name}-v5", **options).unwrapped
    env.model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    env.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    env.model.opt.tolerance, env.model.opt.iterations = 1e-12, 100
    return env


def compare(name: str, steps: int, scale: float, **options: Any) -> list[float]:
    """The largest difference of observations, rewards and infos in each step of four environments."""
    own = gymnasium.make_vec(
        f"tandem/{name}-v0", num_envs=4, autoreset_mode="Disabled", contact_options=EXACT, **options
    )
    others = [theirs(name, **options) for _ in range(4)]
    assert own.single_observation_space == others[0].observation_space
    assert own.single_action_space == others[0].action_space
    observations, infos = own.reset(seed=11)
    for i, env in enumerate(others):
        seen, info = env.reset(seed=11 + i)
        np.testing.assert_allclose(observations[i], seen, atol=1e-13, rtol=1e-13)
        for key in info.keys() & infos.keys():
            np.testing.assert_allclose(infos[key][i], info[key], atol=1e-13)
    random, differences = np.random.default_rng(3), []
    ended = np.zeros(4, bool)
    for _ in range(steps):
        space = own.single_action_space
        actions = (scale * random.uniform(space.low, space.high, (4, *space.shape))).astype(np.float32)
        observations, rewards, terminated, truncated, infos = own.step(actions)
        own.unwrapped._done[:] = False  # go on as single environments do
        assert not truncated.any()
        worst = 0.0
        for i, env in enumerate(others):
            seen, reward, over, _, info = env.step(actions[i])
            size = 1 + np.abs(seen)
            worst = max(worst, float((np.abs(observations[i] - seen) / size).max()), abs(rewards[i] - reward))
            assert bool(terminated[i]) == over
            assert set(info) - set(infos) <= {"tendon_length", "tendon_velocity"}
            worst = max(worst, *(abs(infos[key][i] - info[key]) for key in info if key in infos))
        ended |= terminated
        differences.append(worst)
    if name not in ("HalfCheetah", "Ant"):
        assert ended.any()  # of both, in the same step
    return differences


@pytest.mark.parametrize("name, steps, scale, bound", [
    ("HalfCheetah", 20, 1.0, 1e-6),
    ("HalfCheetah", 200, 0.1, 1e-3),
    ("Hopper", 300, 1.0, 1e-6),
    ("Walker2d", 300, 1.0, 1e-6),
    ("Ant", 30, 1.0, 1e-5),
    ("Ant", 100, 0.0, 1e-6),
    ("Humanoid", 100, 1.0, 1e-6),
])  # fmt: skip
def test_episodes_are_those_of_gymnasium(name: str, steps: int, scale: float, bound: float) -> None:
    differences = compare(name, steps, scale)
    assert differences[0] < 1e-11
    assert max(differences) < bound


@pytest.mark.parametrize("name, options", [
    ("HalfCheetah", {"exclude_current_positions_from_observation": False, "ctrl_cost_weight": 0.3, "frame_skip": 2}),
    ("Ant", {"include_cfrc_ext_in_observation": False, "main_body": "aux_1", "contact_cost_weight": 0.1}),
    ("Ant", {"healthy_z_range": (0.5, 0.6), "terminate_when_unhealthy": False, "contact_force_range": (-0.1, 0.2)}),
    ("Humanoid", {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False}),
    ("Walker2d", {"healthy_angle_range": (-0.01, 0.01), "reset_noise_scale": 0.05, "forward_reward_weight": 3.0}),
])  # fmt: skip
def test_options_are_those_of_gymnasium(name: str, options: dict[str, Any]) -> None:
    if "frame_skip" in options:  # which Gymnasium has in its metadata
        compare_with = {key: value for key, value in options.items() if key != "frame_skip"}
        assert max(compare(name, 5, 0.5, **compare_with)) < 1e-8
        return
    if name in ("Humanoid", "Walker2d"):
        options["healthy_z_range"] = (1.3, 1.39) if name == "Humanoid" else (0.8, 2.0)
    assert max(compare(name, 15, 0.5, **options)) < 1e-6


@pytest.mark.parametrize("name", ["ant", "humanoid"])
def test_bodies_are_those_of_mujoco(name: str) -> None:
    """xpos, xipos, cinert, cvel and cfrc_ext of random states on the floor."""
    path = installed_file(f"{name}.xml")
    model = tandem.load(str(path))
    other = mujoco.MjModel.from_xml_path(str(path))
    other.opt.solver, other.opt.tolerance, other.opt.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 0, 100
    other.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(other)
    pairs, coordinates = tandem.ContactSet(model), Coordinates(model)
    bodies = Bodies(path, model, pairs)
    assert [
        mujoco.mj_id2name(other, mujoco.mjtObj.mjOBJ_BODY, i) or f"body{i}" for i in range(other.nbody)
    ] == bodies.names
    dynamics = tandem.contact.ContactDynamics(pairs, tolerance=1e-10, most_steps=100)
    random, touched = np.random.default_rng(5), 0
    for _ in range(30):
        qpos = other.qpos0 + random.uniform(-0.4, 0.4, other.nq)
        qpos[2] = random.uniform(0.2, 0.7)
        q = coordinates.q(qpos)
        qvel = random.normal(size=other.nv)
        v = coordinates.v(q, qvel)
        np.testing.assert_allclose(coordinates.qvel(q, v), qvel, atol=1e-13)
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = coordinates.qpos(q), qvel, 0
        mujoco.mj_forward(other, data)
        mujoco.mj_rnePostConstraint(other, data)
        tau = tandem.passive_forces(model, q, v, parameters={"friction": np.zeros(model.nv)})
        found = dynamics(q, v, tau)
        touched += int((found.f_contact[:, 0] > 0).sum())
        state = bodies.state(q[None], v[None], found.f_contact[None])
        for ours, expected in (
            (state.position, data.xpos),
            (state.centre, data.xipos),
            (state.cinert, data.cinert),
            (state.cvel, data.cvel),
        ):
            np.testing.assert_allclose(ours[0], expected, atol=1e-10, rtol=1e-10)
        np.testing.assert_allclose(state.centre_of_mass[0], data.subtree_com[1], atol=1e-12)
        scale = 1 + np.abs(data.cfrc_ext).max()
        np.testing.assert_allclose(state.cfrc_ext[0], data.cfrc_ext, atol=1e-6 * scale)
    assert touched > 20


@pytest.mark.parametrize("name", [*NAMES, "Quadruped"])
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|Box observation space).*")
        env = gymnasium.make(f"tandem/{name}-v0")
        assert env.spec.max_episode_steps == (500 if name == "Quadruped" else 1000)
        env.unwrapped.spec.additional_wrappers = ()
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("name", ["Hopper", "Humanoid", "Quadruped"])
def test_beside_gymnasiums_own_vector_environment(name: str, mode: str) -> None:
    """The same seeds and actions give the same numbers as environments one by one, which Gymnasium steps and resets."""
    options = {"max_episode_steps": 4}
    ours = gymnasium.make_vec(f"tandem/{name}-v0", num_envs=3, autoreset_mode=mode, **options)
    how = {"autoreset_mode": gymnasium.vector.AutoresetMode(mode)}
    each = gymnasium.make_vec(f"tandem/{name}-v0", num_envs=3, vectorization_mode="sync", vector_kwargs=how, **options)
    for space in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, space) == getattr(each, space)
    ours.action_space.seed(3)
    a, b = ours.reset(seed=5), each.reset(seed=5)
    np.testing.assert_array_equal(a[0], b[0])
    equal_infos(a[1], b[1])
    for _ in range(11):
        actions = ours.action_space.sample()
        ours_now, each_now = ours.step(actions), each.step(actions)
        for x, y in zip(ours_now[:4], each_now[:4]):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
            assert x.dtype == y.dtype
        equal_infos(ours_now[4], each_now[4])


def equal_infos(ours: dict[str, Any], each: dict[str, Any]) -> None:
    assert set(ours) == set(each)
    for key, values in ours.items():
        if isinstance(values, dict):
            equal_infos(values, each[key])
        elif values.dtype == object:
            for x, y in zip(values, each[key]):
                assert (x is None) == (y is None)
                if x is not None:
                    np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_allclose(values, each[key], rtol=1e-12, atol=1e-12)


def test_robots_do_not_depend_on_their_number_nor_on_threads() -> None:
    few = gymnasium.make_vec("tandem/Ant-v0", num_envs=2, threads=1)
    many = gymnasium.make_vec("tandem/Ant-v0", num_envs=5, threads=2)
    a, b = few.reset(seed=3)[0], many.reset(seed=3)[0]
    random = np.random.default_rng(0)
    for _ in range(20):
        np.testing.assert_array_equal(a, b[:2])
        actions = random.uniform(-1, 1, (5, 8)).astype(np.float32)
        a, b = few.step(actions[:2])[0], many.step(actions)[0]


def test_a_mask_resets_some() -> None:
    env = gymnasium.make_vec("tandem/Hopper-v0", num_envs=3, autoreset_mode="Disabled", max_episode_steps=2)
    first = env.reset(seed=[4, 5, 6])[0]
    for _ in range(2):
        seen, _, _, truncated, _ = env.step(np.zeros((3, 3), np.float32))
    assert truncated.all()
    with pytest.raises(tandem.Error, match="episode 0 has ended; reset it with options"):
        env.step(np.zeros((3, 3), np.float32))
    mask = np.array([False, True, False])
    again, infos = env.reset(seed=[None, 5, None], options={"reset_mask": mask})
    np.testing.assert_array_equal(again[1], first[1])
    np.testing.assert_array_equal(again[[0, 2]], seen[[0, 2]])
    np.testing.assert_array_equal(infos["_x_position"], mask)


def test_pictures() -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    env = gymnasium.make("tandem/HalfCheetah-v0", render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape == (240, 320, 3) and picture.dtype == np.uint8 and np.ptp(picture) > 50


def test_the_quadruped_stands_and_falls() -> None:
    env = gymnasium.make_vec("tandem/Quadruped-v0", num_envs=4, autoreset_mode="Disabled", command_x=(0.0, 0.0))
    env.reset(seed=1)
    for _ in range(50):
        seen, rewards, terminated, *_ = env.step(np.zeros((4, 12), np.float32))
    assert not terminated.any()
    np.testing.assert_allclose(seen[:, :3], [[0, 0, -1]] * 4, atol=0.05)
    assert (rewards > 1.2 * 0.02).all() and (rewards < 1.5 * 0.02).all()  # it stands still, as it is told to
    batch = env.unwrapped.batch
    weight = sum(batch.link(f"{leg}_shank").contact_force[:, 2] for leg in ("FL", "FR", "RL", "RR"))
    np.testing.assert_allclose(weight, 8.912 * 9.81, rtol=0.05)
    batch.reset([2], q=np.r_[0, 0, 0.3, 1, 0, 0, 0, np.tile([0, 0.8, -1.6], 4)])  # on its back
    for _ in range(10):
        terminated |= env.unwrapped._judge(np.zeros((4, 12)))[1]
        batch.step()
    assert terminated.tolist() == [False, False, True, False]


def test_files_of_users() -> None:
    text = tandem.describe("quadruped").write_mjcf()
    with pytest.raises(tandem.Error, match="free joint, then joints with one coordinate each"):
        gymnasium.make_vec("tandem/Quadruped-v0", num_envs=1, robot="arm7")
    assert "freejoint" in text or "free" in text


def test_what_is_missing_is_named(tmp_path: Any) -> None:
    with pytest.raises(tandem.Error, match=r'pip install "gymnasium\[mujoco\]"'):
        gymnasium.make_vec("tandem/Ant-v0", num_envs=1, xml_file="no_such_ant.xml")
    with pytest.raises(tandem.Error, match="AntVectorEnv: unknown option 'healthy'"):
        gymnasium.make_vec("tandem/Ant-v0", num_envs=1, healthy=1)
    text = installed_file("ant.xml").read_text()
    euler = tmp_path / "euler.xml"
    euler.write_text(text.replace('integrator="RK4"', 'integrator="Euler"'))
    with pytest.raises(tandem.Error, match="has the integrator Euler; bodies and contacts are observed with RK4"):
        gymnasium.make_vec("tandem/Ant-v0", num_envs=1, xml_file=str(euler))
    included = tmp_path / "included.xml"
    included.write_text("<mujoco><worldbody><include file='x.xml'/></worldbody></mujoco>")
    with pytest.raises(tandem.Error, match="<include> in bodies"):
        body_names(included)
    env = gymnasium.make_vec("tandem/Hopper-v0", num_envs=2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros((2, 3)))
    env.reset(seed=0)
    with pytest.raises(tandem.Error, match=r"actions have shape \(3,\), expected \(2, 3\)"):
        env.step(np.zeros(3))

# SPDX-License-Identifier: Apache-2.0
"""Accelerations and contact forces against MuJoCo and closed forms."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_support import G, PILE, TOYS, WALKER, Twin, quadruped_on_feet
from mujoco_support import mujoco

import tandem

CONES = [("elliptic", 1.0), ("elliptic", 20.0), ("pyramidal", 1.0), ("pyramidal", 5.0)]


def relative(ours: Any, theirs: Any) -> float:
    return float(np.abs(ours - theirs).max(initial=0) / (1 + np.abs(theirs).max(initial=0)))


def compare_states(twin: Twin, states: int, seed: int, fall: float, turn: float = 0.3) -> int:
    """Compares accelerations and all forces; returns how many contacts pushed."""
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-12, most_steps=100)
    q, v, tau = twin.random_states(states, seed, fall, turn)
    smooth = {"friction": np.zeros(twin.model.nv)}  # dry friction is a row of contact dynamics
    found = dynamics(q, v, tau + tandem.passive_forces(twin.model, q, v, parameters=smooth))
    pushed = 0
    for k in range(states):
        twin.forward(q[k], v[k], tau[k])
        assert relative(found.a[k], twin.accelerations(q[k], v[k])) < 1e-8
        theirs = twin.forces(q[k])
        assert relative(found.f_contact[k], theirs) < 1e-8
        pushed += int((theirs[:, 0] > 0).sum())
        efc, J = twin.data.efc_type, twin.data.efc_J.reshape(-1, twin.theirs.nv)
        for ours, kind in ((found.f_limit, "mjCNSTR_LIMIT_JOINT"), (found.f_friction, "mjCNSTR_FRICTION_DOF")):
            rows = efc == getattr(mujoco.mjtConstraint, kind)
            assert relative(ours[k], twin.bridge.tau_from(J[rows].T @ twin.data.efc_force[rows], q[k])) < 1e-8
    assert found.converged.all()
    return pushed


@pytest.mark.parametrize("cone, impratio", CONES)
def test_a_walker_of_many_shapes_is_mujocos(cone: str, impratio: float) -> None:
    assert compare_states(Twin(WALKER, cone, impratio), 60, 1, 0.15) > 60


@pytest.mark.parametrize("cone, impratio", CONES)
def test_bodies_that_touch_each_other_are_mujocos(cone: str, impratio: float) -> None:
    twin = Twin(PILE, cone, impratio, self_contact=True)
    assert any(pair.link_1 != "world" and pair.link_2 != "world" for pair in twin.contacts.pairs)
    assert compare_states(twin, 60, 11, 0.05, turn=0.3) > 150


@pytest.mark.parametrize("cone, impratio", CONES)
def test_toys_on_a_tilted_floor_are_mujocos(cone: str, impratio: float) -> None:
    assert compare_states(Twin(TOYS, cone, impratio), 60, 2, 0.06, turn=0.2) > 100


@pytest.mark.parametrize("cone, impratio", CONES)
def test_the_shipped_quadruped_on_its_feet_is_mujocos(cone: str, impratio: float) -> None:
    theirs = mujoco.MjModel.from_xml_string(quadruped_on_feet().write_mjcf())
    assert theirs.ngeom >= 5
    assert compare_states(Twin(theirs, cone, impratio), 60, 3, 0.1) > 10


def test_the_quadruped_of_the_builder_is_that_of_its_file() -> None:
    built = quadruped_on_feet().build()
    read = tandem.from_mujoco(mujoco.MjModel.from_xml_string(quadruped_on_feet().write_mjcf()))
    q = tandem.neutral_configuration(built)
    q[:3] = 0, 0, 0.403
    results = [tandem.contact_dynamics(tandem.ContactSet(x, self_contact=False), q, np.zeros(18), np.zeros(18))
               for x in (built, read)]
    assert results[0].f_contact[:, 0].sum() > 0
    assert relative(results[0].a, results[1].a) < 1e-9


@pytest.mark.parametrize("name, file, lowered", [("unitree_go2", "go2.xml", 0.1), ("unitree_h1", "h1.xml", 0.1)])
def test_robots_of_mujoco_menagerie(models: Path, name: str, file: str, lowered: float) -> None:
    path = models / "mjcf" / name / file
    if not path.exists():
        pytest.skip(f"no {path.name}")
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
        else:
            geom.contype, geom.conaffinity = (0, 1) if geom.contype or geom.conaffinity else (0, 0)
    spec.worldbody.add_geom(name="own_floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=1,
                            conaffinity=0)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    twin = Twin(spec.compile())
    q0 = twin.bridge.q_from(twin.theirs.key_qpos[0] if twin.theirs.nkey else twin.theirs.qpos0)
    assert compare_states(twin, 20, 4, q0[2] - 0.15, turn=0.1) > 20


@pytest.fixture
def models() -> Path:
    import os

    if "TANDEM_MODELS" not in os.environ:
        pytest.skip("TANDEM_MODELS is not set")
    return Path(os.environ["TANDEM_MODELS"])


def block(slope: float, mu: float, **more: Any) -> tandem.Model:
    """A cube of 1 kg on a floor with gravity that is inclined along x."""
    half = 0.1
    builder = tandem.ModelBuilder("block").link("world").link("block", mass=1,
                                                              inertia=np.eye(3)[np.triu_indices(3)] * half**2 * 2 / 3)
    builder = builder.joint("root", "free", "world", "block").gravity((G * np.sin(slope), 0, -G * np.cos(slope)))
    builder = builder.shape("floor", "plane", "world", friction=(mu, 0.005, 0.0001))
    return builder.shape("block", "box", "block", size=(half, half, half), friction=(mu, 0.005, 0.0001), **more).build()


def settled(model: tandem.Model, height: float, **options: Any) -> tuple[np.ndarray,
                                                                         tandem.contact.ContactAcceleration]:
    """Goes along z alone until a cube or a ball neither sinks nor rises; returns q."""
    dynamics = tandem.contact.ContactDynamics(model, tolerance=1e-10, **options)
    low, high = height - 0.01, height
    for _ in range(100):
        z = (low + high) / 2
        found = dynamics([0, 0, z, 0, 0, 0, 1], np.zeros(6), np.zeros(6))
        low, high = (z, high) if found.a[2] > 0 else (low, z)
    return np.array([0, 0, z, 0, 0, 0, 1]), found


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal", "disc"])
def test_a_block_on_an_incline_sticks_or_slides(cone: Any) -> None:
    slope = np.radians(20)
    weight = G * np.cos(slope)
    _, sticks = settled(block(slope, 0.6), 0.1, cone=cone)
    # at rest a soft row lets through 1 - d of what it would hold; the normal is in balance, four corners push
    assert abs(sticks.a[0]) < 0.15 * G * np.sin(slope)
    np.testing.assert_allclose(sticks.f_contact[:, 0].sum(), weight, rtol=1e-6)
    _, slides = settled(block(slope, 0.2), 0.1, cone=cone)
    v = np.array([1.0, 0, 0, 0, 0, 0])
    q, _ = settled(block(slope, 0.2), 0.1, cone=cone)
    sliding = tandem.contact_dynamics(block(slope, 0.2), q, v, np.zeros(6), cone=cone, tolerance=1e-10)
    friction = np.hypot(sliding.f_contact[:, 1], sliding.f_contact[:, 2]).sum()
    np.testing.assert_allclose(friction, 0.2 * sliding.f_contact[:, 0].sum(), rtol=1e-9)
    np.testing.assert_allclose(sliding.a[0], G * np.sin(slope) - friction, rtol=1e-9)
    assert slides.a[0] > 0.5 * (G * np.sin(slope) - 0.2 * weight)


def test_a_ball_without_friction_only_accelerates_along_the_slope() -> None:
    slope, radius = np.radians(10), 0.1
    inertia = np.eye(3)[np.triu_indices(3)] * 0.4 * 2 * radius**2
    builder = tandem.ModelBuilder("ball").link("world").link("ball", mass=2, inertia=inertia)
    builder = builder.joint("root", "free", "world", "ball").gravity((G * np.sin(slope), 0, -G * np.cos(slope)))
    smooth = builder.shape("floor", "plane", "world", condim=1).shape("ball", "sphere", "ball", size=radius,
                                                                      condim=1).build()
    _, found = settled(smooth, radius)
    np.testing.assert_allclose(found.a, [G * np.sin(slope), 0, found.a[2], 0, 0, 0], atol=1e-9)


def test_states_do_not_depend_on_each_other() -> None:
    twin = Twin(WALKER)
    dynamics = tandem.contact.ContactDynamics(twin.contacts)
    q, v, tau = twin.random_states(24, 5, 0.15)
    every = dynamics(q, v, tau, threads=2)
    for k in (0, 7, 23):
        alone = dynamics(q[k], v[k], tau[k])
        for ours, theirs in zip(alone[:-1], every[:-1], strict=True):  # all but `found`, a table of all states
            np.testing.assert_array_equal(ours, theirs[k])
    q[3, 2] = v[9, 0] = np.nan
    with_nan = dynamics(q.reshape(2, 12, -1), v.reshape(2, 12, -1), tau.reshape(2, 12, -1))
    sound = np.ones(24, bool)
    sound[[3, 9]] = False
    np.testing.assert_array_equal(with_nan.a.reshape(24, -1)[sound], every.a[sound])
    assert not np.isfinite(with_nan.a.reshape(24, -1)[~sound]).all(axis=1).any()
    assert with_nan.f_contact.shape == (2, 12, twin.contacts.n_slots, 6) and with_nan.steps.shape == (2, 12)


def test_one_torque_serves_all_states_and_a_warm_start_takes_fewer_steps() -> None:
    twin = Twin(WALKER)
    dynamics = tandem.contact.ContactDynamics(twin.contacts)
    q, v, _ = twin.random_states(10, 6, 0.15)
    cold = dynamics(q, v, np.zeros(twin.model.nv))
    warm = dynamics(q, v, np.zeros((10, twin.model.nv)), begin=cold.a)
    assert relative(warm.a, cold.a) < 1e-3
    assert warm.steps.sum() < cold.steps.sum()


def test_without_contacts_it_is_forward_dynamics() -> None:
    twin = Twin(WALKER)
    q, v, tau = twin.random_states(5, 7, 0.0)
    q[:, 2] += 5
    f_ext = np.random.default_rng(1).normal(size=(5, twin.model.n_links, 6))
    found = tandem.contact_dynamics(twin.contacts, q, v, tau, f_ext=f_ext, limits=False, friction=False)
    assert relative(found.a, tandem.forward_dynamics(twin.model, q, v, tau, f_ext=f_ext)) < 1e-10
    assert (found.f_contact == 0).all() and (found.f_limit == 0).all() and (found.f_friction == 0).all()


def test_copies_and_pickles() -> None:
    twin = Twin(WALKER)
    dynamics = tandem.contact.ContactDynamics(twin.contacts, cone="pyramidal", impratio=3)
    q, v, tau = twin.random_states(3, 8, 0.15)
    expected = dynamics(q, v, tau).a
    for other in (copy.deepcopy(dynamics), pickle.loads(pickle.dumps(dynamics))):
        np.testing.assert_array_equal(other(q, v, tau).a, expected)


def test_the_softness_of_limits_and_friction_stays_with_the_joints() -> None:
    builder = tandem.read_mjcf(WALKER)
    model = builder.build()
    q, v, tau = Twin(WALKER).random_states(40, 9, 0.0, turn=0.6)
    expected = tandem.contact_dynamics(tandem.ContactSet(model, self_contact=False), q, v, tau)
    default = [0.02, 1, 0.9, 0.95, 0.001, 0.5, 2]
    options = {"limit_softness": default, "friction_softness": default}
    other = tandem.contact_dynamics(tandem.ContactSet(model, self_contact=False), q, v, tau, **options)
    assert relative(other.a, expected.a) > 1e-3
    for same in (pickle.loads(pickle.dumps(model)), tandem.read_mjcf(builder.write_mjcf()).build(),
                 tandem.describe(model).build()):
        found = tandem.contact_dynamics(tandem.ContactSet(same, self_contact=False), q, v, tau)
        assert relative(found.a, expected.a) < 1e-9


def test_errors_name_what_is_wrong() -> None:
    twin = Twin(WALKER)
    nq, nv = twin.model.nq, twin.model.nv
    q, v = tandem.neutral_configuration(twin.model), np.zeros(nv)
    with pytest.raises(tandem.Error, match=rf"v has shape \({nq},\), expected \(..., {nv}\)"):
        tandem.contact_dynamics(twin.contacts, q, q, v)
    with pytest.raises(tandem.Error, match=r"leading axes do not broadcast: q \(2,\), v \(3,\)"):
        tandem.contact_dynamics(twin.contacts, [q] * 2, [v] * 3, v)
    with pytest.raises(tandem.Error, match="tolerance is 0, expected a positive number"):
        tandem.contact_dynamics(twin.contacts, q, v, v, tolerance=0)
    with pytest.raises(tandem.Error, match="max_contacts and max_contact_columns are for device cuda"):
        tandem.contact_dynamics(twin.contacts, q, v, v, max_contacts=4)
    with pytest.raises(tandem.Error, match="device is 'gpu'"):
        tandem.contact_dynamics(twin.contacts, q, v, v, device="gpu")  # type: ignore[arg-type]
    with pytest.raises(tandem.Error, match="rigid"):
        tandem.contact_dynamics(twin.contacts, q, v, v, law="rigid")
    with pytest.raises(tandem.Error, match=r"limit_softness has shape \(3,\)"):
        tandem.contact_dynamics(twin.contacts, q, v, v, limit_softness=[1, 2, 3])


def test_a_wheel_on_a_fixed_axle_is_held() -> None:
    """Its centre of mass does not move under forces, so that MuJoCo's contacts of it have no softness at all."""
    wheel = tandem.read_mjcf("""<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.099">
      <joint axis="0 1 0"/><geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>""").build()
    pairs, q, v = tandem.ContactSet(wheel), np.zeros(1), np.zeros(1)
    pushed = tandem.contact_dynamics(pairs, q, v, np.ones(1))
    free = 1 / (0.4 * 1 * 0.1**2)  # without a contact
    assert pushed.converged
    assert abs(pushed.a[0]) < 1e-3 * free

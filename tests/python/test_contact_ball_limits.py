# SPDX-License-Identifier: Apache-2.0
"""Limits of the angles of ball joints, against MuJoCo."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contact_support import Twin, follow, simulation_of
from mujoco_support import mujoco

import tandem

#: An arm on a ball joint with limits, with a hand on another one, beside a ball on a floor; softness of their own.
ARM = """<mujoco model="arm">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="upper" pos="0 0 0.35"><joint name="shoulder" type="ball" range="0 50" damping="0.05" armature="0.01"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.25 0 0" size="0.04" mass="1" friction="0.7"/>
      <body name="lower" pos="0.25 0 0"><joint name="elbow" axis="0 1 0" range="-60 60" margin="0.2"/>
        <geom name="lower" type="capsule" fromto="0.02 0 0 0.2 0 0" size="0.03" mass="0.6"/>
        <body name="hand" pos="0.22 0 0" euler="10 20 0"><joint name="wrist" type="ball" range="0 25" margin="0.1" frictionloss="0.02"
            solreflimit="0.01 0.8" solimplimit="0.8 0.97 0.01 0.4 3"/>
          <geom name="hand" type="box" size="0.06 0.03 0.02" pos="0.05 0 0" mass="0.3"/></body></body></body>
    <body name="far" pos="0 0.6 0.35"><joint name="far" type="ball" range="0 170"/>
      <geom name="far" type="capsule" fromto="0 0 0 0.2 0 0.05" size="0.03" mass="0.4"/></body>
  </worldbody>
</mujoco>"""


def limits_of(twin: Twin) -> np.ndarray:
    """J^T f of MuJoCo's limits of joints."""
    data = twin.data
    J = data.efc_J.reshape(data.nefc, twin.theirs.nv)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT
    return J[rows].T @ data.efc_force[rows]


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_accelerations_and_forces_are_those_of_mujoco(cone: str) -> None:
    twin = Twin(ARM, cone, self_contact=True)
    q, v, tau = twin.random_states(40, 2, 0.0, 0.7)
    for joint in twin.model.joints:  # either sign of a quaternion is the same rotation
        if joint.type == "spherical":
            q[::3, joint.q_index : joint.q_index + 4] *= -1
    given = tau
    tau = tau + tandem.passive_forces(twin.model, q, v, parameters={"friction": np.zeros(twin.model.nv)})
    found = tandem.contact_dynamics(twin.contacts, q, v, tau, tolerance=1e-10, most_steps=100)
    assert found.converged.all()
    rows = {joint.name: slice(joint.v_index, joint.v_index + 3) for joint in twin.model.joints}
    pushed = 0
    for k in range(len(q)):
        twin.forward(q[k], v[k], given[k])
        a = twin.accelerations(q[k], v[k])
        np.testing.assert_allclose(found.a[k], a, atol=1e-8 * np.abs(a).max())
        limits = limits_of(twin)  # rows of v are in the same order and along the same axes
        np.testing.assert_allclose(found.f_limit[k], limits, atol=1e-8 * (1 + np.abs(limits).max()))
        pushed += int(np.count_nonzero([np.abs(limits[rows[name]]).max() > 0 for name in ("shoulder", "wrist", "far")]))
    assert pushed > 30
    alone = tandem.contact_dynamics(twin.contacts, q[7], v[7], tau[7], tolerance=1e-10, most_steps=100)
    np.testing.assert_array_equal(alone.a, found.a[7])
    free = tandem.contact_dynamics(twin.contacts, q, v, tau, limits=False)
    assert not free.f_limit.any()


def test_an_arm_swings_against_its_limits_as_in_mujoco() -> None:
    twin = Twin(ARM, self_contact=True)
    simulation = simulation_of(twin)
    simulation.v[:] = np.linspace(-3, 3, twin.model.nv)
    worst, pushed = follow(twin, simulation, 400)
    assert worst < 1e-6 and pushed > 0
    shoulder = twin.model.joint("shoulder").q_index
    assert 2 * np.arccos(abs(simulation.q[shoulder + 3])) < np.radians(56)


def test_limits_belong_to_descriptions() -> None:
    robot = tandem.ModelBuilder("r").link("base").link("arm", mass=1, com=(0.1, 0, 0), inertia=(1, 0, 0, 1, 0, 1))
    robot.joint("ball", "spherical", "base", "arm", upper=0.5)
    model = robot.build()
    assert model.joint("ball").upper == 0.5
    assert any("the limit of its angle acts only" in warning for warning in model.warnings)
    for same in (tandem.describe(model).build(), pickle.loads(pickle.dumps(model)),
                 tandem.read_mjcf(robot.write_mjcf()).build()):
        assert same.joint("ball").upper == pytest.approx(0.5, rel=1e-15)
    assert "the limit of its angle" in robot.write_urdf()
    with pytest.raises(tandem.ModelError, match="the limit of its angle is -1"):
        tandem.ModelBuilder("r").link("base").link("arm", mass=1).joint("ball", "spherical", "base", "arm",
                                                                        upper=-1).build()

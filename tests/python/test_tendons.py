# SPDX-License-Identifier: Apache-2.0
"""Fixed tendons against MuJoCo: lengths, accelerations, trajectories; descriptions that have them."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_support import Twin, follow, simulation_of, tight
from mujoco_support import mujoco

import tandem
from tandem import bridges

#: A hand whose fingers are coupled, over a floor: limits with a margin on one and on both sides, friction, springs with
#: and without a slack range, damping, softness of their own, and a joint in several tendons.
HAND = """<mujoco model="hand">
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/><joint damping="0.02"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.8"/>
    <body name="palm" pos="0 0 0.25"><joint name="lift" type="slide" axis="0 0 1"/><joint name="turn" axis="0 0.1 1"/>
      <geom type="box" size="0.04 0.05 0.02" mass="0.8"/>
      <body name="index" pos="0.03 0.04 0"><joint name="index1" axis="0 1 0" range="-40 95"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.06" size="0.012" mass="0.05"/>
        <body pos="0 0 -0.07"><joint name="index2" axis="0 1 0.1"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.04" size="0.01" mass="0.03"/>
          <body pos="0 0 -0.05"><joint name="index3" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.03" size="0.01" mass="0.02"/></body></body></body>
      <body name="thumb" pos="-0.03 0 0"><joint name="thumb1" type="slide" axis="1 0 0"/><geom size="0.015" mass="0.1"/>
        <body pos="0 0 -0.05"><joint name="thumb2" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.05" size="0.012" mass="0.06"/></body></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="coupling" limited="true" range="-0.1 0.1" margin="0.02" solreflimit="0.01 1.2"
        solimplimit="0.8 0.97 0.003 0.4 3">
      <joint joint="index2" coef="0.7"/><joint joint="index3" coef="-1.1"/></fixed>
    <fixed name="bent" limited="true" range="-3 0.3" frictionloss="0.03" solreffriction="0.03 0.9"
        solimpfriction="0.7 0.9 0.01 0.5 2">
      <joint joint="index1" coef="0.01"/><joint joint="index2" coef="1"/><joint joint="lift" coef="3"/></fixed>
    <fixed name="spring" stiffness="60" springlength="-0.02 0.05" damping="0.3">
      <joint joint="thumb1" coef="2"/><joint joint="thumb2" coef="0.05"/><joint joint="index1" coef="-0.1"/></fixed>
    <fixed name="taut" stiffness="0.5" springlength="0.4" frictionloss="0.2"><joint joint="turn" coef="0.5"/></fixed>
  </tendon>
</mujoco>"""

FILES = ["mujoco_humanoid/humanoid.xml", "gym_classics/humanoid.xml", "mujoco_humanoid/22_humanoids.xml",
         "dm_control_suite/manipulator.xml", "mujoco_car/car.xml"]


def test_lengths_and_numbers_are_those_of_mujoco() -> None:
    twin = Twin(HAND)
    q, v, tau = twin.random_states(5, 1, 0.1)
    for k in range(5):
        twin.forward(q[k], v[k], tau[k])
        np.testing.assert_allclose(twin.model.tendon_lengths(q[k]), twin.data.ten_length, atol=1e-15)
    coupling, bent, spring, taut = twin.model.tendons
    assert coupling.joints == {"index2": 0.7, "index3": -1.1} and coupling.limits == (-0.1, 0.1)
    assert coupling.margin == 0.02 and coupling.limit_softness == (0.01, 1.2, 0.8, 0.97, 0.003, 0.4, 3)
    assert bent.friction == 0.03 and bent.friction_softness == (0.03, 0.9, 0.7, 0.9, 0.01, 0.5, 2)
    assert (spring.stiffness, spring.damping, spring.rest) == (60, 0.3, (-0.02, 0.05))
    assert taut.rest == (0.4, 0.4) and repr(taut) == '<tandem.Tendon "taut" on 1 joints>'


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_accelerations_are_those_of_mujoco(cone: str) -> None:
    """Springs and damping of tendons are computed, or given with those of joints."""
    twin = Twin(HAND, cone)
    q, v, tau = twin.random_states(40, 2, 0.15)
    exact = {"tolerance": 1e-11, "most_steps": 100}
    given = tandem.contact.ContactDynamics(twin.contacts, tendon_springs=False, **exact)
    computed = tandem.contact.ContactDynamics(twin.contacts, **exact)
    no_friction = {"friction": np.zeros(twin.model.nv)}
    seen = set()
    for k in range(len(q)):
        twin.forward(q[k], v[k], tau[k])
        data = twin.data
        seen |= {int(kind) for kind in data.efc_type[: data.nefc]}
        expected = twin.accelerations(q[k], v[k])
        passive = twin.bridge.tau_from(data.qfrc_passive, q[k])
        of_joints = tandem.passive_forces(twin.model, q[k], v[k], parameters=no_friction)
        for found in (given(q[k], v[k], tau[k] + passive), computed(q[k], v[k], tau[k] + of_joints)):
            assert found.converged
            np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-9 * (1 + np.abs(expected).max()))
    assert {2, 4} <= seen  # friction and limits of tendons


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_hand_falls_as_in_mujoco(cone: str) -> None:
    twin = Twin(HAND, cone)
    for seed in (1, 2):
        simulation = simulation_of(twin)
        q, v, _ = twin.random_states(1, seed, 0.0, turn=0.2)
        simulation.q[:], simulation.v[:] = q[0], v[0]
        worst, pushed = follow(twin, simulation, 400)
        assert pushed > 50 and worst < 1e-6
        assert simulation.contact_tally().not_converged == 0


def test_tendons_act_without_shapes() -> None:
    bare = HAND.replace('contype="1" conaffinity="0" friction="0.8"', 'contype="0" conaffinity="0"')
    twin = Twin(bare)
    assert twin.contacts.n_slots == 0
    simulation = simulation_of(twin)
    q, v, _ = twin.random_states(1, 4, 0.0)
    simulation.q[:], simulation.v[:] = q[0], v[0]
    worst, _ = follow(twin, simulation, 300)
    assert worst < 1e-6


@pytest.mark.parametrize("file", FILES)
def test_files_that_fall_accelerate_as_in_mujoco(file: str) -> None:
    """At states along MuJoCo's trajectory of a second."""
    path = Path(os.environ.get("TANDEM_MODELS", "")) / "mjcf" / file
    if not os.environ.get("TANDEM_MODELS") or not path.is_file():
        pytest.skip("TANDEM_MODELS has no such file")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    tight(theirs, "elliptic" if theirs.opt.cone else "pyramidal", theirs.opt.impratio)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tandem.from_mujoco(theirs)
    bridge, data = bridges.to_mujoco(model, theirs), mujoco.MjData(theirs)
    contacts = tandem.ContactSet(model, leave_out=True)
    dynamics = tandem.contact.ContactDynamics(contacts, tolerance=1e-10, most_steps=100, tendon_springs=False)
    samples = 10 if theirs.nv < 100 else 3
    for _ in range(samples):
        for _ in range(max(1, round(1 / samples / theirs.opt.timestep))):
            mujoco.mj_step(theirs, data)
        mujoco.mj_forward(theirs, data)
        q = bridge.q_from(data.qpos)
        v = bridge.v_from(data.qvel, q)
        found = dynamics(q, v, bridge.tau_from(data.qfrc_passive, q))
        expected = bridge.a_from(data.qacc, q, v)
        np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-8 * (1 + np.abs(expected).max()))


def arm() -> tandem.ModelBuilder:
    robot = tandem.ModelBuilder("arm").link("base")
    before = "base"
    for k in range(3):
        robot.link(f"link{k}", mass=1, com=(0.2, 0, 0), inertia=(0.01, 0, 0, 0.02, 0, 0.02))
        robot.joint(f"j{k}", "revolute" if k < 2 else "prismatic", before, f"link{k}", position=(0.4, 0, 0),
                    axis=(0, 1, 0))
        before = f"link{k}"
    return robot.tendon("t", {"j0": 0.5, "j1": -0.2, "j2": 1.5}, lower=-1, upper=0.5, friction=0.2, stiffness=3,
                        damping=0.1, rest=(-0.1, 0.2), margin=0.01, limit_softness=(0.05, 1, 0.8, 0.9, 0.01, 0.5, 2))


def numbers(tendon: Any) -> tuple[Any, ...]:
    return (tendon.name, tendon.joints, tendon.limits, tendon.friction, tendon.stiffness, tendon.damping, tendon.rest,
            tendon.margin, tendon.limit_softness, tendon.friction_softness)


def test_copies_have_the_same_tendons() -> None:
    model = arm().build()
    assert any('tendon "t": acts only in simulations with contacts' in told for told in model.warnings)
    (own,) = model.tendons
    for copy in (tandem.describe(model).build(), pickle.loads(pickle.dumps(model)),
                 pickle.loads(pickle.dumps(arm())).build(), tandem.read_mjcf(arm().write_mjcf()).build()):
        assert numbers(copy.tendons[0]) == numbers(own)
    two = arm().append(arm(), "link2", prefix="second_")
    assert two.tendon_names == ["t", "second_t"]
    assert two.build().tendons[1].joints == {"second_j0": 0.5, "second_j1": -0.2, "second_j2": 1.5}


def test_edits_of_joints_change_tendons() -> None:
    model, q = arm().build(), np.array([0.3, -0.4, 0.1])
    (length,) = model.tendon_lengths(q)
    assert length == pytest.approx(0.5 * 0.3 + 0.2 * 0.4 + 1.5 * 0.1, abs=1e-15)
    locked = arm().lock_joint("j1", [-0.4]).build()
    (own,) = locked.tendons
    left = locked.tendon_lengths(q[[0, 2]])[0]  # limits and rest lengths are shifted by what is locked
    np.testing.assert_allclose(own.limits, np.array([-1, 0.5]) - (length - left), atol=1e-15)
    np.testing.assert_allclose(own.rest, np.array([-0.1, 0.2]) - (length - left), atol=1e-15)
    assert numbers(model.reduced(["j1"], q).tendons[0]) == numbers(own)
    assert arm().remove_link("link2").tendon_names == []
    assert arm().remove_tendon("t").build().tendons == []
    scaled = arm().scale(length=2).build()
    assert scaled.tendon_lengths(q * [1, 1, 2])[0] == pytest.approx(length, abs=1e-15)


def test_a_follower_has_its_part() -> None:
    """On two joints of which one follows the other the tendon is one on the first joint."""
    def pair(follows: bool) -> tandem.Model:
        robot = tandem.ModelBuilder("pair").link("base")
        for k, before in enumerate(("base", "link0")):
            more = {"mimic": "j0", "multiplier": -2.0, "offset": 0.1} if k else {}
            robot.link(f"link{k}", mass=1, com=(0.2, 0, 0), inertia=(0.01, 0, 0, 0.02, 0, 0.02))
            robot.joint(f"j{k}", "continuous", before, f"link{k}", axis=(0, 1, 0), **more)
        parts = {"j0": 1.0, "j1": 0.3} if follows else {"j0": 1 - 0.6}
        shift = 0 if follows else -0.03
        return robot.tendon("t", parts, lower=-1 + shift, upper=0.1 + shift, stiffness=4, friction=0.1,
                            rest=(0.05 + shift, 0.05 + shift)).build()

    runs = []
    for follows in (True, False):
        model = pair(follows)
        simulation = tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model))
        simulation.q[:], simulation.v[:] = 0.2, 1.0
        simulation.run(0.5, every=500)
        runs.append(simulation.q.copy())
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-12)


def test_energy_of_a_spring_comes_back() -> None:
    """Without limits, friction and damping the balance of energy closes to order 1 in the step."""
    robot = tandem.describe(arm().remove_tendon("t").build()).tendon("s", {"j0": 0.5, "j1": -1.0}, stiffness=50)
    model = robot.build()
    errors = []
    for dt in (2e-3, 1e-3):
        simulation = tandem.Simulation(model, dt=dt, contacts=tandem.ContactSet(model))
        simulation.q[:] = [0.5, -0.4, 0]
        def total(s: Any = simulation) -> float:
            kinetic, potential = tandem.energy(model, s.q, s.v)
            return float(kinetic + potential + s.dissipated)
        start = total()
        simulation.run(0.5, every=10000)
        errors.append(abs(total() - start))
        spring = [25 * float(np.sum(model.tendon_lengths(x) ** 2)) for x in ([0.5, -0.4, 0], simulation.q)]
        assert simulation.dissipated == pytest.approx(spring[1] - spring[0], rel=0, abs=600 * dt)
    assert errors[1] < 0.6 * errors[0] and abs(2 * errors[1] - errors[0]) < 0.06


@pytest.mark.parametrize(("change", "message"), [
    ({"joints": {"j9": 1.0}}, 'joint "j9" does not exist'),
    ({"joints": {}}, "has no joints"),
    ({"lower": 1.0, "upper": 0.5}, "limits are 1 and 0.5, expected lower < upper"),
    ({"stiffness": -1.0}, "stiffness is -1, expected a finite number of 0 or more"),
    ({"rest": (1, 0)}, "rest is 1 to 0"),
    ({"name": "t"}, 'duplicate tendon name "t"'),
    ({"joints": {"j0": float("nan")}}, "is not finite"),
])
def test_what_is_no_tendon_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"name": "u", "joints": {"j0": 1.0}, **change}
    with pytest.raises(tandem.ModelError, match=message):
        arm().tendon(given.pop("name"), given.pop("joints"), **given).build()


def test_other_tendons_are_warned_of() -> None:
    text = HAND.replace("<tendon>", '<tendon><spatial name="rope"><site site="a"/><site site="b"/></spatial>')
    text = text.replace('<body name="palm"', '<site name="a"/><body name="palm"').replace(
        '<body name="thumb"', '<site name="b"/><body name="thumb"').replace('name="taut"', 'name="taut" armature="0.1"')
    model = tandem.read_mjcf(text).build()
    said = " ".join(model.warnings)
    assert 'tendon "rope": is ignored: spatial tendons are not supported' in said
    assert 'tendon "taut": has armature, which is ignored' in said
    assert [tendon.name for tendon in model.tendons] == ["coupling", "bent", "spring", "taut"]

# SPDX-License-Identifier: Apache-2.0
"""Robots that touch a floor, here and in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np
from mujoco_support import mujoco

import tandem
from tandem import bridges

G = 9.81

WALKER = """<mujoco model="walker">
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.6 0.02 0.003"/>
    <geom name="boulder" type="sphere" size="0.3" pos="0.4 0 0.1" contype="2" conaffinity="0" friction="0.9"/>
    <body name="trunk" pos="0 0 0.5"><freejoint name="root"/>
      <geom name="trunk" type="box" conaffinity="3" size="0.15 0.1 0.06" mass="3"/>
      <geom name="nose" type="sphere" conaffinity="3" size="0.05" pos="0.2 0 0" mass="0.1" condim="1"/>
      <body name="right_thigh" pos="0 -0.1 -0.05"><joint name="right_hip" axis="0.1 1 0" range="-40 30" damping="0.4" frictionloss="0.3"
          solreflimit="0.03 0.8" solimplimit="0.8 0.95 0.01 0.4 3" solreffriction="0.04 1.1" solimpfriction="0.7 0.8 0.02 0.5 2"/>
        <geom name="right_thigh" type="cylinder" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.5"/>
        <body name="right_shin" pos="0 0 -0.22"><joint name="right_knee" axis="0 1 0" range="-60 5" damping="0.2" stiffness="4"/>
          <geom name="right_shin" type="capsule" conaffinity="3" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.3" condim="4" friction="0.8 0.03 0.001"/>
        </body></body>
      <body name="left_thigh" pos="0 0.1 -0.05"><joint name="left_hip" axis="0 1 0.1" range="-40 30" armature="0.02"/>
        <geom name="left_thigh" type="box" size="0.03 0.02 0.1" pos="0 0 -0.1" mass="0.5"/>
        <body name="knee_pad" pos="0.03 0 -0.2" euler="0 20 10"><geom name="knee_pad" size="0.03" pos="0.02 0 0.01" mass="0.2"/></body>
        <body name="left_shin" pos="0 0 -0.22"><joint name="left_knee" axis="0 1 0" range="-60 5" frictionloss="0.1"/>
          <geom name="left_shin" type="ellipsoid" size="0.03 0.04 0.12" pos="0 0 -0.1" mass="0.3" condim="6"
            solref="0.015 0.8" solimp="0.8 0.97 0.003 0.4 3"/>
        </body></body>
    </body>
  </worldbody>
</mujoco>"""

#: Bodies of their own on a tilted floor, one of them on a slide; no two of them touch each other.
TOYS = """<mujoco model="toys">
  <option timestep="0.004"/>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" euler="8 -5 0" contype="1" conaffinity="0"/>
    <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1" mass="0.7" condim="6" friction="0.5 0.01 0.002"/></body>
    <body name="block" pos="0.5 0 0.1"><freejoint/><geom name="block" type="box" size="0.1 0.07 0.05" mass="1.5" friction="0.3"/></body>
    <body name="tin" pos="-0.5 0 0.1"><freejoint/>
      <geom name="tin" type="cylinder" size="0.06 0.1" mass="0.4" solref="-3000 -40" condim="4"/></body>
    <body name="pestle" pos="0 0.6 0.3"><joint name="up" type="slide" axis="0 0 1"/><joint name="swing" axis="1 0.2 0"/>
      <geom name="pestle" type="capsule" size="0.04 0.12" mass="0.5" condim="1" margin="0.01" gap="0.004"/></body>
  </worldbody>
</mujoco>"""


#: An arm of capsules beside bodies of their own, all of which can touch each other and the floor.
PILE = """<mujoco model="pile">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="upper" pos="0 0 0.25"><joint name="shoulder" type="ball" damping="0.1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.25 0 0" size="0.04" mass="1" friction="0.7"/>
      <body name="lower" pos="0.25 0 0"><joint name="elbow" axis="0 1 0" range="-170 170" frictionloss="0.1"/>
        <geom name="lower" type="capsule" fromto="0.02 0 0 0.25 0 0" size="0.03" mass="0.6" condim="4"/>
        <body name="hand" pos="0.27 0 0"><joint name="wrist" axis="0 0 1" armature="0.003"/>
          <geom name="hand" type="sphere" size="0.06" mass="0.3" condim="6" friction="0.6 0.02 0.01"/></body></body></body>
    <body name="one" pos="0.2 0.1 0.1"><freejoint/><geom name="one" size="0.08" mass="0.5" condim="1"/></body>
    <body name="two" pos="0.1 -0.1 0.1"><freejoint/><geom name="two" size="0.1" mass="0.7" friction="0.3" solref="-2000 -30"/></body>
    <body name="rod" pos="0.3 0 0.1"><freejoint/><geom name="rod" type="capsule" size="0.03 0.15" mass="0.4" solimp="0.8 0.9 0.01 0.5 2"/></body>
  </worldbody>
</mujoco>"""


def quadruped_on_feet() -> tandem.ModelBuilder:
    """The shipped quadruped with a sphere at each foot, and a floor."""
    robot = tandem.describe("quadruped").shape("floor", "plane", "world", contype=1, conaffinity=0,
                                               friction=(0.8, 0.01, 0.001))
    for leg in ("FL", "FR", "RL", "RR"):
        robot = robot.shape(f"{leg}_foot", "sphere", f"{leg}_shank", size=0.015, position=(0, 0, -0.195), contype=0,
                            conaffinity=1)
    return robot.contact_settings(timestep=0.001, integrator="Euler")


def tight(theirs: Any, cone: str = "elliptic", impratio: float = 1.0) -> None:
    """Newton's method to the last digit. The Jacobian is dense: sparse ones are wrong in MuJoCo 4.0.0."""
    opt = theirs.opt
    opt.solver, opt.jacobian = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtJacobian.mjJAC_DENSE
    opt.tolerance, opt.iterations, opt.ls_iterations, opt.ls_tolerance = 0, 200, 200, 1e-12
    opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if cone == "elliptic" else mujoco.mjtCone.mjCONE_PYRAMIDAL
    opt.impratio = impratio


class Twin:
    """A robot here and in MuJoCo, from its text or its model there."""

    def __init__(self, source: Any, cone: str = "elliptic", impratio: float = 1.0, self_contact: bool = False) -> None:
        self.theirs = mujoco.MjModel.from_xml_string(source) if isinstance(source, str) else source
        tight(self.theirs, cone, impratio)
        self.model = tandem.from_mujoco(self.theirs)
        self.data = mujoco.MjData(self.theirs)
        self.bridge = bridges.to_mujoco(self.model, self.theirs)
        self.contacts = tandem.ContactSet(self.model, self_contact=self_contact)

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        self.data.qpos[:], self.data.qvel[:] = self.bridge.q_to(q), self.bridge.v_to(v, q)

    def forward(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
        self.set(q, v)
        self.data.qfrc_applied[:] = self.bridge.tau_to(tau, q)
        mujoco.mj_forward(self.theirs, self.data)

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.bridge.a_from(self.data.qacc, q, v)

    def forces(self, q: np.ndarray) -> np.ndarray:
        """[slots, 6] of MuJoCo's contacts, by the slots that are where they are."""
        ours = tandem.contacts(self.contacts, q)
        found, force = np.zeros((self.contacts.n_slots, 6)), np.zeros(6)
        free = np.isfinite(ours.distance)  # two capsules may touch at the same point
        for k, contact in enumerate(self.data.contact[: self.data.ncon]):
            if contact.dist >= contact.includemargin:
                continue
            mujoco.mj_contactForce(self.theirs, self.data, k, force)
            errors = np.abs(ours.position - contact.pos).max(axis=1) + np.abs(ours.distance - contact.dist)
            slot = int(np.flatnonzero(free & (errors < 1e-9))[0])
            free[slot] = False
            found[slot] = force
        return found

    def random_states(self, n: int, seed: int, fall: float, turn: float = 0.3) -> tuple[np.ndarray, np.ndarray,
                                                                                        np.ndarray]:
        """Configurations near the file's own, as much as `fall` lower, with velocities and torques."""
        rng = np.random.default_rng(seed)
        q0 = self.bridge.q_from(self.theirs.qpos0)
        q = np.array([tandem.functions.integrate(self.model, q0, turn * rng.normal(size=self.model.nv))
                      for _ in range(n)])
        for joint in self.model.joints:
            if joint.type == "free":
                k = joint.q_index
                q[:, k : k + 3] = q0[k : k + 3] + rng.uniform(-0.05, 0.05, (n, 3))
                q[:, k + 2] -= rng.uniform(0, fall, n)
        v = rng.normal(size=(n, self.model.nv))
        return q, v, 2 * rng.normal(size=(n, self.model.nv))


def simulation_of(twin: Twin, **more: Any) -> tandem.Simulation:
    options = {"tolerance": 1e-8, "most_steps": 100, **more.pop("contact_options", {})}
    return tandem.Simulation(twin.model, dt=twin.theirs.opt.timestep, contacts=twin.contacts, contact_options=options,
                             **more)


def follow(twin: Twin, simulation: tandem.Simulation, steps: int, tau: Any = None) -> tuple[float, int]:
    """Steps of both from the simulation's state; the largest difference of a configuration, and contacts that
    pushed."""
    twin.set(simulation.q, simulation.v)
    worst, pushed = 0.0, 0
    for _ in range(steps):
        if tau is not None:
            twin.data.qfrc_applied[:] = twin.bridge.tau_to(tau, simulation.q)
        mujoco.mj_step(twin.theirs, twin.data)
        simulation.step(tau)
        worst = max(worst, float(np.abs(twin.bridge.q_to(simulation.q) - twin.data.qpos).max()))
        pushed += int((simulation.contact_forces[:, 0] > 0).sum())
    return worst, pushed

# SPDX-License-Identifier: Apache-2.0
"""MJCF files beside MuJoCo: every file that there is loads or is refused for a reason, and moves as it does there."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle_support import MODELS, SINGULAR, Case, Comparison, forward_dynamics_scale, states

import tandem
from tandem import bridges, mjcf

mujoco = pytest.importorskip("mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)")

FILES = sorted((MODELS / "mjcf").rglob("*.xml"))
#: Files that are refused, and the reason: they have inertias from meshes that are not there, or MuJoCo refuses them.
REFUSED = {
    "hello_robot_stretch_3": "is computed from it",
    "kinova_jaco/jaco": "is computed from it",
    "mjx_tests/constraints": "must be slide or hinge",
    "mujoco_cards": "is computed from it",
    "robotiq_2f85": "is computed from it",
    "wonik_allegro_left": "is computed from it",
}
#: Files whose trees are copies of one another: comparing a few hundred links takes long and tells no more.
LARGE = 130


def name_of(file: Path) -> str:
    return file.relative_to(MODELS / "mjcf").with_suffix("").as_posix()


def parameters() -> list[Any]:
    if not FILES:
        reason = f"NO MJCF FILE IS COMPARED: there is none under {MODELS / 'mjcf'}"
        return [pytest.param(None, id="models", marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(file, id=name_of(file)) for file in FILES]


ALL = pytest.mark.parametrize("file", parameters())


def reason_of(file: Path) -> str | None:
    return next((why for start, why in REFUSED.items() if name_of(file).startswith(start)), None)


@functools.cache
def load(file: Path) -> tandem.Model:
    """The robot without its loops, which MuJoCo is to leave out, too."""
    if reason_of(file):
        pytest.skip("refused")
    builder = tandem.describe(file)
    for loop in builder.loop_names:
        builder.remove_loop(loop)
    return builder.build()


@functools.cache
def theirs_of(file: Path) -> Any:
    """MuJoCo's model, without contacts and constraints, and what Tandem's warnings say is left out."""
    model, _ = mjcf._compiled(mujoco, mujoco.MjSpec.from_file(str(file)), str(file), [])
    disabled = mujoco.mjtDisableBit
    model.opt.disableflags |= int(disabled.mjDSBL_CONSTRAINT) | int(disabled.mjDSBL_CONTACT)
    model.opt.disableflags |= int(disabled.mjDSBL_ACTUATION)
    model.opt.density = model.opt.viscosity = 0
    for array in (model.body_gravcomp, model.tendon_armature, model.tendon_stiffness, model.tendon_damping):
        array[:] = 0
    for array in (model.jnt_stiffnesspoly, model.dof_dampingpoly, model.actuator_dampingpoly):
        array[:] = 0
    for array in (model.tendon_stiffnesspoly, model.tendon_dampingpoly):
        array[:] = 0
    model.jnt_stiffness[model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)] = 0
    for joint in np.flatnonzero(model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)):
        first = model.jnt_dofadr[joint]
        model.dof_armature[first : first + 3] = 0  # along other axes here, as a warning says
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def without_rotors_of_free_joints(model: tandem.Model) -> dict[str, np.ndarray]:
    """Parameters of a call that leave out what was left out there; and dry friction, which is a constraint there."""
    armature = np.array(model.armature)
    for joint in model.joints:
        if joint.type == "free":
            armature[joint.v_index : joint.v_index + 3] = 0
    return {"armature": armature, "friction": np.zeros(model.nv)}


@ALL
def test_every_file_loads_or_is_refused_for_a_reason(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reason = reason_of(file)
    if reason:
        with pytest.raises(tandem.ModelError, match=reason) as error:
            tandem.load(file)
        line = f"refused: {str(error.value).splitlines()[0].partition(': ')[2]}"
    else:
        model = tandem.load(file)
        line = f"{model.n_joints} joints, nq {model.nq}, nv {model.nv}, {len(model.warnings)} warnings"
    with capsys.disabled():
        print(f"\n{name_of(file):50} {line}", end="")


def compared(file: Path, column: str) -> tuple[tandem.Model, Any, bridges.Bridge, Comparison]:
    model, theirs = load(file), theirs_of(file)
    if model.nv == 0:
        pytest.skip("no joints")
    if model.nv > LARGE:
        pytest.skip("large: many copies of one robot")
    compare = Comparison("MuJoCo by MJCF", Case(file, False), model.depth, column)
    return model, theirs, bridges.to_mujoco(model, theirs), compare


@ALL
def test_poses_of_bodies_and_sites(file: Path) -> None:
    model, theirs, bridge, compare = compared(file, "kinematics")
    data = mujoco.MjData(theirs)
    sites = [f"{site.name or f'site{k}'}" for k, site in ((k, theirs.site(k)) for k in range(theirs.nsite))]
    bodies = [theirs.body(k).name or f"body{k}" for k in range(theirs.nbody)]
    sites = [f"{name}_site" if name in bodies else name for name in sites]
    for q, *_ in states(model):
        data.qpos[:] = bridge.q_to(q)
        mujoco.mj_kinematics(theirs, data)
        ours = tandem.forward_kinematics(model, q)
        for names, R, p in ((bodies, data.xmat, data.xpos), (sites, data.site_xmat, data.site_xpos)):
            if names:
                poses = np.concatenate([R.reshape(-1, 3, 3), p[:, :, None]], axis=2)
                compare("poses", ours[[model.frame_index(name) for name in names]], poses)


@ALL
def test_mass_matrix_and_forces(file: Path) -> None:
    model, theirs, bridge, compare = compared(file, "mass matrix")
    data, parameters = mujoco.MjData(theirs), without_rotors_of_free_joints(model)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SPRING) | int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
    for q, v, a, *_ in states(model):
        data.qpos[:], data.qvel[:], data.qacc[:] = bridge.q_to(q), bridge.v_to(v, q), bridge.a_to(a, q, v)
        mujoco.mj_inverse(theirs, data)
        M, G = np.zeros((theirs.nv, theirs.nv)), bridge.velocity_matrix(q)
        mujoco.mj_fullM(theirs, data, M)
        M = G.T @ M @ G
        compare.column = "mass matrix"
        compare("mass matrix", tandem.mass_matrix(model, q, parameters=parameters), M)
        weight = theirs.body_subtreemass[0] * np.abs(theirs.opt.gravity).max() * (1 + np.abs(q).max())
        terms = float(np.abs(M).max() * (np.abs(v).max() ** 2 + np.abs(a).max()) + weight)
        compare.column = "inverse dynamics"
        drift = bridge.a_to(np.zeros(model.nv), q, v)
        bias = np.zeros(theirs.nv)
        mujoco.mj_mulM(theirs, data, bias, drift)
        bias = bridge.tau_from(bias + data.qfrc_bias, q)
        compare("bias forces", tandem.bias_forces(model, q, v, parameters=parameters), bias, terms)
        tau = bridge.tau_from(data.qfrc_inverse, q)
        compare("inverse dynamics", tandem.inverse_dynamics(model, q, v, a, parameters=parameters), tau, terms)
    theirs.opt.disableflags &= ~(int(mujoco.mjtDisableBit.mjDSBL_SPRING) | int(mujoco.mjtDisableBit.mjDSBL_DAMPER))


@ALL
def test_springs_damping_and_accelerations(file: Path) -> None:
    model, theirs, bridge, compare = compared(file, "forward dynamics")
    data, parameters = mujoco.MjData(theirs), without_rotors_of_free_joints(model)
    if np.linalg.cond(tandem.mass_matrix(model, states(model)[0].q, parameters=parameters)) > SINGULAR:
        pytest.skip("no inverse of the mass matrix")
    follows = any(joint.mimics for joint in model.joints)
    for q, v, _, tau, _ in states(model):
        data.qpos[:], data.qvel[:] = bridge.q_to(q), bridge.v_to(v, q)
        data.qfrc_applied[:] = bridge.tau_to(tau, q)
        mujoco.mj_forward(theirs, data)
        passive = tandem.passive_forces(model, q, v, parameters=parameters)
        size = np.abs(model.damping * v).max() + np.abs(model.stiffness).max() * (4 + np.abs(q).max())
        compare("springs and damping", passive, bridge.tau_from(data.qfrc_passive, q), float(size))
        if follows:  # a constraint there
            continue
        a = bridge.a_from(data.qacc, q, v)
        M = tandem.mass_matrix(model, q, parameters=parameters)
        weight = theirs.body_subtreemass[0] * np.abs(theirs.opt.gravity).max() * (1 + np.abs(q).max())
        force = np.abs(tau).max() + np.abs(passive).max() + np.abs(M).max() * np.abs(v).max() ** 2 + weight
        ours = tandem.forward_dynamics(model, q, v, tau + passive, parameters=parameters)
        compare("accelerations", ours, a, forward_dynamics_scale(M, float(force), a), float(np.linalg.cond(M)))


#: Robots whose motion over a second is compared: an arm, two with legs, one with balls, one with springs.
MOVERS = (
    "kuka_iiwa14/iiwa14",
    "unitree_go2/go2",
    "mujoco_humanoid/humanoid",
    "mjx_tests/pendula",
    "dm_control_suite/cheetah",
)


def freed(file: Path) -> tandem.Model:
    """Without loops, limits and dry friction, which are constraints there."""
    builder = tandem.describe(file)
    for loop in builder.loop_names:
        builder.remove_loop(loop)
    for name in builder.joint_names:
        joint = builder.get_joint(name)
        if joint["type"] != "fixed":
            limits = {"lower": -np.inf, "upper": np.inf} if joint["type"] in ("revolute", "prismatic") else {}
            builder.change_joint(name, friction=0.0, **limits, **({"armature": 0.0} if joint["type"] == "free" else {}))
    return builder.build()


@pytest.mark.parametrize("name", MOVERS)
def test_motion_over_a_second(name: str) -> None:
    """Both by Runge-Kutta of order four. What separates them is the error of their steps, which is less than 16 / 15 of
    how far each is from itself with half the step, and rounding errors, which grow as the motion parts from its
    neighbours: as much as a start that is 1e-12 off parts from it, in units of 1e-12, times the rounding errors of the
    steps."""
    file = MODELS / "mjcf" / f"{name}.xml"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    model, theirs = freed(file), theirs_of(file)
    bridge = bridges.to_mujoco(model, theirs)
    theirs.opt.integrator = int(mujoco.mjtIntegrator.mjINT_RK4)
    rng = np.random.default_rng(5)
    q0 = model.configuration("home") if "home" in model.configuration_names else tandem.neutral_configuration(model)
    q0 = tandem.integrate(model, q0, 0.1 * rng.normal(size=model.nv))
    v0, push = 0.3 * rng.normal(size=(2, model.nv))

    def ours_after(steps: int, v: np.ndarray) -> np.ndarray:
        run = tandem.Simulation(model, dt=1 / steps, integrator="rk4")
        run.q, run.v = q0, v
        for _ in range(steps):
            run.step()
        return np.concatenate([bridge.q_to(run.q), bridge.v_to(run.v, run.q)])

    def theirs_after(steps: int) -> np.ndarray:
        data = mujoco.MjData(theirs)
        theirs.opt.timestep = 1 / steps
        data.qpos[:], data.qvel[:] = bridge.q_to(q0), bridge.v_to(v0, q0)
        for _ in range(steps):
            mujoco.mj_step(theirs, data)
        return np.concatenate([data.qpos, data.qvel])

    steps, slight = 2000, 1e-12
    ours, finer = ours_after(steps, v0), ours_after(2 * steps, v0)
    other, finer_other = theirs_after(steps), theirs_after(2 * steps)
    parted = np.abs(ours_after(steps, v0 + slight * push) - ours).max() / slight
    rounding = 64 * (model.depth + 1) * np.finfo(float).eps * parted * np.sqrt(steps) * max(1.0, np.abs(ours).max())
    step_error = 16 / 15 * (np.abs(ours - finer).max() + np.abs(other - finer_other).max())
    error = np.abs(ours - other).max()
    print(f"{name}: {error:.1e} apart; steps {step_error:.1e}, rounding {rounding:.1e}, parted {parted:.1e}")
    assert error <= step_error + rounding

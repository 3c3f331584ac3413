#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one call from Python takes, beside Pinocchio in the same process where that is installed, in turn.

    apps/bench/python_calls.py [ROBOT.urdf] [--rounds 60]

One state a call: inverse dynamics, forward dynamics, mass matrix, gravity; the fastest of many short repeats, as the
machine may be shared. Forward dynamics with closed loops, of a four-bar linkage and of two arms of several links whose
tips are held to each other, beside Pinocchio's and MuJoCo's on the same mechanism. Then inverse kinematics: targets a
second, on one thread and on all, of poses that can be reached, from random starts.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tandem

ROOT = Path(__file__).resolve().parents[2]
CALLS = 400  # of a repeat


def fastest(functions: dict[str, Callable[[], Any]], rounds: int, calls: int = CALLS) -> dict[str, float]:
    """Seconds a call, all functions in turn."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(calls):
                function()
            best[name] = min(best[name], (time.perf_counter() - start) / calls)
    return best


def one_state(file: Path, rounds: int) -> None:
    model = tandem.load(file)
    q, v, a = tandem.random_configuration(model, seed=1), np.ones(model.nv), np.ones(model.nv)
    calls: dict[str, Callable[[], Any]] = {
        "inverse_dynamics": lambda: tandem.inverse_dynamics(model, q, v, a),
        "forward_dynamics": lambda: tandem.forward_dynamics(model, q, v, a),
        "mass_matrix": lambda: tandem.mass_matrix(model, q),
        "gravity_forces": lambda: tandem.gravity_forces(model, q),
    }
    try:
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not installed (pip install pin): Tandem alone")
    else:
        text = re.sub(r"<\?xml.*?\?>", "", file.read_text(encoding="utf-8"))
        theirs = pin.buildModelFromXML(text)
        data, q_theirs = theirs.createData(), tandem.bridges.to_pinocchio(model, theirs).q_to(q)
        v_theirs = np.ones(theirs.nv)
        calls |= {
            "inverse_dynamics, Pinocchio": lambda: pin.rnea(theirs, data, q_theirs, v_theirs, v_theirs),
            "forward_dynamics, Pinocchio": lambda: pin.aba(theirs, data, q_theirs, v_theirs, v_theirs),
            "mass_matrix, Pinocchio": lambda: pin.crba(theirs, data, q_theirs),
            "gravity_forces, Pinocchio": lambda: pin.computeGeneralizedGravity(theirs, data, q_theirs),
        }
    print(f"{model.name}, one state a call:")
    for name, seconds in sorted(fastest(calls, rounds).items()):
        print(f"  {name:30} {seconds * 1e6:7.2f} us")


def ring(links: int) -> tandem.ModelBuilder:
    """Two arms of hinges about one axis or another, held to each other by a ball where their tips meet."""
    b = tandem.ModelBuilder(f"ring of {2 * links}").link("base")
    for side, way in (("left", 1.0), ("right", -1.0)):
        for k in range(links):
            name, parent = f"{side}{k}", "base" if k == 0 else f"{side}{k - 1}"
            at = (-way * 0.06 * links, 0, 0) if k == 0 else (way * 0.1, 0, 0)
            b.link(name, 0.5, com=(way * 0.05, 0.01, 0), inertia=(0.001, 0, 0, 0.002, 0, 0.002))
            b.joint(name, "revolute", parent, name, position=at, axis=((0, 1, 0), (0, 0, 1))[k % 2], armature=0.01)
    tip = (0.1, 0, 0)
    return b.loop("tips", "spherical", f"left{links - 1}", f"right{links - 1}", position_1=tip, position_2=(-0.1, 0, 0))


def in_pinocchio(model: tandem.Model) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Constrained forward dynamics of the mechanism there: of loops that are balls, chains of hinges."""
    import pinocchio as pin

    theirs, ids = pin.Model(), {model.link_names[0]: 0}
    theirs.gravity.linear = np.array(model.gravity)

    def se3(pose: np.ndarray) -> pin.SE3:
        return pin.SE3(np.array(pose[:, :3]), np.array(pose[:, 3]))

    for joint, link in zip(model.joints, model.links[1:], strict=True):
        kind = pin.JointModelRevoluteUnaligned(np.array(joint.axis))
        ids[joint.child] = theirs.addJoint(ids[joint.parent], kind, se3(joint.placement), joint.name)
        inertia = pin.Inertia(link.mass, np.array(link.centre_of_mass), np.array(link.inertia))
        theirs.appendBodyToJoint(ids[joint.child], inertia, pin.SE3.Identity())
    theirs.armature = np.array(model.armature)
    contacts, of_contacts = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in model.loops:
        contacts.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, theirs, ids[loop.link_1], se3(loop.placement_1), ids[loop.link_2],
            se3(loop.placement_2), pin.ReferenceFrame.LOCAL))
        of_contacts.append(contacts[-1].createData())
    data, settings = theirs.createData(), pin.ProximalSettings(1e-12, 1e-12, 1e-10, 20)
    pin.initConstraintDynamics(theirs, data, contacts, of_contacts)
    return lambda q, v, tau: pin.constraintDynamics(theirs, data, q, v, tau, contacts, of_contacts, settings)


def in_mujoco(model: tandem.Model) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """The same in MuJoCo, whose loops are soft: its accelerations are others."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    bodies = {model.link_names[0]: spec.worldbody}
    for joint, link in zip(model.joints, model.links[1:], strict=True):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(joint.placement[:, :3]).ravel())
        body = bodies[joint.parent].add_body(name=joint.child, pos=joint.placement[:, 3], quat=quaternion)
        bodies[joint.child] = body
        I = np.array(link.inertia)
        body.mass, body.ipos, body.explicitinertial = link.mass, np.array(link.centre_of_mass), True
        body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.array(joint.axis),
                       armature=model.armature[joint.v_index])
    for loop in model.loops:
        held = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        held.name1, held.name2 = loop.link_1, loop.link_2
        held.data[:3] = loop.placement_1[:, 3]
    theirs = spec.compile()
    theirs.opt.gravity = np.array(model.gravity)
    theirs.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(theirs)

    def call(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        data.qpos, data.qvel, data.qfrc_applied = q, v, tau
        mujoco.mj_forward(theirs, data)
        return data.qacc

    return call


def closed_loops(rounds: int) -> None:
    robots = [tandem.describe("four_bar").change_loop("pin", type="spherical"), ring(4), ring(16)]
    print("forward dynamics with closed loops, one state a call:")
    for model in (b.build() for b in robots):
        q, v = tandem.close_loops(model, np.full(model.nv, 0.3), np.ones(model.nv))
        tau = np.ones(model.nv)
        calls: dict[str, Callable[[], Any]] = {
            "articulated_body": lambda: tandem.forward_dynamics(model, q, v, tau),  # noqa: B023
            "divide_and_conquer": lambda: tandem.forward_dynamics(
                model, q, v, tau, method="divide_and_conquer", threads=1  # noqa: B023
            ),
        }
        expected = tandem.forward_dynamics(model, q, v, tau)
        for name, made in (("Pinocchio", in_pinocchio), ("MuJoCo", in_mujoco)):
            try:
                theirs = made(model)
            except ImportError:
                print(f"  {name} is not installed")
                continue
            off = np.abs(theirs(q, v, tau) - expected).max() / np.abs(expected).max()
            calls[f"{name}, {off:.0e} off"] = lambda theirs=theirs: theirs(q, v, tau)  # noqa: B023
        for name, seconds in fastest(calls, rounds).items():
            print(f"  {model.name + ', ' + name:44} {seconds * 1e6:7.2f} us")


def searches(file: Path, rounds: int, batch: int = 4096) -> None:
    model = tandem.load(file)
    frame = model.n_frames - 1
    target = tandem.forward_kinematics(model, tandem.random_configuration(model, seed=1, batch=batch))[:, frame]
    start = tandem.random_configuration(model, seed=2, batch=batch)
    print(f"inverse kinematics of {model.frame_names[frame]}, {batch} random targets from random starts:")
    for restarts in (0, 10):
        found = tandem.inverse_kinematics(model, frame, target, start, restarts=restarts)
        for threads in (1, 0):
            call = {
                "": lambda: tandem.inverse_kinematics(
                    model, frame, target, start, restarts=restarts, threads=threads  # noqa: B023
                )
            }
            seconds = fastest(call, max(rounds // 20, 3), 1)[""]
            print(
                f"  {restarts:2} restarts, {'one thread ' if threads else 'all threads'} "
                f"{found.converged.sum() / seconds:9.0f} solutions/s, {100 * found.converged.mean():5.1f} % found, "
                f"{found.iterations.mean():5.1f} steps each"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", type=Path, default=ROOT / "robots" / "arm7.urdf")
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    one_state(arguments.robot, arguments.rounds)
    closed_loops(arguments.rounds)
    searches(arguments.robot, arguments.rounds)


if __name__ == "__main__":
    main()

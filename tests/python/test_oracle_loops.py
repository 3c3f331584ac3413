# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with closed loops beside Pinocchio's constraint dynamics: accelerations, and the forces that keep loops
closed."""

from __future__ import annotations

import numpy as np
import pytest

import tandem

pin = pytest.importorskip(
    "pinocchio", reason="NOT COMPARED WITH PINOCCHIO: it is not installed (pip install pin)"
)

EPS = np.finfo(np.float64).eps
TYPES = {"fixed": pin.ContactType.CONTACT_6D, "spherical": pin.ContactType.CONTACT_3D}


def four_bar(kind: str) -> tandem.ModelBuilder:
    return tandem.describe("four_bar").change_loop("pin", type=kind)


def five_bar() -> tandem.ModelBuilder:
    """Two arms of two links each, whose ends meet: two degrees of freedom are left."""
    b = tandem.ModelBuilder("five_bar").link("base")
    for side, x in (("left", -0.2), ("right", 0.2)):
        for part, parent, at in (("upper", "base", (x, 0, 0)), ("lower", f"{side}_upper", (2 * x, 0, 0.3))):
            name = f"{side}_{part}"
            b.link(name, 0.7, com=(0, 0.01, 0.2), inertia=(0.01, 0, 0, 0.012, 0, 0.003))
            b.joint(name, "revolute", parent, name, position=at, axis=(0, 1, 0), armature=0.01)
    meet = {"position_1": (0.6, 0, 0.4), "position_2": (-0.6, 0, 0.4)}
    return b.loop("tip", "spherical", "left_lower", "right_lower", **meet)


def ring(n: int) -> tandem.ModelBuilder:
    """A chain of n hinges and slides along axes of all directions whose end is held to its first link where it is at
    zero."""
    rng = np.random.default_rng(n)
    b = tandem.generate(f"chain:{n}", seed=n)
    open_chain = b.build()
    first, tip = open_chain.link_names[1], open_chain.link_names[-1]
    pose = tandem.forward_kinematics(open_chain, tandem.neutral_configuration(open_chain))
    X = tandem.spatial.compose(
        tandem.spatial.inverse(pose[open_chain.frame_index(first)]), pose[open_chain.frame_index(tip)]
    )
    turn = pin.Quaternion(*(rng.normal(size=4))).normalized()
    place = rng.normal(size=3) / 10
    on_base = pin.Quaternion(X[:, :3] @ turn.matrix())
    end = {"position_2": X[:, :3] @ place + X[:, 3], "quaternion_2": on_base.coeffs()}
    end |= {"position_1": place, "quaternion_1": turn.coeffs()}
    return b.loop("close", "fixed", tip, first, **end)


def legs() -> tandem.ModelBuilder:
    """A floating body on two legs like Cassie's: in each a rod on ball joints beside knee and shin closes a loop."""
    b = tandem.ModelBuilder("legs").link("world").link("body", 10, inertia=(0.2, 0, 0, 0.3, 0, 0.25))
    b.joint("float", "free", "world", "body")
    for side, y in (("left", 0.1), ("right", -0.1)):
        def part(
            name: str, parent: str, at: tuple[float, float, float], axis: tuple[float, float, float], end: float,
            kind: str = "revolute", mass: float = 1.0, side: str = side,
        ) -> None:
            inertia = mass * np.array([0.01, 0, 0, 0.01, 0, 0.002])
            b.link(f"{side}_{name}", mass, com=(0, 0, end / 2), inertia=tuple(inertia))
            b.joint(f"{side}_{name}", kind, parent, f"{side}_{name}", position=at, axis=axis)

        part("roll", "body", (0, y, 0), (1, 0, 0), -0.05)
        part("thigh", f"{side}_roll", (0, 0, -0.05), (0, 1, 0), -0.4)
        part("knee", f"{side}_thigh", (0, 0, -0.4), (0, 1, 0), -0.1)
        part("tarsus", f"{side}_knee", (0.05, 0, -0.1), (0, 1, 0), -0.4)
        part("rod", f"{side}_thigh", (0.1, 0, -0.05), (0, 1, 0), -0.5, "spherical", 0.2)
        held = {"position_1": (0, 0, -0.5), "position_2": (0.05, 0, -0.05)}
        b.loop(f"{side}_end", "spherical", f"{side}_rod", f"{side}_tarsus", **held)
    return b


ROBOTS = {
    "four_bar, ball": lambda: four_bar("spherical"),
    "four_bar, weld": lambda: four_bar("fixed"),
    "five_bar": five_bar,
    "ring of 8": lambda: ring(8),
    "ring of 13": lambda: ring(13),
    "legs": legs,
}


class Both:
    """The same robot in Tandem and in Pinocchio."""

    def __init__(self, b: tandem.ModelBuilder):
        self.ours = b.build()
        self.model = pin.Model()
        self.model.gravity.linear = np.array(self.ours.gravity)
        ids = {self.ours.link_names[0]: 0}
        for joint, link in zip(self.ours.joints, self.ours.links[1:], strict=True):
            kinds = {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}
            along = {"prismatic": pin.JointModelPrismaticUnaligned}.get(
                joint.type, pin.JointModelRevoluteUnaligned
            )
            kind = kinds[joint.type]() if joint.type in kinds else along(np.array(joint.axis))
            i = self.model.addJoint(ids[joint.parent], kind, self.se3(joint.placement), joint.name)
            ids[joint.child] = i
            mass, com, I = link.mass, np.array(link.centre_of_mass), np.array(link.inertia)
            self.model.appendBodyToJoint(i, pin.Inertia(mass, com, I), pin.SE3.Identity())
        self.model.armature = np.array(self.ours.armature)
        self.contacts = [
            pin.RigidConstraintModel(
                TYPES[loop.type], self.model, ids[loop.link_1], self.se3(loop.placement_1), ids[loop.link_2],
                self.se3(loop.placement_2), pin.ReferenceFrame.LOCAL,
            )
            for loop in self.ours.loops
        ]

    @staticmethod
    def se3(pose: np.ndarray) -> pin.SE3:
        return pin.SE3(np.array(pose[:, :3]), np.array(pose[:, 3]))

    def closed_state(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        q = tandem.integrate(self.ours, tandem.neutral_configuration(self.ours), 0.3 * rng.normal(size=self.ours.nv))
        status = np.zeros(1, np.uint8)
        return tandem.close_loops(self.ours, q[None], rng.normal(size=(1, self.ours.nv)), status=status)

    def theirs(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        data = self.model.createData()
        contacts, of_contacts = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for contact in self.contacts:
            contacts.append(contact)
            of_contacts.append(contact.createData())
        pin.initConstraintDynamics(self.model, data, contacts, of_contacts)
        settings = pin.ProximalSettings(1e-14, 1e-14, 1e-12, 50)
        a = pin.constraintDynamics(self.model, data, q, v, tau, contacts, of_contacts, settings)
        return np.array(a), [c.contact_force.vector.copy() for c in of_contacts]


@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_and_forces_are_those_of_pinocchio(name: str) -> None:
    both = Both(ROBOTS[name]())
    m = both.ours
    for seed in range(5):
        (q,), (v,) = both.closed_state(seed)
        tau = np.random.default_rng(seed + 100).normal(size=m.nv)
        a, f = tandem.closed_loop_dynamics(m, q, v, tau, forces=True)
        theirs, forces = both.theirs(q, v, tau)
        M = tandem.mass_matrix(m, q)
        scale = np.sqrt(np.diag(M))
        condition = np.linalg.cond(M / np.outer(scale, scale))
        size = max(np.abs(x).max() for x in (a, theirs, np.linalg.solve(M, tandem.bias_forces(m, q, v) - tau)))
        # theirs ends where a proximal step of 1e-12 changes nothing any more
        assert np.abs(a - theirs).max() < max(1e-9, 1024 * EPS * condition) * size
        assert np.array_equal(a, tandem.forward_dynamics(m, q, v, tau))
        if name in ("five_bar", "legs"):  # others share a force in more ways than one
            for ours, other in zip(f, forces, strict=True):
                assert np.abs(ours[: other.size] + other).max() < 1e-8 * max(1.0, np.abs(other).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_loops_closed_by_joins_are_those_of_pinocchio(name: str) -> None:
    """Divide and conquer finds the forces of loops in its own tree."""
    both = Both(ROBOTS[name]())
    m = both.ours
    for seed in range(3):
        (q,), (v,) = both.closed_state(seed)
        tau = np.random.default_rng(seed + 100).normal(size=m.nv)
        usual, usual_forces = tandem.closed_loop_dynamics(m, q, v, tau, forces=True)
        a, f = tandem.closed_loop_dynamics(m, q, v, tau, method="divide_and_conquer", forces=True)
        theirs, _ = both.theirs(q, v, tau)
        M = tandem.mass_matrix(m, q)
        size = max(np.abs(x).max() for x in (a, theirs, np.linalg.solve(M, tandem.bias_forces(m, q, v) - tau)))
        assert np.abs(a - theirs).max() < max(1e-9, 1024 * EPS * np.linalg.cond(M)) * size
        assert np.array_equal(a, tandem.forward_dynamics(m, q, v, tau, method="divide_and_conquer"))
        if name in ("five_bar", "legs"):
            assert np.abs(f - usual_forces).max() < 1e-9 * max(1.0, np.abs(usual_forces).max())
        damped = tandem.closed_loop_dynamics(m, q, v, tau, method="divide_and_conquer", stabilisation=3.0)
        assert np.abs(damped - usual).max() < 1e-6 * size  # loops that are closed stay so


@pytest.mark.parametrize("name", ROBOTS)
def test_forces_of_the_loops_are_what_the_tree_takes(name: str) -> None:
    """As external forces on the links they give the same joint forces, whoever shares them how."""
    m = ROBOTS[name]().build()
    both = Both(ROBOTS[name]())
    (q,), (v,) = both.closed_state(1)
    tau = np.random.default_rng(5).normal(size=m.nv)
    a, f = tandem.closed_loop_dynamics(m, q, v, tau, forces=True)
    poses = tandem.forward_kinematics(m, q)
    f_ext = np.zeros((m.n_links, 6))
    for loop, wrench in zip(m.loops, f, strict=True):
        one, two = (both.se3(poses[m.link_index(link)]) for link in (loop.link_1, loop.link_2))
        frame_1, frame_2 = one * both.se3(loop.placement_1), two * both.se3(loop.placement_2)
        pushed = pin.SE3(frame_1.rotation, frame_2.translation)
        f_ext[m.link_index(loop.link_2)] += (two.inverse() * pushed).act(pin.Force(wrench)).vector
        f_ext[m.link_index(loop.link_1)] -= (one.inverse() * pushed).act(pin.Force(wrench)).vector
    needed = tandem.inverse_dynamics(m, q, v, a, f_ext)
    assert np.abs(needed - tau).max() < 1e-10 * max(1.0, np.abs(f).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_loops_stay_closed(name: str) -> None:
    """What the frames come apart by in a short time grows with its third power: the second is where acceleration
    shows."""
    both = Both(ROBOTS[name]())
    m = both.ours
    (q,), (v,) = both.closed_state(2)
    a = tandem.forward_dynamics(m, q, v, np.random.default_rng(6).normal(size=m.nv))

    def apart(h: float) -> float:
        poses = tandem.forward_kinematics(m, tandem.integrate(m, q, v * h + a * (h * h / 2)))
        worst = 0.0
        for loop in m.loops:
            frame_1, frame_2 = (
                both.se3(poses[m.link_index(link)]) * both.se3(placement)
                for link, placement in ((loop.link_1, loop.placement_1), (loop.link_2, loop.placement_2))
            )
            gap = frame_1.inverse() * frame_2
            worst = max(worst, np.abs(gap.translation).max())
            if loop.type == "fixed":
                worst = max(worst, np.abs(pin.log3(gap.rotation)).max())
        return worst

    assert apart(0) < 1e-12
    assert apart(1e-3) / 1e-6 < 0.2 * max(apart(1e-2) / 1e-4, 1e-6)

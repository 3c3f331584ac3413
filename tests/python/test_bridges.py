# SPDX-License-Identifier: Apache-2.0
"""tandem.bridges where neither Pinocchio nor MuJoCo is at hand: what it reads of their models is described here."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tandem
from tandem import bridges, spatial

#: nq and nv of Pinocchio's joints, others have one each
SIZES = {"FreeFlyer": (7, 6), "Planar": (4, 3), "Spherical": (4, 3), "RUBZ": (2, 1), "MimicRX": (0, 0)}
#: jnt_type of MuJoCo, and the sizes
FREE, BALL, SLIDE, HINGE = range(4)
MUJOCO_SIZES = [(7, 6), (4, 3), (1, 1), (1, 1)]


def like_pinocchio(**joints: str) -> Any:
    """What a pinocchio.Model tells of its joints; name = type without "JointModel"."""
    names, found, nq, nv = ["universe"], [None], 0, 0
    for name, kind in joints.items():
        sizes = SIZES.get(kind, (1, 1))
        found.append(SimpleNamespace(shortname=lambda kind=kind: f"JointModel{kind}", idx_q=nq, idx_v=nv))
        names.append(name)
        nq, nv = nq + sizes[0], nv + sizes[1]
    return SimpleNamespace(names=names, joints=found, njoints=len(found), nq=nq, nv=nv)


def like_mujoco(*joints: tuple[str, int]) -> Any:
    q = np.cumsum([0] + [MUJOCO_SIZES[kind][0] for _, kind in joints])
    v = np.cumsum([0] + [MUJOCO_SIZES[kind][1] for _, kind in joints])
    return SimpleNamespace(
        njnt=len(joints),
        nq=int(q[-1]),
        nv=int(v[-1]),
        jnt_type=np.array([kind for _, kind in joints]),
        jnt_qposadr=q[:-1],
        jnt_dofadr=v[:-1],
        joint=lambda k: SimpleNamespace(name=joints[k][0]),
    )


def built(*joints: tuple[Any, ...], floating: bool = False, **options: Any) -> tandem.Model:
    """A chain of joints (name, type, options)."""
    builder = tandem.ModelBuilder("robot").link("base", 1.0, inertia=(1, 0, 0, 1, 0, 1))
    carrier = "base"
    for name, kind, *more in joints:
        link = f"{name} link"
        builder.link(link, 1.0, com=(0.1, 0.2, 0.3), inertia=(1, 0, 0, 1, 0, 1))
        builder.joint(name, kind, carrier, link, **(more[0] if more else {}))
        carrier = link
    return builder.build(floating=floating)


def test_neither_library_is_imported() -> None:
    code = "import sys, tandem.bridges; sys.exit(any(name in sys.modules for name in ('pinocchio', 'mujoco')))"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_pinocchio_in_another_order_with_angles_as_cosine_and_sine() -> None:
    robot = built(("b", "revolute"), ("wheel", "continuous"), ("a", "prismatic"), ("ball", "spherical"))
    bridge = bridges.to_pinocchio(robot, like_pinocchio(a="PX", b="RevoluteUnaligned", ball="Spherical", wheel="RUBZ"))
    assert (bridge.nq, bridge.nv) == (8, 6)
    assert bridge.joints == [(name, name) for name in ("b", "wheel", "a", "ball")]
    q = np.array([0.1, 0.2 + 2 * np.pi, 0.3, 0.1, 0.2, 0.3, 0.9])
    theirs = bridge.q_to(q)
    assert np.allclose(theirs, [0.3, 0.1, 0.1, 0.2, 0.3, 0.9, np.cos(0.2), np.sin(0.2)], atol=1e-15)
    assert np.allclose(bridge.q_from(theirs), [0.1, 0.2, *q[2:]], atol=1e-15)  # without the turn
    assert bridge.v_to([1, 2, 3, 4, 5, 6]).tolist() == [3, 1, 4, 5, 6, 2]
    for there, back in ((bridge.v_to, bridge.v_from), (bridge.a_to, bridge.a_from), (bridge.tau_to, bridge.tau_from)):
        x = np.arange(24.0).reshape(2, 2, 6)
        assert np.array_equal(back(there(x)), x)
    assert repr(bridge) == '<tandem.bridges.Bridge "robot" to Pinocchio: nq 7 here, 8 there, nv 6 here, 6 there>'


def test_planar_joints_of_pinocchio() -> None:
    robot = built(("p", "planar", {"axis": (0, 0, 1)}))
    bridge = bridges.to_pinocchio(robot, like_pinocchio(p="Planar"))
    assert np.allclose(bridge.q_to([1, 2, 0.5]), [1, 2, np.cos(0.5), np.sin(0.5)])
    assert np.allclose(bridge.q_from([1, 2, 3 * np.cos(3), 3 * np.sin(3)]), [1, 2, 3])
    assert bridge.v_to([1, 2, 3]).tolist() == [1, 2, 3]
    with pytest.raises(tandem.Error, match="cosine and sine of an angle in q are both 0"):
        bridge.q_from(np.zeros((2, 4)))
    with pytest.raises(tandem.Error, match=r'planar joint "p" has the normal \(1, 0, 0\)'):
        bridges.to_pinocchio(built(("p", "planar", {"axis": (1, 0, 0)})), like_pinocchio(p="Planar"))


@pytest.mark.parametrize("library", ["Pinocchio", "MuJoCo"])
def test_mimic_joints_with_rows_of_their_own(library: str) -> None:
    gear = {"mimic": "lead", "multiplier": -2.0, "offset": 0.5}
    robot = built(("lead", "revolute"), ("slave", "prismatic", gear), ("own", "revolute"))
    if library == "Pinocchio":
        bridge = bridges.to_pinocchio(robot, like_pinocchio(slave="PZ", own="RX", lead="RX"))
    else:
        bridge = bridges.to_mujoco(robot, like_mujoco(("slave", SLIDE), ("own", HINGE), ("lead", HINGE)))
    assert bridge.q_to([3, 7]).tolist() == [-5.5, 7, 3]
    assert bridge.q_from([99, 7, 3]).tolist() == [3, 7]
    assert bridge.v_to([3, 7]).tolist() == [-6, 7, 3] == bridge.a_to([3, 7]).tolist()
    assert bridge.v_from([99, 7, 3]).tolist() == [3, 7]
    assert bridge.tau_to([3, 7]).tolist() == [0, 7, 3]
    assert bridge.tau_from([10, 7, 3]).tolist() == [3 - 20, 7]
    assert bridge.velocity_matrix().tolist() == [[-2, 0], [0, 1], [1, 0]]


def test_mimic_joints_of_pinocchio_without_rows_and_on_circles() -> None:
    robot = built(("lead", "continuous"), ("slave", "continuous", {"mimic": "lead", "multiplier": 3.0, "offset": 0.1}))
    bridge = bridges.to_pinocchio(robot, like_pinocchio(lead="RUBZ", slave="MimicRX"))
    assert np.allclose(bridge.q_to([0.2]), [np.cos(0.2), np.sin(0.2)]) and bridge.v_to([4]).tolist() == [4]
    bridge = bridges.to_pinocchio(robot, like_pinocchio(lead="RUBZ", slave="RUBZ"))
    assert np.allclose(bridge.q_to([0.2])[2:], [np.cos(0.7), np.sin(0.7)])
    assert np.allclose(bridge.q_from([1, 0, 0, 0]), [0])


def floating() -> tuple[tandem.Model, bridges.Bridge]:
    """A free joint that hangs displaced and turned from the world, and a ball, in MuJoCo."""
    place = {"position": (1, -2, 3), "rpy": (0.3, -0.4, 0.5)}
    robot = built(("body", "free", place), ("h", "revolute"), ("b", "spherical"))
    return robot, bridges.to_mujoco(robot, like_mujoco(("body", FREE), ("h", HINGE), ("b", BALL)))


def test_free_joints_of_mujoco_have_the_pose_of_the_body_in_the_world() -> None:
    robot, bridge = floating()
    q = tandem.random_configuration(robot, seed=3, batch=4)
    theirs = bridge.q_to(q)
    pose = tandem.forward_kinematics(robot, q)[:, 1]
    assert np.allclose(theirs[:, :3], pose[:, :, 3], atol=1e-14)
    turned = spatial.quaternion_to_matrix(np.roll(theirs[:, 3:7], -1, axis=-1))
    assert np.allclose(turned, pose[..., :3], atol=1e-14)
    assert np.array_equal(theirs[:, 7], q[:, 7])
    assert np.array_equal(theirs[:, 8:], q[:, [11, 8, 9, 10]])
    assert np.allclose(bridge.q_from(theirs), q, atol=1e-14)


def test_velocities_and_accelerations_of_mujoco_are_derivatives() -> None:
    robot, bridge = floating()
    q, h = tandem.random_configuration(robot, seed=5), 1e-5
    v, a = np.random.default_rng(6).normal(size=(2, robot.nv))

    def at(t: float) -> tuple[np.ndarray, np.ndarray]:
        return tandem.integrate(robot, q, t * v + t * t / 2 * a), v + t * a

    (q0, v0), (q1, v1) = at(-h), at(h)
    linear = (bridge.q_to(q1) - bridge.q_to(q0))[:3] / (2 * h)
    assert np.allclose(linear, bridge.v_to(v, q)[:3], atol=1e-8)
    assert np.array_equal(bridge.v_to(v, q)[3:], v[3:])
    change = (bridge.v_to(v1, q1) - bridge.v_to(v0, q0)) / (2 * h)
    assert np.allclose(change, bridge.a_to(a, q, v), atol=1e-8)
    tau = np.random.default_rng(7).normal(size=robot.nv)
    assert np.isclose(bridge.tau_to(tau, q) @ bridge.v_to(v, q), tau @ v)
    assert np.allclose(bridge.tau_from(bridge.tau_to(tau, q), q), tau)
    assert np.allclose(bridge.a_from(bridge.a_to(a, q, v), q, v), a)


def test_a_floating_base_is_paired_whatever_its_name() -> None:
    robot = built(("h", "revolute"), floating=True)
    bridge = bridges.to_pinocchio(robot, like_pinocchio(root_joint="FreeFlyer", h="RZ"))
    assert bridge.joints == [("floating_base", "root_joint"), ("h", "h")]
    bridge = bridges.to_mujoco(robot, like_mujoco(("", FREE), ("h", HINGE)))
    assert bridge.joints == [("floating_base", ""), ("h", "h")]


def test_names_that_differ_can_be_given() -> None:
    robot = built(("left", "revolute"), ("right", "revolute"))
    theirs = like_pinocchio(right="RZ", l="RX")
    bridge = bridges.to_pinocchio(robot, theirs, names={"left": "l"})
    assert bridge.q_to([1, 2]).tolist() == [2, 1]
    with pytest.raises(tandem.Error, match='no joint "lft"'):
        bridges.to_pinocchio(robot, theirs, names={"lft": "l"})
    with pytest.raises(tandem.Error, match='Pinocchio\'s lacks joint "x"; Tandem\'s lacks joint "l"'):
        bridges.to_pinocchio(robot, theirs, names={"left": "x"})


def test_joints_that_one_side_lacks_are_named() -> None:
    robot = built(("a", "revolute"), ("b", "revolute"), ("c", "prismatic"))
    with pytest.raises(tandem.Error) as error:
        bridges.to_pinocchio(robot, like_pinocchio(b="RX", d="RX"))
    assert str(error.value) == (
        'to_pinocchio: joints of "robot" differ: Pinocchio\'s lacks joints "a", "c"; Tandem\'s lacks joint "d" '
        "(names={ours: theirs} pairs joints whose names differ)"
    )
    with pytest.raises(tandem.Error, match=r"lacks joint \(without a name\) .*floating=True\) hangs"):
        bridges.to_mujoco(robot, like_mujoco(("a", HINGE), ("b", HINGE), ("c", SLIDE), ("", FREE)))
    with pytest.raises(tandem.Error, match='lacks joints "joint1", .*"joint8", 12 more'):
        bridges.to_pinocchio(tandem.load("chain:20"), like_pinocchio())


def test_types_that_differ_are_named() -> None:
    robot = built(("a", "revolute"))
    with pytest.raises(tandem.Error, match='joint "a" is revolute in Tandem and a JointModelPX in Pinocchio'):
        bridges.to_pinocchio(robot, like_pinocchio(a="PX"))
    with pytest.raises(tandem.Error, match='joint "a" is revolute in Tandem and a JointModelComposite in Pinocchio'):
        bridges.to_pinocchio(robot, like_pinocchio(a="Composite"))
    with pytest.raises(tandem.Error, match='joint "a" is revolute in Tandem and a JointModelMimicRX in Pinocchio'):
        bridges.to_pinocchio(robot, like_pinocchio(a="MimicRX"))
    with pytest.raises(tandem.Error, match='joint "a" is revolute in Tandem and a slide in MuJoCo'):
        bridges.to_mujoco(robot, like_mujoco(("a", SLIDE)))
    inner = built(("a", "revolute"), ("f", "free"))
    with pytest.raises(tandem.Error, match='free joint "f" is attached to link "a link"; those of MuJoCo'):
        bridges.to_mujoco(inner, like_mujoco(("a", HINGE), ("f", FREE)))


def test_what_is_no_model_is_refused() -> None:
    robot = built(("a", "revolute"))
    with pytest.raises(tandem.Error, match="pin_model is a tandem._core.Model, expected a pinocchio.Model"):
        bridges.to_pinocchio(like_pinocchio(a="RX"), robot)
    with pytest.raises(tandem.Error, match="mj_model is a builtins.str, expected a mujoco.MjModel"):
        bridges.to_mujoco(robot, "robot.xml")
    with pytest.raises(tandem.Error, match="model is a types.SimpleNamespace, expected a tandem.Model"):
        bridges.to_mujoco(like_mujoco(), like_mujoco())


def test_arrays_that_do_not_fit_are_refused() -> None:
    robot, bridge = floating()
    q, v = tandem.neutral_configuration(robot), np.zeros(10)
    for call, text in (
        (lambda: bridge.q_to(np.zeros((3, 11))), "q_to: q has shape (3, 11), expected (..., 12)"),
        (lambda: bridge.q_from(1.0), "q_from: q has shape (), expected (..., 12)"),
        (lambda: bridge.v_to(v),
         'v_to: q is required: MuJoCo has linear velocities and forces of the free joint "body"'),
        (lambda: bridge.v_from(v), "v_from: q is required"),
        (lambda: bridge.tau_to(v), "tau_to: q is required"),
        (lambda: bridge.tau_from(v), "tau_from: q is required"),
        (lambda: bridge.velocity_matrix(), "q is required"),
        (lambda: bridge.a_to(v, q), 'a_to: v is required: the axes of the free joint "body" turn'),
        (lambda: bridge.a_from(v, q), "a_from: v is required"),
        (lambda: bridge.v_to(v, np.zeros(11)), "v_to: q has shape (11,), expected (..., 12)"),
        (lambda: bridge.v_to(np.zeros((3, 10)), np.zeros((2, 12))),
         "v_to: leading shapes do not broadcast: (3,) of v and (2,) of q"),
        (lambda: bridge.a_to(np.zeros((3, 10)), q, np.zeros((2, 10))),
         "a_to: leading shapes do not broadcast: (3,) of a and (2,) of v"),
        (lambda: bridge.q_to(q.astype(complex)), "q_to: q has dtype complex128, expected real numbers"),
    ):
        with pytest.raises(tandem.Error) as error:
            call()
        assert text in str(error.value)

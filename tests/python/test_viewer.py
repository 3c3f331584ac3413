# SPDX-License-Identifier: Apache-2.0
"""The viewer: what it makes of descriptions and recordings, and where it puts things."""

from __future__ import annotations

import socket
import time

import numpy as np
import pytest
from support import robot
from view_support import MESH, SHAPES, swing, viewer, wait_for  # noqa: F401

import tandem
from tandem._view import unit_meshes
from tandem._view.motion import motion_of, read_motion
from tandem._view.shapes import shapes_of


def volume(mesh):
    a, b, c = np.moveaxis(mesh[0][mesh[1]], 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def test_simple_shapes_are_closed_and_seen_from_outside():
    assert volume(unit_meshes.box()) == pytest.approx(8)
    assert volume(unit_meshes.ball()) == pytest.approx(4 / 3 * np.pi, rel=0.03)
    assert volume(unit_meshes.cylinder()) == pytest.approx(2 * np.pi, rel=0.01)
    assert volume(unit_meshes.capsule(0.5, 2)) == pytest.approx(np.pi * 0.25 * 4 + np.pi / 6, rel=0.03)


def shapes(folder, mesh, **more):
    path = folder / "shapes.urdf"
    path.write_text(SHAPES.replace("MESH", mesh))
    model = tandem.load(path)
    return model, *shapes_of(model, None, more.get("packages", ()))


@pytest.mark.parametrize("name",
                         ["here.obj", "meshes/here.obj", "package://parts/here.obj", "package://outer/meshes/here.obj"])
def test_shapes_of_a_description(tmp_path, monkeypatch, name):
    pytest.importorskip("trimesh")
    folder = tmp_path / "outer"
    for place in (folder, folder / "meshes", tmp_path / "elsewhere" / "parts"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "here.obj").write_text(MESH)
    model, found, notes = shapes(folder, name, packages=[str(tmp_path / "elsewhere")])
    assert notes == []
    assert [shape.kind for shape in found] == ["box", "cylinder", "mesh", "sphere", "capsule"]
    box, cylinder, mesh, sphere, capsule = found
    assert box.frame == 0 and box.size.tolist() == [1, 2, 3] and box.colour == (255, 0, 0)
    assert cylinder.size.tolist() == [0.5, 0.5, 1.5]
    np.testing.assert_allclose(cylinder.pose, [[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 1]], atol=1e-12)
    assert np.ptp(mesh.mesh.vertices, axis=0).tolist() == [2, 2, 2]
    assert sphere.colour == (0, 128, 255)
    assert model.frame_names[capsule.frame] == "hand"  # which is folded into the arm


@pytest.mark.parametrize("name, told", [
    ("nowhere.stl", "1 mesh left out, not found: nowhere.stl"),
    ("package://parts/a.dae", "package://parts/a.dae; --packages DIR"),
    ("bad.obj", "cannot be read"),
])  # fmt: skip
def test_meshes_that_cannot_be_shown_are_told(tmp_path, name, told):
    pytest.importorskip("trimesh")
    (tmp_path / "bad.obj").write_text("nothing\n")
    _, found, notes = shapes(tmp_path, name)
    assert len(found) == 4 and len(notes) == 1 and told in notes[0]


MJCF = """<mujoco><asset><mesh name="part" file="MESH"/></asset><worldbody>
  <geom type="plane" size="1 1 1"/><geom name="table" type="box" size="1 2 .1" pos="0 0 -1" rgba="1 0 0 1"/>
  <body name="a" pos="0 0 1"><joint name="x" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 1 0" size=".1"/>
    <body name="b" pos="0 1 0"><joint name="y" type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="ellipsoid" size=".1 .2 .3" pos="0 0 .5" quat=".8 .6 0 0"/><geom type="mesh" mesh="part"/>
      <geom type="sphere" size="9" group="3"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("there", [True, False])
def test_shapes_of_mjcf_are_where_mujoco_has_them(tmp_path, there):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "here.obj").write_text(MESH)
    path = tmp_path / "two.xml"
    path.write_text(MJCF.replace("MESH", "here.obj" if there else "gone.obj"))
    model = tandem.load(path)
    found, notes = shapes_of(model, None, ())
    assert [shape.kind for shape in found] == ["box", "capsule", "sphere"] + ["mesh"] * there
    assert found[0].colour == (255, 0, 0) and found[0].size.tolist() == [1, 2, 0.1]
    assert notes == ([] if there else [f"1 mesh left out, not found in {tmp_path}: gone.obj"])
    if not there:
        return
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    q = tandem.random_configuration(model, 5)
    data.qpos[:] = np.r_[q[0], q[4], q[1:4]]  # theirs has the real part first
    mujoco.mj_kinematics(theirs, data)
    drawn = [k for k in range(theirs.ngeom) if theirs.geom_group[k] <= 2 and theirs.geom_type[k] != 0]
    frames = tandem.forward_kinematics(model, q)
    for k, shape in zip(drawn, found):
        pose = (tandem.pose_to_matrix(frames[shape.frame]) @ tandem.pose_to_matrix(shape.pose))[:3]
        np.testing.assert_allclose(pose[:, 3], data.geom_xpos[k], atol=1e-9)
        np.testing.assert_allclose(pose[:, :3].ravel(), data.geom_xmat[k], atol=1e-9)


def test_shapes_need_a_description_that_is_known():
    assert len(shapes_of(robot("arm7"), None, ())[0]) == 8
    assert shapes_of(tandem.load("chain:3"), None, ()) == ([], [])
    assert shapes_of(robot("arm7").with_gravity((0, 0, 0)), None, ())[0]


def test_a_motion_is_shown_between_its_samples():
    arm, states = swing()
    motion = motion_of(arm, states)
    np.testing.assert_array_equal(motion.at(states.time[3])[0], states.q[3])
    np.testing.assert_allclose(motion.at((states.time[3] + states.time[4]) / 2)[0], (states.q[3] + states.q[4]) / 2,
                               atol=1e-9)
    np.testing.assert_array_equal(motion.at(-1)[0], states.q[0])
    np.testing.assert_array_equal(motion.at(99)[0], states.q[-1])
    kinetic, _ = tandem.energy(arm, states.q, states.v)
    np.testing.assert_array_equal(motion.energies(0)["kinetic"], kinetic)


def test_instances_of_a_batch_are_chosen():
    arm, states = swing(batch=30)
    assert motion_of(arm, states).numbers == list(range(16))
    assert motion_of(arm, states, 4).numbers == [0, 1, 2, 3]
    chosen = motion_of(arm, states, [29, 3])
    np.testing.assert_array_equal(chosen.q[:, 0], states.q[:, 29])
    with pytest.raises(tandem.Error, match="instance is 30, expected 0 to 29"):
        motion_of(arm, states, [30])


def test_states_that_are_not_finite_are_told():
    arm, states = swing(batch=2)
    states.q[12:, 1, 3] = np.nan
    motion = motion_of(arm, states)
    assert motion.lost() == [f"instance 1: {len(states.q) - 12} of {len(states.q)} states are not finite, "
                             f"from t = {states.time[12]:.6g} s on; not shown there"]  # fmt: skip
    assert np.isfinite(motion.at(states.time[-1])[0]).all() and np.isnan(motion.at(states.time[-1])[1]).any()
    assert np.isnan(motion.energies(1)["total"][12:]).all() and np.isfinite(motion.energies(1)["total"][:12]).all()


@pytest.mark.parametrize("given, told", [
    (7, "expected trajectory to be a file"),
    (([0.0], np.zeros((1, 6))), "q has shape"),
    (([0.0, 1.0], np.zeros((1, 7))), r"time has shape \(2,\), expected \(1,\)"),
    (([1.0, 0.0], np.zeros((2, 7))), "not ascending"),
    ((np.zeros(0), np.zeros((0, 7))), "trajectory of arm7: no states"),
    ("run.txt", "expected a file of states"),
    ("run.h5", "run.h5: no such file"),
])  # fmt: skip
def test_bad_motions_are_refused(given, told):
    with pytest.raises(tandem.Error, match=told):
        motion_of(robot("arm7"), given)


def test_recordings_of_batches(tmp_path):
    h5py = pytest.importorskip("h5py")
    path, arm = tmp_path / "run.h5", robot("arm7")
    q = np.random.default_rng(1).normal(size=(5, 11, 7))
    with h5py.File(path, "w") as file:
        file["q"], file["t"] = q, np.arange(11.0)
        file.attrs["robot"] = "arm7"
    motion = read_motion(arm, path, [4, 1])
    np.testing.assert_array_equal(motion.q, np.moveaxis(q[[4, 1]], 0, 1))
    assert motion.numbers == [4, 1] and motion.v is None and motion.energies(0) == {}
    with pytest.raises(tandem.Error, match="q of arm7 has 7 numbers per state, arm6 has 6"):
        read_motion(robot("arm6"), path)


# with a server


def test_bodies_are_where_forward_kinematics_says(viewer):
    arm, q = robot("arm7"), tandem.random_configuration(robot("arm7"), 3)
    shown = viewer(arm, q)
    batch, frames, _ = shown._drawing._shapes[0]
    pose = tandem.forward_kinematics(arm, q)[frames]
    own = [shape.pose for shape in shapes_of(arm, None, ())[0] if shape.kind == "cylinder"]
    wanted = [(tandem.pose_to_matrix(a) @ tandem.pose_to_matrix(b))[:3, 3] for a, b in zip(pose, own)]
    np.testing.assert_allclose(batch.handle.batched_positions, wanted, atol=1e-6)
    masses = shown._drawing._masses.handle.batched_positions
    np.testing.assert_allclose(masses[-1], tandem.centre_of_mass(arm, q), atol=1e-6)
    shown.q = np.zeros(7)
    np.testing.assert_allclose(shown._drawing._masses.handle.batched_positions[-1],
                               tandem.centre_of_mass(arm, np.zeros(7)), atol=1e-6)


@pytest.mark.parametrize("name",
                         ["arm7", "humanoid", "quadruped", "four_bar", "rope:40", "tree:30", "snake:8", "chain:1"])
def test_every_robot_can_be_shown(viewer, name):
    model = tandem.load(name)
    shown = viewer(model, tandem.random_configuration(model, 1, batch=2), ghosts=True)
    assert shown.q.shape == (2, model.nq)
    shown.show("frames")
    shown._panel.pick_frame(model.frame_names[-1])


def test_a_taken_port_gives_the_next_one(viewer):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with tandem.view(robot("arm7"), block=False, open_browser=False, port=port) as shown:
            assert 0 < int(shown.url.rpartition(":")[2]) - port < 1000


def test_what_is_not_finite_is_hidden_and_told(viewer):
    shown = viewer(robot("arm7"), np.zeros((2, 7)))
    q = np.zeros((2, 7))
    q[1, 2] = np.nan
    shown.q = q
    sizes = shown._drawing._masses.handle.batched_scales.reshape(2, -1, 3)
    assert (sizes[0] > 1e-6).all() and (sizes[1] < 1e-6).all()
    assert "instance 1 is not finite" in shown._said.content
    shown.q = np.zeros((2, 7))
    assert not shown._said.visible and (shown._drawing._masses.handle.batched_scales > 1e-6).all()


def test_poses_have_names(viewer):
    arm = tandem.describe("arm7").configuration("home", {"joint2": 0.5, "joint4": -1.0}).build()
    shown = viewer(arm, configurations={"mine": np.ones(7)})
    assert list(shown._named) == ["neutral", "home", "mine"]
    shown._to(shown._named["home"])
    np.testing.assert_array_equal(shown.q, arm.configuration("home"))


def test_a_free_joint_goes_where_it_is_dragged(viewer):
    robot_, q = robot("humanoid"), tandem.random_configuration(robot("humanoid"), 2)
    shown = viewer(robot_, np.stack([q, q]))
    shown._chosen = 1
    root = robot_.joint("root")
    wanted = tandem.forward_kinematics(robot_, tandem.random_configuration(robot_, 7))[root.index]
    shown._draw(shown.q)
    place = wanted + np.column_stack([np.zeros((3, 3)), shown._at[1]])
    shown._sliders.drag(root, place)
    np.testing.assert_allclose(tandem.forward_kinematics(robot_, shown.q[1])[root.index], wanted, atol=1e-9)
    np.testing.assert_array_equal(shown.q[0], q)


def test_loops_stay_closed_when_a_joint_is_moved(viewer):
    bars = robot("four_bar")
    shown = viewer(bars)
    shown._by_hand(lambda q: q.__setitem__(0, 0.3))
    _, gap = tandem.close_loops(bars, shown.q, error=True)
    assert np.max(gap) < 1e-6 and np.abs(shown.q).max() > 0.05


def test_lists_of_very_many_names_become_fields(viewer):
    shown = viewer(tandem.load("chain:3000"))
    shown._panel.pick_frame("link17" if "link17" in shown._model.frame_names else shown._model.frame_names[17])
    assert shown._panel._frame == 17 or shown._panel._frame is not None


def test_bad_arguments_are_refused(viewer):
    arm = robot("arm7")
    shown = viewer(arm)
    for name, value, told in (("q", np.zeros(6), "q has shape"), ("q", np.zeros((2, 7)), "q has 2 rows"),
                              ("time", 1, "requires a trajectory")):
        with pytest.raises(tandem.Error, match=told):
            setattr(shown, name, value)
    with pytest.raises(tandem.Error, match="layer is 'skin'"):
        shown.show("skin")
    with pytest.raises(tandem.Error, match="no browser is connected"):
        shown.picture()
    with pytest.raises(tandem.Error, match="port is 0"):
        tandem.view(arm, block=False, open_browser=False, port=0)
    with pytest.raises(tandem.Error, match="cannot serve at nowhere.invalid"):
        tandem.view(arm, block=False, open_browser=False, host="nowhere.invalid")


def test_a_motion_is_played(viewer):
    arm, states = swing()
    shown = viewer(arm, trajectory=states)
    shown.time = states.time[5]
    np.testing.assert_allclose(shown.q, states.q[5])
    shown.play()
    wait_for(lambda: shown.time > states.time[5])
    shown.pause()
    at = shown.time
    time.sleep(0.2)
    assert shown.time == at
    shown.q = np.zeros(7)  # by hand
    np.testing.assert_array_equal(shown.q, np.zeros(7))


def test_a_robot_that_is_let_go_falls_and_one_that_is_held_stays(viewer):
    arm = robot("arm7")
    start = np.array([0, 0.6, 0, -1, 0, 1, 0])
    shown = viewer(arm, start)
    for held in (False, True):
        shown._player._hold.value = held
        shown._player._stiffness.value = 8.0
        shown.play()
        wait_for(lambda: shown.time > 0.3)
        shown.pause()
        moved = np.abs(shown.q - start).max()
        assert moved > 0.1 if not held else moved < 0.1
        shown._player._go_back()
        np.testing.assert_array_equal(shown.q, start)


@pytest.mark.parametrize("name", ["arm7", "humanoid", "quadruped", "chain:40", "rope:5", "four_bar"])
def test_play_shows_a_motion(name):
    """The pose that the command opens with is off its balance and within limits."""
    from tandem._view.command import opening_pose

    model = tandem.load(name)
    q = opening_pose(model)
    assert (model.q_lower <= q).all() and (q <= model.q_upper).all()
    simulation = tandem.Simulation(model)
    simulation.q = q
    simulation.run(1.0)
    assert np.abs(tandem.difference(model, q, simulation.q)).max() > 0.1


def test_a_robot_with_named_poses_opens_in_the_first():
    from tandem._view.command import opening_pose

    model = tandem.describe("arm7").configuration("home", {"joint4": 1.25}).configuration("other",
                                                                                          {"joint4": 0.5}).build()
    assert opening_pose(model).tolist() == model.configuration("home").tolist()

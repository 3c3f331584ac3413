# SPDX-License-Identifier: Apache-2.0
"""Collision meshes of URDF, beside MuJoCo and SciPy. All files are written here."""

from __future__ import annotations

import pickle
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tandem
import tandem.meshes
from tandem import bridges

mujoco = pytest.importorskip("mujoco")
spatial = pytest.importorskip("scipy.spatial")


def faces_of(points: np.ndarray) -> np.ndarray:
    """``[n, 3]`` triangles of the hull by qhull, counterclockwise from outside."""
    hull = spatial.ConvexHull(points)
    faces = hull.simplices.copy()
    corners = points[faces]
    turned = np.einsum("ij,ij->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
                       hull.equations[:, :3]) < 0
    faces[turned] = faces[turned][:, ::-1]
    return faces


def write_stl(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    with path.open("wb") as file:
        file.write(b"\0" * 80 + struct.pack("<I", len(faces)))
        for face in faces:
            file.write(struct.pack("<12fH", 0, 0, 0, *points[face].ravel(), 0))


def write_text_stl(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    lines = ["solid a vertex of a facet"]
    for face in faces:
        lines += ["facet normal 0 0 1", "outer loop", *("vertex %r %r %r" % tuple(map(float, p)) for p in points[face])]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid a vertex of a facet", ""]))


def write_obj(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    lines = ["# a mesh", "o thing", *("v %r %r %r" % tuple(map(float, p)) for p in points)]
    lines += ["vn 0 0 1", *(f"f {a + 1}//1 {b + 1}//1 {c + 1}//1" for a, b, c in faces)]
    path.write_text("\n".join(lines) + "\n")


WRITERS = {"a.stl": write_stl, "b.STL": write_text_stl, "c.obj": write_obj}


def robot_text(mesh: str, scale: str = "1 1 1", more: str = "") -> str:
    """A body that flies, with a mesh."""
    return f"""<robot name="r">{more}<link name="world"/><link name="body"><inertial><mass value="2"/>
      <origin xyz="0.02 0 0.01"/><inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision name="mesh"><origin xyz="0.1 -0.05 0.02" rpy="0.3 -0.2 0.5"/>
        <geometry><mesh filename="{mesh}" scale="{scale}"/></geometry></collision></link>
      <joint name="free" type="floating"><parent link="world"/><child link="body"/></joint></robot>"""


def cloud(seed: int = 0, n: int = 40) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3)) * [0.1, 0.07, 0.05]
    return points.astype(np.float32).astype(float)


def sorted_rows(points: Any) -> np.ndarray:
    points = np.asarray(points)
    return points[np.lexsort(points.T)]


@pytest.mark.parametrize("n", [4, 5, 30, 3000])
def test_hulls_have_the_corners_of_qhull(n: int) -> None:
    for seed in range(10):
        points = np.random.default_rng(seed).normal(size=(n, 3)) * [1, 10, 0.1]
        expected = points[spatial.ConvexHull(points).vertices]
        np.testing.assert_array_equal(sorted_rows(tandem.meshes.convex_hull(points)), sorted_rows(expected))


def test_hulls_of_what_is_flat_thin_or_regular() -> None:
    grid = np.indices((5, 5, 5)).reshape(3, -1).T * 0.25
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    assert len(tandem.meshes.convex_hull(grid)) == 8
    flat = grid[grid[:, 2] == 0]
    assert len(tandem.meshes.convex_hull(flat)) == 4
    line = np.outer(np.linspace(0, 1, 7), [1.0, 2.0, -1.0])
    np.testing.assert_array_equal(tandem.meshes.convex_hull(line)[[0, -1]], line[[0, -1]])
    np.testing.assert_array_equal(tandem.meshes.convex_hull(line * [2, 0, 0]), line[[0, -1]] * [2, 0, 0])
    assert len(tandem.meshes.convex_hull([[1, 2, 3]] * 4)) == 1
    angle = np.arange(60) * np.pi / 30
    rings = np.concatenate([np.column_stack([np.cos(angle), np.sin(angle), z * np.ones(60)]) for z in (0, 0.5, 1)])
    assert 120 <= len(tandem.meshes.convex_hull(rings)) < 135  # a few of the ring in the middle, which are on edges
    rng = np.random.default_rng(2)
    for points in (grid @ turn, rings @ turn, rng.normal(size=(20000, 3)) ** 3, flat @ turn, rings * [1, 1, 1e-6],
                   rings * [1, 1e-12, 1e-6], rings * 1e-200, rings * 1e300, line @ turn, rings + 1e6):
        directions = rng.normal(size=(1000, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        found = (directions @ tandem.meshes.convex_hull(points).T).max(axis=1)
        assert ((directions @ points.T).max(axis=1) - found).max() < 1e-7 * np.ptp(points, axis=0).max()
    with pytest.raises(tandem.Error, match="not finite"):
        tandem.meshes.convex_hull([[0, np.nan, 0]])
    with pytest.raises(tandem.Error, match="empty"):
        tandem.meshes.convex_hull(np.zeros((0, 3)))
    with pytest.raises(tandem.Error, match=r"expected \(n, 3\)"):
        tandem.meshes.convex_hull([1, 2, 3])


@pytest.mark.parametrize("name", WRITERS)
def test_contacts_with_a_plane_are_those_of_mujoco(tmp_path: Path, name: str) -> None:
    """MuJoCo reads the same URDF and the same file, but for STL that is text, and has vertices in single precision."""
    points = cloud()
    WRITERS[name](tmp_path / name, points, faces_of(points))
    urdf, same = tmp_path / "robot.urdf", tmp_path / "same.urdf"
    urdf.write_text(robot_text(name, "1.5 -0.8 1"))
    write_stl(tmp_path / "a.stl", points, faces_of(points))
    same.write_text(robot_text(name if name.endswith("obj") else "a.stl", "1.5 -0.8 1"))
    spec = mujoco.MjSpec.from_file(str(same))
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    theirs = spec.compile()
    model = tandem.describe(urdf).shape("floor", "plane", "world").build()
    assert model.contact_problems() == []
    np.testing.assert_allclose(sorted_rows(model.shape("mesh").vertices),
                               sorted_rows(points[spatial.ConvexHull(points).vertices] * [1.5, -0.8, 1]), atol=1e-15)
    chosen, data = tandem.ContactSet(model), mujoco.MjData(theirs)
    bridge, rng, seen = bridges.to_mujoco(model, theirs), np.random.default_rng(3), 0
    dynamics = tandem.contact.ContactDynamics(chosen, time_step=theirs.opt.timestep)
    for _ in range(100):
        q = tandem.neutral_configuration(model)
        q[3:7] = rng.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
        q[2] = rng.uniform(0, 0.2)
        v = rng.normal(size=model.nv) * 0.3
        data.qpos[:], data.qvel[:] = bridge.q_to(q), bridge.v_to(v, q)
        mujoco.mj_forward(theirs, data)
        found = tandem.contacts(chosen, q)
        lowest = np.argmin(found.distance)
        if data.ncon == 0:
            assert found.distance.min() > -1e-7
            continue
        deepest = min(data.contact[: data.ncon], key=lambda contact: contact.dist)
        assert found.distance[lowest] == pytest.approx(deepest.dist, abs=2e-7)
        if data.ncon == 1 and (found.distance < 0).sum() == 1:
            np.testing.assert_allclose(found.position[lowest], deepest.pos, atol=1e-6)
            np.testing.assert_allclose(found.frame[lowest].ravel(), deepest.frame, atol=1e-12)
            expected = bridge.a_from(data.qacc, q, v)
            ours = dynamics(q, v, np.zeros(model.nv)).a
            np.testing.assert_allclose(ours, expected, atol=2e-4 * np.abs(expected).max())
            seen += 1
    assert seen > 10


def test_distances_of_two_meshes_are_those_of_mujoco(tmp_path: Path) -> None:
    """A mesh that flies over one that stands still: MuJoCo's distance, to its tolerance and single precision. The
    depth of an overlap is that of the origin in the hull of all differences, by qhull; MuJoCo's may be larger."""
    points, others = cloud(1), cloud(2)
    write_stl(tmp_path / "a.stl", points, faces_of(points))
    write_obj(tmp_path / "b.obj", others, faces_of(others))
    still = """<link name="post"><collision name="post"><geometry><mesh filename="b.obj"/></geometry></collision></link>
      <joint name="stands" type="fixed"><parent link="world"/><child link="post"/></joint>"""
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(robot_text("a.stl", more=still))
    spec = mujoco.MjSpec.from_file(str(urdf))
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-10, 300
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)  # which moves contacts off the nearest points
    for geom in spec.geoms:
        geom.margin = 0.5
    theirs = spec.compile()
    model = tandem.load(urdf)
    pairs, data, bridge = tandem.ContactSet(model), mujoco.MjData(theirs), bridges.to_mujoco(model, theirs)
    rng, apart, deep = np.random.default_rng(4), 0, 0
    for _ in range(60):
        q = tandem.neutral_configuration(model)
        q[:3], q[3:7] = rng.normal(size=3) * 0.15, rng.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
        data.qpos[:] = bridge.q_to(q)
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_collision(theirs, data)
        found = tandem.contacts(pairs, q).distance.min()
        expected = min(contact.dist for contact in data.contact[: data.ncon])
        if found > 0:
            assert found == pytest.approx(expected, abs=2e-6)
        else:
            assert found >= expected - 2e-6
            placement = model.shape("mesh").placement
            frame = tandem.forward_kinematics(model, q)[model.frame_names.index("body")]
            flying = (points @ placement[:, :3].T + placement[:, 3]) @ frame[:, :3].T + frame[:, 3]
            differences = (flying[:, None] - others).reshape(-1, 3)
            assert found == pytest.approx(spatial.ConvexHull(differences).equations[:, 3].max(), abs=1e-9)
        apart, deep = apart + (found > 0), deep + (found < 0)
    assert apart > 10 and deep > 10


def test_missing_and_wrong_files_are_named_where_contacts_are_asked_for(tmp_path: Path) -> None:
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(robot_text("meshes/none.stl"))
    model = tandem.load(urdf)
    assert model.warnings == [] and model.nv == 6
    tandem.forward_dynamics(model, tandem.neutral_configuration(model), np.zeros(6), np.zeros(6))
    assert str(tmp_path / "meshes" / "none.stl") in model.shape("mesh").unread
    model = tandem.describe(model).shape("floor", "plane", "world").build()
    with pytest.raises(tandem.Error, match="meshes/none.stl"):
        tandem.ContactSet(model)
    assert tandem.ContactSet(model, leave_out=True).n_slots == 0
    (tmp_path / "a.stl").write_bytes(b"garbage")
    assert "it has 7 bytes" in tandem.read_urdf(robot_text("a.stl"), name=str(urdf)).build().shape("mesh").unread
    off = tandem.Model.from_urdf_string(robot_text("a.stl"), name=str(urdf), meshes=False)
    assert "not to be read" in off.shape("mesh").unread
    with pytest.raises(tandem.Error, match="expected a list of folders"):
        tandem.load(urdf, packages="folder")
    for name, why in (("a.glb", ".glb is not read"), ("none.stl", "is no file"), ("none.dae", "no file")):
        if name == "a.glb":
            (tmp_path / name).write_bytes(b"glTF")
        with pytest.raises(tandem.Error, match=why):
            tandem.meshes.read_mesh(tmp_path / name)


def test_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = cloud()
    (tmp_path / "ws" / "parts" / "meshes").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    write_stl(tmp_path / "ws" / "parts" / "meshes" / "a.stl", points, faces_of(points))
    urdf = tmp_path / "elsewhere" / "robot.urdf"
    urdf.write_text(robot_text("package://parts/meshes/a.stl"))
    assert "packages = [folder]" in tandem.load(urdf).shape("mesh").unread
    n = len(spatial.ConvexHull(points).vertices)
    for packages in ([tmp_path / "ws"], [str(tmp_path / "ws" / "parts")]):
        assert len(tandem.load(urdf, packages=packages).shape("mesh").vertices) == n
        assert len(tandem.describe(urdf, packages=packages).build().shape("mesh").vertices) == n
        text = urdf.read_text()
        assert len(tandem.read_urdf(text, packages=packages).build().shape("mesh").vertices) == n
        assert len(tandem.Model.from_urdf_string(text, packages=packages).shape("mesh").vertices) == n
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'ws'}")
    assert len(tandem.load(urdf).shape("mesh").vertices) == n


def test_meshes_survive_pickles_edits_and_files(tmp_path: Path) -> None:
    points = cloud()
    write_stl(tmp_path / "a.stl", points, faces_of(points))
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(robot_text("a.stl"))
    model = tandem.load(urdf)
    missing = tandem.Model.from_urdf_string(robot_text("b.stl"), name=str(urdf))
    corners, state, lost = model.shape("mesh").vertices, pickle.dumps(model), pickle.dumps(missing)
    write_stl(tmp_path / "b.stl", points, faces_of(points))
    (tmp_path / "a.stl").unlink()
    np.testing.assert_array_equal(pickle.loads(state).shape("mesh").vertices, corners)
    assert pickle.loads(pickle.dumps(pickle.loads(state))).shape("mesh").unread == ""
    assert pickle.loads(lost).shape("mesh").unread == missing.shape("mesh").unread
    larger = tandem.describe(model).scale(length=2).build()
    np.testing.assert_allclose(larger.shape("mesh").vertices, 2 * corners, rtol=1e-15)
    again = tandem.read_mjcf(tandem.describe(model).write_mjcf()).build()
    np.testing.assert_allclose(sorted_rows(again.shape("mesh").vertices @ again.shape("mesh").placement[:, :3].T
                                           + again.shape("mesh").placement[:, 3]),
                               sorted_rows(corners @ model.shape("mesh").placement[:, :3].T
                                           + model.shape("mesh").placement[:, 3]), atol=1e-7)
    assert "not written: 1 shapes" in tandem.describe(model).write_urdf()


def test_collada_files_are_read_by_trimesh_in_metres(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    path = tmp_path / "box.dae"
    data = trimesh.exchange.dae.export_collada(trimesh.creation.box((200, 400, 600)))
    data = re.sub(rb"<unit[^>]*/>", b"", data)
    path.write_bytes(re.sub(rb"</asset>", b"<unit name='millimeter' meter='0.001'/></asset>", data))
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(robot_text("box.dae"))
    corners = tandem.load(urdf).shape("mesh").vertices
    np.testing.assert_allclose(np.ptp(corners, axis=0), [0.2, 0.4, 0.6])
    assert len(corners) == 8

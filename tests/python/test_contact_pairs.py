# SPDX-License-Identifier: Apache-2.0
"""Shapes and pairs that can touch: those of MuJoCo with the same parameters, in files, edits and copies."""

from __future__ import annotations

import copy
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mujoco_support import mujoco

import tandem

CORNERS = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.14, 0.14) for z in (-0.19, 0.19)])


def numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


def robots_with_shapes() -> list[Path]:
    models = os.environ.get("TANDEM_MODELS")
    return sorted(Path(models, "mjcf").glob("*/*.xml")) if models else []


def theirs_of(path: Path) -> Any:
    """A file without the meshes that are not there, or None."""
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        for geom_ in list(spec.geoms):
            if geom_.meshname or geom_.hfieldname:
                spec.delete(geom_)
        for part in [*spec.meshes, *spec.skins, *spec.hfields]:
            spec.delete(part)
        for material in spec.materials:
            material.textures = [""] * len(material.textures)
        for texture in list(spec.textures):
            spec.delete(texture)
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6  # bodies that had theirs from meshes
        return spec.compile()
    except Exception:  # files with what is not there
        return None


def expected_pairs(m: Any) -> dict[frozenset[int], int]:
    """Pairs that a loop over all of them lets through, by MuJoCo's documentation."""
    if m.opt.disableflags & (int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)):
        return {}
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in m.exclude_signature}
    weld, found = m.body_weldid, {}
    for k in range(m.npair):
        found[frozenset((int(m.pair_geom1[k]), int(m.pair_geom2[k])))] = k
    for a in range(m.ngeom):
        for b in range(a + 1, m.ngeom):
            bits = (m.geom_contype[a] & m.geom_conaffinity[b]) | (m.geom_contype[b] & m.geom_conaffinity[a])
            one, other = int(m.geom_bodyid[a]), int(m.geom_bodyid[b])
            w, x = weld[one], weld[other]
            if not bits or w == x or (one, other) in excluded or (other, one) in excluded:
                continue
            parents = weld[m.body_parentid[w]], weld[m.body_parentid[x]]
            flag = int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
            if not m.opt.disableflags & flag and w and x and (w == parents[1] or x == parents[0]):
                continue
            if max(m.geom_type[a], m.geom_type[b]) <= 1:
                continue
            found.setdefault(frozenset((a, b)), -1)
    return found


@pytest.mark.parametrize("path", robots_with_shapes(), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_pairs_of_robots_are_those_of_mujoco(path: Path) -> None:
    theirs = theirs_of(path)
    if theirs is None or theirs.ngeom > 200 or theirs.nmocap:
        pytest.skip("not read, large, or with bodies moved from outside")
    model = tandem.from_mujoco(theirs)
    expected = expected_pairs(theirs)
    chosen = tandem.ContactSet(model, leave_out=True)
    touching = [g for g in range(theirs.ngeom) if theirs.geom_contype[g] or theirs.geom_conaffinity[g]
                or g in pairs_of(theirs)]
    index = {shape.name: g for shape, g in zip(model.shapes, touching, strict=True)}  # in the same order
    mine = {frozenset((index[p.shape_1], index[p.shape_2])) for p in chosen.pairs}
    assert mine <= set(expected)
    served = {tuple(sorted((model.shape(p.shape_1).type, model.shape(p.shape_2).type))) for p in chosen.pairs}
    kinds = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
    for pair in set(expected) - mine:  # none is missing of a kind that is served, and there is a problem
        types = tuple(sorted(kinds[int(theirs.geom_type[g])] for g in pair))
        assert types not in served and chosen.problems
    if expected and not chosen.problems:
        assert mine == set(expected)


def pairs_of(m: Any) -> set[int]:
    return {int(g) for g in (*m.pair_geom1, *m.pair_geom2)}


def test_parameters_of_pairs_are_those_of_mujoco() -> None:
    rng = np.random.default_rng(5)
    for _ in range(75):
        parameters = []
        for _ in range(2):
            ref = [rng.choice([0.02, 0.05]),
                   rng.choice([1, 0.5])] if rng.random() < 0.7 else [-100 * rng.random() - 1, -5]
            parameters.append(
                f'margin="{rng.uniform(0, 0.1)}" gap="{rng.uniform(0, 0.05)}" solmix="{rng.choice([0, 1, 2.5])}" '
                f'condim="{rng.choice([1, 3, 4, 6])}" priority="{rng.choice([0, 0, 1])}" solref="{numbers(ref)}" '
                f'friction="{numbers(rng.uniform(0, 1, 3) * rng.integers(0, 2, 3))}" '
                f'solimp="{numbers([rng.uniform(0.5, 0.9), rng.uniform(0.5, 0.95)])} '
                f'{numbers([0.001 + 0.01 * rng.random(), 0.4, 3])}"'
            )
        explicit = rng.random() < 0.3
        of_pair = parameters[0].split("solmix")[0]
        pair = f'<contact><pair geom1="b" geom2="a" {of_pair} condim="4"/></contact>' * explicit
        text = f"""<mujoco><option cone="elliptic" impratio="3"/><worldbody>
          <geom name="a" type="plane" size="0 0 1" {parameters[0]}/>
          <body><freejoint/><geom name="b" size="0.1" {parameters[1]}/></body></worldbody>{pair}</mujoco>"""
        theirs = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(theirs)
        mujoco.mj_forward(theirs, data)
        (contact,) = data.contact
        model = tandem.from_mujoco(theirs)
        (mine,) = tandem.ContactSet(model).pairs
        assert (mine.condim, mine.margin) == (contact.dim, pytest.approx(contact.includemargin, abs=1e-15))
        np.testing.assert_allclose(mine.friction, contact.friction, rtol=1e-15)
        np.testing.assert_allclose(mine.solref, contact.solref, rtol=1e-14)
        np.testing.assert_allclose(mine.solimp, contact.solimp, rtol=1e-14)
        np.testing.assert_allclose(mine.solreffriction, contact.solreffriction)
        assert model.contact_settings["cone"] == "elliptic" and model.contact_settings["impratio"] == 3


STL = "solid s\n" + "".join(
    "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in face) + "endloop\nendfacet\n"
    for face in (
        [(0, 0, 0), (0, 1, 0), (1, 0, 0)],
        [(0, 0, 0), (1, 0, 0), (0, 0, 1)],
        [(0, 0, 0), (0, 0, 1), (0, 1, 0)],
        [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    )
) + "endsolid s\n"


class TestMeshes:
    TEXT = """<mujoco><asset><mesh name="a" file="a.stl"/><mesh name="b" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
      <geom type="plane" size="0 0 1"/>
      <body name="one"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom name="a" type="mesh" mesh="a"/><geom name="drawn" type="mesh" mesh="a" contype="0" conaffinity="0"/></body>
      <body name="two"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom name="b" type="mesh" mesh="b"/></body>
    </worldbody></mujoco>"""

    def test_files_that_are_there_are_read(self, tmp_path: Path) -> None:
        faces = [line.split()[1:] for line in STL.splitlines() if line.startswith("vertex")]
        with (tmp_path / "a.stl").open("wb") as file:  # MuJoCo reads binary ones
            file.write(bytes(80) + struct.pack("<I", 4))
            for k in range(4):
                file.write(struct.pack("<12fH", 0, 0, 0, *(float(x) for v in faces[3 * k : 3 * k + 3] for x in v), 0))
        (tmp_path / "m.xml").write_text(self.TEXT)
        model = tandem.load(tmp_path / "m.xml")
        assert [len(model.shape(name).vertices) for name in "ab"] == [4, 4]
        assert [shape.name for shape in model.shapes] == ["geom0", "a", "b"]
        assert model.contact_problems(self_contact=False) == []
        again = pickle.loads(pickle.dumps(model))
        assert (again.shape("a").vertices == model.shape("a").vertices).all()

    def test_files_that_are_missing_are_problems_of_contacts_alone(self, tmp_path: Path) -> None:
        (tmp_path / "m.xml").write_text(self.TEXT)
        model = tandem.load(tmp_path / "m.xml")
        assert len(model.warnings) == 1  # that shapes do not push
        assert "a.stl" in model.shape("a").unread and model.mass == 2
        assert model.shape("geom0").unread == ""
        (problem,) = model.contact_problems(self_contact=False)
        assert problem.startswith("shapes whose form is not known") and '"a"' in problem and '"b"' in problem
        with pytest.raises(tandem.Error, match="contacts of robot .* are not complete"):
            tandem.contacts(model, tandem.neutral_configuration(model))
        chosen = tandem.ContactSet(model, leave_out=True)
        assert chosen.n_slots == 0 and chosen.problems

    def test_height_fields_are_named(self) -> None:
        text = """<mujoco><asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
          <geom name="h" type="hfield" hfield="hills"/><body><freejoint/><geom size="1"/></body></worldbody></mujoco>"""
        model = tandem.read_mjcf(text).build()
        assert model.shape("h").unread == 'the height field "hills" is not read'


class TestDescriptions:
    def robot(self) -> tandem.ModelBuilder:
        robot = tandem.ModelBuilder("leg").link("world").link("shank", 1, inertia=(1, 0, 0, 1, 0, 1))
        robot.joint("hip", "continuous", "world", "shank").shape("floor", "plane", "world", friction=(0.8, 0, 0))
        robot.shape("ball", "sphere", "shank", size=0.1, position=(0, 0, -1), rpy=(0.1, 0, 0), condim=6, margin=0.01)
        robot.shape("hull", "mesh", "shank", vertices=CORNERS)
        robot.contact_settings(cone="pyramidal", impratio=2, timestep=0.004).contact_exclude("world", "shank")
        return robot.contact_pair("p", "ball", "floor", friction=(1, 2, 3, 4, 5))

    @pytest.mark.parametrize("how",
                             [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), tandem.describe])
    def test_copies_have_the_same_shapes(self, how: Any) -> None:
        model = self.robot().build()
        again = how(model)
        again = again.build() if isinstance(again, tandem.ModelBuilder) else again
        assert [s.name for s in again.shapes] == ["floor", "ball", "hull"]
        for one, other in zip(model.shapes, again.shapes, strict=True):
            for key in ("type", "link", "condim", "friction", "solref", "solimp", "margin", "gap", "unread"):
                assert getattr(one, key) == getattr(other, key), key
            assert (one.vertices == other.vertices).all() and (one.size == other.size).all()
            np.testing.assert_allclose(one.placement, other.placement, atol=1e-15)
        assert again.contact_settings == model.contact_settings
        (pair,) = tandem.ContactSet(again).pairs
        assert (pair.name, pair.friction, pair.shape_1) == ("p", (1, 2, 3, 4, 5), "floor")
        assert repr(pair) == '<tandem.ContactPair "floor" with "ball": 1 slot>'

    def test_builders_are_edited(self) -> None:
        robot = self.robot()
        described = robot.get_shape("ball")
        assert described["size"] == (0.1,) and described["condim"] == 6
        robot.change_shape("ball", size=0.2, rename="sole", friction=(0.5, 0, 0), position=(0, 0, -2))
        assert robot.get_shape("sole")["position"] == (0, 0, -2)
        robot.remove_contact_exclude("world", "shank").remove_contact_pair("p").remove_shape("hull")
        assert (robot.shape_names, robot.contact_pair_names) == (["floor", "sole"], [])
        (pair,) = tandem.ContactSet(robot.build()).pairs
        assert (pair.link_1, pair.link_2, pair.friction[0]) == ("world", "shank", 0.8)
        with pytest.raises(tandem.Error, match="expected 2 numbers of a capsule"):
            robot.shape("x", "capsule", "shank", size=1)
        with pytest.raises(tandem.Error, match='shape type "blob"|blob'):
            robot.shape("x", "blob", "shank")
        with pytest.raises(tandem.Error, match="change_shape has no argument mass"):
            robot.change_shape("sole", mass=1)
        with pytest.raises(tandem.Error, match='did you mean "sole"'):
            robot.build().shape("sol")

    def test_slots(self) -> None:
        chosen = tandem.ContactSet(self.robot().remove_contact_exclude("world", "shank").build())
        assert chosen.slot_pairs.tolist() == [0, 1, 1, 1, 1] and chosen.n_slots == 5
        assert [pair.first_slot for pair in chosen.pairs] == [0, 1]
        again = pickle.loads(pickle.dumps(chosen))
        assert again.n_slots == 5
        with pytest.raises(tandem.Error, match=r"q has shape \(2,\), expected \(..., 1\)"):
            tandem.contacts(chosen, [0, 0])

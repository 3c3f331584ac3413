# SPDX-License-Identifier: Apache-2.0
"""Scenes of solid robots: what links look like, what a camera sees, films."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from support import robot

import tandem

pytest.importorskip("PIL")
scene = pytest.importorskip("tandem.scene")

from tandem._view.bodies import Capsules, Figure, Solids, uniform_body  # noqa: E402
from tandem._view.raycast import Camera, look  # noqa: E402


def turned(moments: np.ndarray, seed: int) -> np.ndarray:
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return axes @ np.diag(moments) @ axes.T


def test_a_body_has_the_inertia_that_it_is_made_from():
    mass = 2.5
    x, y, z = 0.1, 0.2, 0.35  # half lengths
    box = mass / 3 * np.array([y**2 + z**2, x**2 + z**2, x**2 + y**2])
    round_, half, axes = uniform_body(mass, turned(box, 1))
    assert not round_
    np.testing.assert_allclose(sorted(half), [x, y, z], rtol=1e-9)
    np.testing.assert_allclose(axes @ np.diag(sorted(box)) @ axes.T, turned(box, 1), atol=1e-12)
    for radius, length in ((0.05, 0.3), (0.3, 0.05)):
        across = mass * (3 * radius**2 + length**2) / 12
        cylinder = turned(np.array([across, across, mass * radius**2 / 2]), 2)
        round_, half, axes = uniform_body(mass, cylinder)
        assert round_
        np.testing.assert_allclose(half, [radius, radius, length / 2], rtol=1e-9)
        np.testing.assert_allclose(axes[:, 2] @ cylinder @ axes[:, 2], mass * radius**2 / 2, rtol=1e-9)
    round_, half, _ = uniform_body(mass, np.eye(3) * 0.4 * mass * 0.2**2)
    assert round_
    np.testing.assert_allclose(half, 0.2, rtol=1e-9)
    assert uniform_body(mass, np.zeros((3, 3))) is None and uniform_body(0.0, np.eye(3)) is None


def test_the_arm_is_drawn_as_the_cylinders_that_it_was_made_of():
    arm = robot("arm7")
    solids = Figure(arm).solids(tandem.neutral_configuration(arm)[None])
    assert solids.round.all() and len(solids.half) == 7
    np.testing.assert_allclose(solids.half[0], [0.075, 0.075, 0.105], rtol=1e-3)
    np.testing.assert_allclose(solids.centre[0, 0], [0, 0, 0.265], atol=1e-6)


def camera(**more: bool) -> Camera:
    """Looks along x from 5 m before the origin; 101 x 101 pixels."""
    return Camera(np.array([-5.0, 0, 0]), np.array([0.0, -1, 0]), np.array([0.0, 0, 1]), np.array([1.0, 0, 0]),
                  200.0, (101, 101), **more)  # fmt: skip


def none(kind: type) -> Capsules | Solids:
    if kind is Capsules:
        return Capsules(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))
    return Solids(np.zeros(0, bool), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))


@pytest.mark.parametrize("parallel", [False, True])
def test_rays_meet_shapes_where_geometry_says(parallel):
    middle = 50 * 101 + 50
    ball = Capsules(np.array([0.3]), np.zeros((1, 3)), np.zeros((1, 3)))
    post = Capsules(np.array([0.2]), np.array([[0, 0, -1.0]]), np.array([[0, 0, 1.0]]))
    half = np.array([[0.25, 0.4, 0.5]])
    turn = np.eye(3)[None]
    box = Solids(np.array([False]), half, np.array([0.05]), np.zeros((1, 3)), turn)
    can = Solids(np.array([True]), np.array([[0.35, 0.35, 0.5]]), np.array([0.1]), np.zeros((1, 3)), turn)
    for capsules, solids, depth in (
        (ball, none(Solids), 0.3),
        (post, none(Solids), 0.2),
        (none(Capsules), box, 0.25),
        (none(Capsules), can, 0.35),
        (ball, box, 0.3),
        (post, box, 0.25),
    ):
        hits = look(camera(parallel=parallel), capsules, solids)
        (seen,) = np.flatnonzero(hits.pixel == middle)
        assert hits.along[seen] == pytest.approx(5 - depth, abs=2e-3)
        np.testing.assert_allclose(hits.normal[seen], [-1, 0, 0], atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(hits.normal, axis=1), 1, atol=1e-6)
        assert len(np.unique(hits.pixel)) == len(hits.pixel)
    hits = look(camera(parallel=True), ball, none(Solids))  # 200 pixels a metre, but only 101 of them
    np.testing.assert_allclose(np.linalg.norm(hits.point, axis=1), 0.3, atol=1e-9)
    small = Capsules(np.array([0.1]), np.zeros((1, 3)), np.zeros((1, 3)))
    assert len(look(camera(parallel=True), small, none(Solids)).pixel) == pytest.approx(np.pi * 20**2, rel=0.02)


def wave(arm: tandem.Model, pictures: int) -> np.ndarray:
    return np.sin(np.linspace(0, 2, pictures))[:, None] * np.ones(arm.nq)


@pytest.mark.parametrize("ending", ["webp", "gif"])
def test_a_film_moves_and_its_robot_has_a_shadow(tmp_path, ending):
    from PIL import Image

    arm = robot("arm7")
    stage = scene.Scene(size=(96, 64))
    stage.add(arm, wave(arm, 5), trace="tool0", tail=3)
    seen = []
    stage.save(tmp_path / f"f.{ending}", fps=10, progress=lambda done, total: seen.append((done, total)))
    film = Image.open(tmp_path / f"f.{ending}")
    assert film.size == (96, 64) and film.n_frames == 5 and seen[-1] == (5, 5)
    pictures = []
    for k in (0, 4):
        film.seek(k)
        pictures.append(np.asarray(film.convert("RGB"), int))
    moved = np.abs(pictures[0] - pictures[1]).sum(axis=2) > 60
    assert 50 < moved.sum() < moved.size / 3
    first = next(stage.pictures()).astype(int)
    grey = np.ptp(first, axis=2) < 12
    assert ((first.max(axis=2) < 215) & (first.min(axis=2) > 130) & grey).sum() > 20  # shadow
    assert np.abs(first - pictures[0]).mean() < 8


def test_ropes_are_bones_alone_and_floors_may_be_missing(tmp_path):
    rope = robot("rope:300")
    q = tandem.neutral_configuration(rope)[None]
    assert len(Figure(rope, radius=0.3).bones(q).radius) < 160
    stage = scene.Scene(size=(64, 64), ground=None, background="black")
    stage.add(rope, q, radius=0.3, colour=["red", "blue"])
    picture = next(stage.pictures())
    rows, columns = np.nonzero(picture.any(axis=2))
    assert rows.min() < 8 and rows.max() > 56 and np.ptp(columns) < 10  # the whole picture high
    middle = int(np.median(columns))
    assert picture[10, middle, 0] > picture[10, middle, 2] and picture[54, middle, 0] < picture[54, middle, 2]


def test_robots_without_extent_or_inertia_are_drawn():
    builder = tandem.ModelBuilder("table").link("a").link("b").link("c")
    builder.joint("slide", "planar", "a", "b").joint("turn", "continuous", "b", "c")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = builder.build()
    stage = scene.Scene(size=(64, 64), ground=None, background="black")
    stage.add(table, np.zeros((1, 4)))
    assert next(stage.pictures()).any()


def test_bad_scenes_are_named(tmp_path):
    arm = robot("arm7")
    for options, told in (
        ({"size": (8, 8)}, "size is 8x8"),
        ({"zoom": 0}, "zoom is 0"),
        ({"background": "no"}, "colour is 'no'"),
    ):
        with pytest.raises(tandem.Error, match=told):
            stage = scene.Scene(**options)
            stage.add(arm, wave(arm, 1))
            next(stage.pictures())
    stage = scene.Scene()
    with pytest.raises(tandem.Error, match="no robot"):
        next(stage.pictures())
    still = tandem.ModelBuilder("still").link("a").build()
    with pytest.raises(tandem.Error, match="still has no moving link with an extent"):
        stage.add(still, np.zeros((1, 0)))
    stage.add(arm, wave(arm, 2))
    for q, options, told in (
        (wave(arm, 3), {}, "earlier robots have 2"),
        (wave(arm, 2)[:, :6], {}, r"expected \(pictures, 7\)"),
        (np.full((2, 7), np.inf), {}, "finite"),
        (wave(arm, 2), {"radius": -1}, "radius is -1"),
        (wave(arm, 2), {"trace": "nose"}, "nose"),
        (wave(arm, 2), {"trace": "tool0", "tail": 0}, "tail is 0"),
    ):
        with pytest.raises(tandem.Error, match=told):
            stage.add(arm, q, **options)
    for path, options, told in (
        ("a.mp4", {}, "expected a video"), ("none/a.gif", {}, "no such folder"), ("a.gif", {"fps": 0}, "fps is 0"),
    ):  # fmt: skip
        with pytest.raises(tandem.Error, match=told):
            stage.save(tmp_path / path, **options)

# SPDX-License-Identifier: Apache-2.0
"""Pictures and films, and the lines that stand for robots in them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import robot

import tandem
from tandem._view.skeleton import Skeleton

film = pytest.importorskip("tandem.film")
pytest.importorskip("matplotlib")


def swing(model: tandem.Model, duration: float = 0.1) -> tandem.Trajectory:
    simulation = tandem.Simulation(model, dt=1e-3)
    simulation.v = np.linspace(-1, 1, model.nv) * (model.nv < 100)
    return simulation.run(duration, every=10)


def rod(mass: float = 2.0, length: float = 0.6, spread: float = 1.0) -> tandem.Model:
    builder = tandem.ModelBuilder("rod").link("base")
    moment = spread * mass * length**2 / 12
    builder.link("rod", mass, com=(0, 0, -length / 2), inertia=np.diag([moment, moment, 0]))
    return builder.joint("hinge", "continuous", "base", "rod", axis=(0, 1, 0), position=(0, 0, 1)).build()


def test_a_rod_is_drawn_to_its_end_and_a_point_mass_to_its_centre():
    q = np.array([[0.0], [np.pi / 2]])
    for model, end in ((rod(), 0.6), (rod(spread=0), 0.3)):
        lines = Skeleton(model)
        x = lines.positions(model, q)
        (tip,) = lines.tips
        np.testing.assert_allclose(x[0, tip], [0, 0, 1 - end], atol=1e-6)
        np.testing.assert_allclose(x[1, tip], [-end, 0, 1], atol=1e-6)
        drawn = [list(path) for path in lines.paths]
        assert sorted(map(len, drawn)) == [2, 2]


@pytest.mark.parametrize(
    "name, floating", [("arm7", False), ("humanoid", False), ("tree:60", False), ("snake:9", False)]
)
def test_every_link_hangs_on_a_line_unless_it_floats(name, floating):
    model = robot(name, floating)
    lines = Skeleton(model)
    ends = {
        (int(lines.frames[a]), int(lines.frames[b]))
        for path in lines.paths
        for a, b in itertools.pairwise(path)
    }
    for joint in model.joints:
        wanted = (int(model.parents[joint.index]), joint.index)
        assert (wanted in ends) == (joint.type not in ("free", "planar")), joint
    q = tandem.random_configuration(model, seed=3, batch=4)
    x = lines.positions(model, q)
    pose = tandem.forward_kinematics(model, q)
    own = np.flatnonzero(~lines.offsets.any(axis=1))
    np.testing.assert_allclose(x[:, own], pose[..., 3][:, lines.frames[own]], atol=1e-5)


def test_long_chains_are_thinned_and_keep_their_ends():
    model = robot("rope:50000")
    lines = Skeleton(model)
    (path, tip) = lines.paths
    assert 10_000 < len(path) < 20_000 and lines.frames[path[0]] == 0 and lines.frames[path[-1]] == 50_000
    x = lines.positions(model, tandem.neutral_configuration(model)[None])
    np.testing.assert_allclose(x[0, lines.tips[0]], [0, 0, -5000], rtol=1e-6)
    assert tip[-1] == lines.tips[0]


@pytest.mark.parametrize("name", ["arm7", "humanoid", "rope:300", "tree:20"])
@pytest.mark.parametrize("view", ["auto", "xz", "3d"])
def test_pictures(name, view, tmp_path):
    model = robot(name)
    film.render(model, swing(model), tmp_path / "a.png", view=view, size=(480, 270))
    from PIL import Image

    picture = Image.open(tmp_path / "a.png")
    assert picture.size == (480, 270)
    assert len(picture.convert("RGB").getcolors(1 << 20)) > 100


def test_motions_near_a_plane_are_drawn_in_it():
    from tandem._view.axes import View

    model = rod()
    low, high = np.array([-1, -0.01, 0]), np.array([1, 0.01, 2.0])
    assert View(model, low, high, "auto").across == (0, 2)
    assert not View(model, low, high, "3d").flat
    assert not View(model, low, np.array([1, 1, 2.0]), "auto").flat
    assert View(model, low, np.array([1, 1, 2.0]), "xy").across == (0, 1)
    sideways = model.with_gravity((9.81, 0, 0))  # x points down
    view = View(sideways, low, high, "auto")
    assert view.across == (2, 0) and view.sign == -1
    assert View(model.with_gravity((0, 0, 0)), low, high, "auto").across == (0, 2)


def test_a_film_moves(tmp_path):
    from PIL import Image

    model = robot("rope:20")
    simulation = tandem.Simulation(model)
    simulation.q[:4] = [0, np.sqrt(0.5), 0, np.sqrt(0.5)]
    seen = []
    film.render(model, simulation.run(0.5, every=10), tmp_path / "f.gif", fps=10, duration=1, size=(320, 180),
                title="falls", progress=lambda done, total: seen.append((done, total)))  # fmt: skip
    moving = Image.open(tmp_path / "f.gif")
    assert moving.n_frames == 11 and seen[-1] == (11, 11)
    pictures = []
    for k in (0, 10):
        moving.seek(k)
        pictures.append(np.asarray(moving.convert("RGB"), int))
    changed = np.abs(pictures[0] - pictures[1]).sum(axis=2) > 60
    assert 100 < changed.sum() < changed.size / 4


def test_bad_films_are_named(tmp_path):
    model = rod()
    states = swing(model)
    for path, options, told in (
        ("a.txt", {}, "expected a picture"),
        ("a.png", {"view": "up"}, "view is 'up'"),
        ("a.png", {"size": (10, 10)}, "size is 10x10"),
        ("a.gif", {"fps": 0}, "fps is 0"),
        ("none/a.png", {}, "no such folder"),
    ):
        with pytest.raises(tandem.Error, match=told):
            film.render(model, states, tmp_path / path, **options)
    states.q[2] = np.nan
    with pytest.raises(tandem.Error, match="not finite"):
        film.render(model, states, tmp_path / "a.png")

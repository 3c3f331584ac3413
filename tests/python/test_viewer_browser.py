# SPDX-License-Identifier: Apache-2.0
"""What a browser shows of the viewer, and what happens when someone moves a slider there."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pytest
from support import robot
from view_support import MESH, SHAPES, swing, viewer, wait_for  # noqa: F401


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser is tried")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no chromium: no browser is tried")
    with api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
        chromium = playwright.chromium.launch(executable_path=found, args=flags)
        yield chromium
        chromium.close()


def opened(browser, shown):
    page = browser.new_page(viewport={"width": 900, "height": 640})
    page.goto(shown.url)
    wait_for(lambda: shown.clients == 1, 60)
    return page


def coloured(picture, colour, within=0.35):
    """Where pixels are of about that hue, as brightly coloured as that."""
    picture, colour = picture.astype(float), np.array(colour, float)
    pure, wanted = picture - picture.min(axis=2, keepdims=True), colour - colour.min()
    size = np.linalg.norm(pure, axis=2)
    near = (pure @ wanted) / np.maximum(size * np.linalg.norm(wanted), 1e-9)
    return (near > 1 - within / 10) & (size > 40)


def drawn(shown, colour, least):
    """A picture in which there is that much of a colour: what is new fades in."""
    for _ in range(40):
        picture = shown.picture(640, 480)
        if coloured(picture, colour).sum() >= least:
            return picture
        time.sleep(0.25)
    raise AssertionError(f"{coloured(picture, colour).sum()} pixels are of the colour {colour}, expected {least}")


def test_a_browser_shows_the_arm_and_its_sliders_move_it(viewer, browser):
    arm, orange = robot("arm7"), (242, 128, 26)
    shown = viewer(arm)
    page = opened(browser, shown)
    before = drawn(shown, orange, 300)
    rows, columns = np.nonzero(coloured(before, orange))
    assert np.ptp(rows) > 2 * np.ptp(columns)  # it stands upright
    slider = page.get_by_role("slider").nth(3)
    labels = page.get_by_text("joint2", exact=True)
    labels.first.wait_for()
    slider.scroll_into_view_if_needed()
    slider.focus()
    for _ in range(60):
        slider.press("ArrowRight")
    wait_for(lambda: np.count_nonzero(shown.q) == 1 and shown.q.max() > 0.1)
    assert page.get_by_text("24.2 kg").count() == 1
    shown.q = [0, 1.5, 0, 0, 0, 0, 0]
    rows, columns = np.nonzero(coloured(drawn(shown, orange, 300), orange))
    assert np.ptp(columns) > 0.5 * np.ptp(rows)  # it leans
    page.close()


def test_a_browser_plays_a_motion(viewer, browser):
    arm, states = swing(batch=4)
    shown = viewer(arm, trajectory=states)
    page = opened(browser, shown)
    drawn(shown, (242, 128, 26), 300)
    page.get_by_role("button", name="Play").click()
    wait_for(lambda: shown.time > 0.1)
    page.get_by_role("button", name="Pause").click()
    wait_for(lambda: not shown._player.playing)
    assert page.locator(".u-wrap").count() == 1  # the energies
    page.close()


def test_a_browser_shows_a_mesh(viewer, browser, tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "here.obj").write_text(MESH)
    path = tmp_path / "shapes.urdf"
    path.write_text(SHAPES.replace("MESH", "here.obj"))
    shown = viewer(path)
    page = opened(browser, shown)
    drawn(shown, (255, 0, 0), 2000)
    page.close()

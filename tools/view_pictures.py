#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of `tandem view` in a browser, docs/gallery/view*.webp, made anew.

    tools/view_pictures.py      with an interpreter that has tandem with viser, Playwright and Pillow; needs Chromium
"""
import io
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import tandem

GALLERY = Path(__file__).resolve().parent.parent / "docs/gallery"
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
FADING = 4000  # ms that a page takes to show all there is


def nine_arms():
    """Arms of different masses that fall."""
    arm = tandem.load("arm7")
    masses = arm.parameter("mass") * np.linspace(0.2, 2.5, 9)[:, None]
    many = tandem.Simulation(arm, batch=9, dt=2e-3, parameters={"mass": masses})
    many.q = [0, -0.6, 0, -0.9, 0, -0.6, 0]
    many.v[:, 0] = 2
    return tandem.view(arm, trajectory=many.run(2.0, every=5), block=False, open_browser=False), {"time": 0.55}


def humanoid():
    """The bodies that inertias describe, with axes of joints and centres of mass."""
    robot = tandem.load("humanoid")
    q = tandem.neutral_configuration(robot)
    q[2] = 0.92
    for name, angle in {"left_knee": 0.9, "left_hip_pitch": -0.8, "right_elbow": -1.2, "left_elbow": -0.6,
                        "right_shoulder_pitch": -0.7, "left_shoulder_roll": 0.5}.items():
        q[robot.joint(name).q_index] = angle
    viewer = tandem.view(robot, q, block=False, open_browser=False)
    for layer, visible in {"shapes": False, "bodies": True, "bones": True, "axes": True, "mass": True}.items():
        viewer.show(layer, visible)
    return viewer, {}


def main():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("there is no chromium: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        for name, make in {"view": nine_arms, "view_bodies": humanoid}.items():
            viewer, then = make()
            with viewer:
                page = browser.new_page(viewport={"width": 1200, "height": 750})
                page.goto(viewer.url)
                while not viewer.clients:
                    time.sleep(0.1)
                for attribute, value in then.items():
                    setattr(viewer, attribute, value)
                page.wait_for_timeout(FADING)
                page.locator(".mantine-Notification-closeButton").first.click()  # that WebGL is software's
                page.wait_for_timeout(FADING)
                Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(GALLERY / f"{name}.webp", quality=82,
                                                                              method=6)
                page.close()
            print(f"docs/gallery/{name}.webp, {(GALLERY / f'{name}.webp').stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()

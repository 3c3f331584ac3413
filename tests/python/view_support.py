# SPDX-License-Identifier: Apache-2.0
"""What the tests of the viewer share: a description with shapes, a motion, viewers that are closed in the end."""

from __future__ import annotations

import time

import pytest
from support import robot

import tandem

MESH = "o here\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SHAPES = """<robot name="shapes" xmlns:xacro="x">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><visual><geometry><box size="2 4 6"/></geometry><material name="red"/></visual></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.5" length="3"/></geometry></visual>
    <visual><geometry><mesh filename="MESH" scale="2 2 2"/></geometry></visual>
    <visual><geometry><sphere radius="0.25"/></geometry><material name="own"><color rgba="0 0.5 1 1"/></material></visual>
  </link>
  <link name="hand"><visual><geometry><capsule radius="0.1" length="1"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="fix" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="1 0 0"/></joint>
</robot>
"""


def swing(batch=None):
    arm = robot("arm7")
    simulation = tandem.Simulation(arm, batch=batch)
    simulation.q[..., 1] = 0.5
    return arm, simulation.run(0.4, every=20)


@pytest.fixture
def viewer():
    pytest.importorskip("viser")
    shown = []

    def show(*given, **more):
        shown.append(tandem.view(*given, block=False, open_browser=False, port=18080, **more))
        return shown[-1]

    yield show
    for each in shown:
        each.close()


def wait_for(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()

# SPDX-License-Identifier: Apache-2.0
"""Controls of MJCF actuators in simulations with contacts: what a user of MuJoCo commands means the same."""

from __future__ import annotations

import numpy as np
import pytest
from contact_support import WALKER, Twin
from mujoco_support import mujoco

import tandem

ACTUATORS = """<actuator>
  <motor name="motor" joint="right_hip" gear="3" ctrlrange="-1 1"/>
  <position name="position" joint="right_knee" kp="20" kv="1" ctrlrange="-1 0" forcerange="-4 4"/>
  <velocity name="velocity" joint="left_hip" kv="2" gear="0.5"/>
  <general name="general" joint="left_knee" gainprm="3 0.5 0.2" biastype="affine" biasprm="0.1 -2 -0.3" forcerange="-2 3"/>
</actuator>
</mujoco>"""


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_controls_mean_the_same_on_the_floor(integrator: str) -> None:
    """Euler: forces of every step from its state, as in MuJoCo; RK4: of a motor, whose force does not depend on the
    state."""
    text = WALKER.replace("</mujoco>", ACTUATORS)
    if integrator == "RK4":
        text = text.replace("<option ", '<option integrator="RK4" ')
        lines = text.splitlines()
        text = "\n".join(line for line in lines if not line.strip().startswith(("<position", "<velocity", "<general")))
    twin = Twin(text)
    assert len(twin.model.actuators) == twin.theirs.nu == (1 if integrator == "RK4" else 4)
    n = 3
    robots = tandem.VectorSimulation(
        twin.model,
        n,
        dt=twin.theirs.opt.timestep,
        integrator="rk4" if integrator == "RK4" else "semi_implicit_euler",
        contacts=twin.contacts,
        contact_options={"tolerance": 1e-8, "most_steps": 100},
    )
    q, v, _ = twin.random_states(n, 6, 0.0, turn=0.05)
    robots.reset(q=q, v=0.2 * v)
    random = np.random.default_rng(2)
    controls = 1.5 * random.normal(size=(150, n, twin.model.nu))  # beyond their ranges, too
    touched = 0
    for ctrl in controls:
        robots.step(tandem.actuator_forces(twin.model, robots.q, robots.v, ctrl))
        touched += int((robots.contact_forces[..., 0] > 0).sum())
    assert touched > 200
    for i in range(n):
        twin.set(q[i], 0.2 * v[i])
        for ctrl in controls[:, i]:
            twin.data.ctrl[:] = ctrl
            mujoco.mj_step(twin.theirs, twin.data)
        np.testing.assert_allclose(twin.bridge.q_to(robots.q[i]), twin.data.qpos, atol=1e-6)


@pytest.mark.parametrize("more, name", [
    ('<general name="lag" joint="left_hip" dyntype="filter" dynprm="0.1" actearly="true"/>', "lag"),
    ('<muscle name="biceps" joint="left_hip"/>', "biceps"),
])  # fmt: skip
def test_actuators_with_another_state_are_named(more: str, name: str) -> None:
    text = WALKER.replace("</mujoco>", f"<actuator>{more}</actuator></mujoco>")
    assert any(name in warning for warning in tandem.read_mjcf(text).build().warnings)

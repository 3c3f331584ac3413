# SPDX-License-Identifier: Apache-2.0
"""Models and simulations in pickles, copies and other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from support import argument, robot

import tandem
from tandem import _core

ROD = """<robot name="rod"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="rod"><inertial><mass value="2"/>
<inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.1"/></inertial></link>
<joint name="hinge" type="continuous"><origin rpy="0.1 0.2 0.3"/><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0.5"/></joint></robot>"""

COPIES = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "oldest pickle": lambda x: pickle.loads(pickle.dumps(x, protocol=2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def built() -> tandem.ModelBuilder:
    builder = tandem.ModelBuilder("bücher").gravity((0.5, -1, -9)).link("base")
    builder.link("a", 1.5, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.01, 0.02, 0.25, 0.03, 0.2))
    builder.joint("j", "helical", "base", "a", axis=(1, 2, 3), pitch=0.3, rpy=(0.1, 0.2, 0.3), damping=0.1, lower=-1,
                  upper=np.inf, stiffness=2, rest=0.1)  # fmt: skip
    builder.link("b", 1, inertia=(1, 0, 0, 0.1, 0, 0.1))  # which no rigid body has: a warning
    builder.joint("k", "helical", "a", "b", mimic="j", multiplier=-0.3, offset=0.7)
    return builder.frame("tool", "b", position=(1 / 3, 0, 0), quaternion=(0.1, 0.2, 0.3, 0.4))


def models(tmp_path) -> list[tandem.Model]:
    path = tmp_path / "rod.urdf"
    path.write_text(ROD)
    made = [
        robot("quadruped", True),
        tandem.load("tree:30", seed=7),
        tandem.Model.from_urdf_string(ROD, floating=True, name="memory.urdf"),
        tandem.read_urdf(ROD).build(),
        built().build(floating=True),
        tandem.load(path),
    ]
    path.unlink()  # a pickle needs no file
    still = made[0].with_gravity((1, 2, 3)).with_base_acceleration((1, 2, 3, 4, 5, 6))
    return [*made, still, tandem.Simulation(made[1]).model, tandem.Plan(made[0], "energy").model]


def assert_same(one: tandem.Model, other: tandem.Model) -> None:
    for name in ("name", "warnings", "gravity", "base_acceleration", "joint_names", "link_names", "frame_names"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("q_lower", "q_upper", "q_rest", "v_limit", "tau_limit", "damping", "parents"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    q, v, a = (argument(one, name, 3) for name in ("q", "v", "a"))
    for function in (tandem.inverse_dynamics, tandem.forward_dynamics):
        np.testing.assert_array_equal(function(one, q, v, a), function(other, q, v, a))
    np.testing.assert_array_equal(tandem.forward_kinematics(one, q), tandem.forward_kinematics(other, q))


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_a_model_have_its_bits(how, tmp_path):
    for model in models(tmp_path):
        again = COPIES[how](model)
        assert_same(model, again)
        assert_same(model, COPIES[how](again))
        assert (again is model) == ("copy" in how), "a model never changes: it is its own copy"
        joint = COPIES[how](model.joints[1])
        assert (joint.name, joint.index, joint.type) == (model.joint_names[1], 1, model.joints[1].type)


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_a_builder_are_its_own(how):
    for builder in (built(), tandem.generate("tree:30", seed=2), tandem.read_urdf(ROD)):
        again = COPIES[how](builder)
        assert repr(again) == repr(builder) and again.write_urdf() == builder.write_urdf()
        assert_same(again.build(), builder.build())
        again.link("one more")
        assert repr(again) != repr(builder)


def test_problems_come_along():
    builder = tandem.read_urdf("<robot name='x'><link name='a'/><joint name='j' type='wheel'/></robot>", name="x.urdf")
    errors = []
    for each in (builder, copy.copy(builder)):
        with pytest.raises(tandem.ModelError) as error:
            each.build()
        errors.append(error.value.problems)
    assert errors[0] == errors[1] and errors[0][0].file == "x.urdf"


def test_a_broken_pickle_is_refused():
    state = tandem.ModelBuilder("x").link("a").__getstate__()  # type: ignore[attr-defined]
    for broken in (b"", state[:-1], state + b"x", b"x" + state, state.replace(b"tion 10", b"tion 1")):
        with pytest.raises(tandem.Error, match="damaged or of another version"):
            tandem.ModelBuilder.__new__(tandem.ModelBuilder).__setstate__(broken)  # type: ignore[attr-defined]


def test_pickles_go_when_their_models_go():
    for _ in range(100):  # addresses are used again
        model = tandem.ModelBuilder("x").link("a").build()
        other = tandem.load("chain:3")
        assert pickle.loads(pickle.dumps(model)).name == "x" and pickle.loads(pickle.dumps(other)).n_links == 4


class Logged(tandem.Simulation):
    log: list[str]


def simulations() -> list[tandem.Simulation]:
    arm = robot("arm7")
    pd = tandem.PdController(np.full(7, 0.3), kp=100.0, kd=np.full(7, 5.0))
    made = [
        tandem.Simulation(arm),
        tandem.Simulation(arm, dt=2e-3, integrator="rk4", dtype=np.float32),
        tandem.Simulation(robot("quadruped", True), controller=None, method="composite_rigid_body"),
        Logged(arm, controller=pd),
        tandem.Simulation(arm, batch=3, parameters={"damping": np.arange(21.0).reshape(3, 7) / 10}),
    ]
    made[3].log = ["begun"]  # type: ignore[attr-defined]
    for k, simulation in enumerate(made):
        simulation.q = tandem.random_configuration(simulation.model, seed=k)
        simulation.v[:] = 5.0  # some come to their stops
        simulation.run(0.2)
        simulation.time = 3.0
    return made


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_simulation_goes_its_own_way(how):
    for simulation in simulations():
        q, v, time = simulation.q.copy(), simulation.v.copy(), simulation.time
        again = COPIES[how](simulation)
        assert type(again) is type(simulation) and (again.dt, again.time) == (simulation.dt, time)
        np.testing.assert_array_equal(again.dissipated, simulation.dissipated)
        np.testing.assert_array_equal(again.work, simulation.work)
        np.testing.assert_array_equal(again.at_limit, simulation.at_limit)
        tau = np.full(again.model.nv, 0.5)
        states = again.run(0.03, tau=tau)
        np.testing.assert_array_equal(simulation.q, q)
        np.testing.assert_array_equal(simulation.v, v)
        assert simulation.time == time < again.time
        expected = simulation.run(0.03, tau=tau)
        for ours, theirs in zip(states, expected):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(again.dissipated, states.dissipated[-1])
        np.testing.assert_array_equal(again.work, states.work[-1])
        assert again.parameters.keys() == simulation.parameters.keys()
        again.reset()
        np.testing.assert_array_equal(again.v, np.full_like(again.v, 5.0))
        assert again.time == 0 < simulation.time
        if isinstance(simulation, Logged):
            assert again.log == ["begun"] and (again.log is simulation.log) == (how == "copy")


def work(model: tandem.Model, simulation: tandem.Simulation, batch: int) -> Any:
    """What another process does with them: a batch on all cores, one long robot, steps."""
    q = tandem.random_configuration(model, seed=1, batch=batch)
    rope = tandem.load("rope:3000")
    zero = np.zeros(rope.nv)
    a = tandem.forward_dynamics(rope, tandem.neutral_configuration(rope), zero, zero + 0.1, method="scan")
    return tandem.mass_matrix(model, q, threads=0), a, simulation.run(0.01).q, _core.instruction_set()


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_other_processes_compute_the_same(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{sys.platform} has no {start}")
    model = robot("quadruped", True)
    simulation = tandem.Simulation(model)
    given = (model, simulation, 3000)
    expected = work(model, copy.copy(simulation), 3000)  # which wakes the threads of this process first
    with multiprocessing.get_context(start).Pool(2) as pool:
        for result in pool.starmap_async(work, [given, given]).get(timeout=120):
            for ours, theirs in zip(result, expected):
                np.testing.assert_array_equal(ours, theirs)

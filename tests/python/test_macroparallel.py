# SPDX-License-Identifier: Apache-2.0
"""A chain on a row of threads."""

import numpy as np
import pytest

import tandem


def state(robot, seed=1):
    random = np.random.default_rng(seed)
    q = tandem.random_configuration(robot, seed=seed)
    return q, random.uniform(-0.3, 0.3, robot.nv), random.uniform(-1, 1, robot.nv)


@pytest.mark.parametrize("processors", [1, 2, 5])
def test_accelerations_are_those_of_the_direct_method(processors):
    chain = tandem.load("chain:10", seed=1)
    q, v, tau = state(chain)
    f_ext = np.random.default_rng(2).uniform(-1, 1, (chain.n_links, 6))
    row = tandem.papers.Macroparallel(chain, processors)
    assert row.processors == processors and row.model is chain
    done = row.forward_dynamics(q, v, tau, f_ext)
    expected = tandem.forward_dynamics(chain, q, v, tau, f_ext=f_ext)
    assert np.abs(done.a - expected).max() < 1e-8 * np.abs(expected).max()
    assert done.converged and done.iterations > 5 and done.stopped_early == 0
    assert done.seconds > 0 and len(done.stage) == 5 and (done.messages > 0) == (processors > 1)


def test_it_is_told_how_far_to_go():
    chain = tandem.load("chain:20", seed=1)
    row, s = tandem.papers.Macroparallel(chain, 4), state(chain)
    few, many = (row.forward_dynamics(*s, tolerance=t).iterations for t in (1e-2, 1e-10))
    assert few < many
    short = row.forward_dynamics(*s, max_iterations=3)
    assert short.iterations == 3 and not short.converged
    assert row.forward_dynamics(*s, fixed_iterations=7).iterations == 7
    assert row.forward_dynamics(*s, tolerance=1e-8, freezing="forces").iterations <= many
    left = row.forward_dynamics(*s, fixed_iterations=7, left_out="sums")
    assert left.messages < row.forward_dynamics(*s, fixed_iterations=7).messages


def test_it_begins_at_the_forces_of_the_last_call():
    chain = tandem.load("chain:40", seed=1)
    q, v, tau = state(chain)
    row = tandem.papers.Macroparallel(chain, 3)
    row.forward_dynamics(q, v, tau, tolerance=1e-8)
    near = q + 1e-3 * v
    again = row.forward_dynamics(near, v, tau, tolerance=1e-8, from_last=True)
    from_zero = row.forward_dynamics(near, v, tau, tolerance=1e-8)
    assert again.converged and again.iterations < 0.9 * from_zero.iterations
    expected = tandem.forward_dynamics(chain, near, v, tau)
    assert np.abs(again.a - expected).max() < 1e-5 * np.abs(expected).max()
    assert row.forward_dynamics(near, v, tau, tolerance=1e-8, from_last=True).iterations <= 1


def test_what_does_not_fit_is_refused():
    chain = tandem.load("chain:4", seed=1)
    with pytest.raises(tandem.Error, match="processors is 5, expected at most the number of bodies, 4"):
        tandem.papers.Macroparallel(chain, 5)
    with pytest.raises(tandem.Error, match="it has branches"):
        tandem.papers.Macroparallel(tandem.load("humanoid"))
    row = tandem.papers.Macroparallel(chain)
    with pytest.raises(tandem.Error, match=r"v has shape \(3,\), expected \(4,\)"):
        row.forward_dynamics(np.zeros(4), np.zeros(3), np.zeros(4))
    with pytest.raises(tandem.Error, match="finite"):
        row.forward_dynamics(np.zeros(4), np.full(4, np.nan), np.zeros(4))
    with pytest.raises(tandem.Error, match="from_last is 1, expected True or False"):
        row.forward_dynamics(np.zeros(4), np.zeros(4), np.zeros(4), from_last=1)
    with pytest.raises(tandem.Error, match="kind of freezing"):
        row.forward_dynamics(np.zeros(4), np.zeros(4), np.zeros(4), freezing="all")

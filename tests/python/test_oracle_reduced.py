# SPDX-License-Identifier: Apache-2.0
"""Robots with every other joint locked, beside Pinocchio's reduced models."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_support import Case, Comparison, cases, load, states
from pinocchio_support import Pinocchio, pin

import tandem


@pytest.mark.parametrize("case", cases())
def test_every_other_joint_locked(case: Case) -> None:
    model = load(case)
    oracle = Pinocchio(case, model)
    compare = Comparison("Pinocchio", case, model.depth, "inverse dynamics")
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints")
    leader = {j.name: oracle.follows.get(j.name, (j.name,))[0] for j in model.joints}
    own = [j.name for j in model.joints if leader[j.name] == j.name]
    locked = own[1::2]
    gone = [oracle.theirs[name] for name in leader if leader[name] in locked]
    q, v, a, *_ = states(model)[0]
    try:
        less = model.reduced(locked, q)
    except tandem.ModelError as error:
        assert "has no inertia" in str(error)
        pytest.skip(f"{case.name}: {error}")
    try:
        theirs = pin.buildReducedModel(oracle.model, gone, oracle.configuration(q))
    except ValueError as error:  # joints and links of one name, numbers of joints that changed on the way
        pytest.skip(f"{case.name}: Pinocchio cannot reduce it: {error}")
    data = theirs.createData()
    assert [j.name for j in less.joints] == [n for n in leader if leader[n] not in locked]

    def rows(first: str, count: str, joint: tandem.Joint) -> range:
        j = model.joint(joint.name)
        return range(getattr(j, first), getattr(j, first) + getattr(j, count))

    q_rows = [k for j in less.joints for k in rows("q_index", "nq", j)]
    v_rows = [k for j in less.joints for k in rows("v_index", "nv", j)]
    full = oracle.configuration(q)
    q_theirs, G = np.empty(theirs.nq), np.zeros((theirs.nv, less.nv))
    for joint in less.joints:
        whole = oracle.model.joints[oracle.theirs[joint.name]]
        name = oracle.model.names[oracle.theirs[joint.name]]
        part = theirs.joints[theirs.getJointId(name)]
        q_theirs[part.idx_q : part.idx_q + part.nq] = full[whole.idx_q : whole.idx_q + whole.nq]
        multiplier = oracle.follows.get(joint.name, (None, 1.0))[1]
        for k in range(part.nv):
            G[part.idx_v + k, less.joint(leader[joint.name]).v_index + k] = multiplier
    terms = oracle.force_terms(q, v, a)
    M = pin.crba(theirs, data, q_theirs)
    M = G.T @ (np.triu(M) + np.triu(M, 1).T) @ G
    compare("mass matrix, reduced", tandem.mass_matrix(less, q[q_rows]), M,
            np.abs(oracle.mass_matrix(q)).max(initial=0))
    tau = G.T @ pin.rnea(theirs, data, q_theirs, G @ v[v_rows], G @ a[v_rows])
    compare("inverse dynamics, reduced", tandem.inverse_dynamics(less, q[q_rows], v[v_rows], a[v_rows]), tau, terms)

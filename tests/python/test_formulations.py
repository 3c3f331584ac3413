# SPDX-License-Identifier: Apache-2.0
"""Formulations of inverse dynamics that are there to be compared: the answers of the default, from Python."""
import numpy as np
import pytest

import tandem

FORMULATIONS = [("recne", "automatic"), ("recne", "omega"), ("recneb", "automatic"), ("resne", "automatic"),
                ("classle", "automatic"), ("classle", "blocks"), ("recle", "automatic"), ("hybrid", "automatic")]


@pytest.mark.parametrize("method, matrices", FORMULATIONS)
@pytest.mark.parametrize("dtype, digits", [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_formulations_agree_with_the_default(method, matrices, dtype, digits):
    for spec in ["arm7", "chain:6"]:
        model = tandem.load(spec)
        random = np.random.default_rng(3)
        q, v, a = (random.uniform(-1, 1, (19, model.nv)).astype(dtype) for _ in range(3))
        f_ext = random.uniform(-1, 1, (19, model.n_links, 6)).astype(dtype)
        for forces in [{}, {"f_ext": f_ext}]:
            expected = tandem.inverse_dynamics(model, q, v, a, **forces)
            tau = tandem.inverse_dynamics(model, q, v, a, method=method, options={"matrices": matrices}, **forces)
            assert tau.dtype == dtype
            np.testing.assert_allclose(tau, expected, rtol=0, atol=digits * np.abs(expected).max())


def test_they_are_refused_where_they_do_not_serve():
    humanoid, arm = tandem.load("humanoid"), tandem.load("arm7")
    x = np.zeros(humanoid.nv)
    with pytest.raises(tandem.Error, match="recne does not support humanoid.*recursive_newton_euler"):
        tandem.inverse_dynamics(humanoid, tandem.neutral_configuration(humanoid), x, x, method="recne")
    x = np.zeros(7)
    with pytest.raises(tandem.Error, match="resne does not use the option matrices"):
        tandem.inverse_dynamics(arm, x, x, x, method="resne", options={"matrices": "omega"})
    with pytest.raises(tandem.Error,
                       match="matrices has a value that it does not support; classle has blocks, recne has omega, "):
        tandem.inverse_dynamics(arm, x, x, x, method="classle", options={"matrices": "omega"})

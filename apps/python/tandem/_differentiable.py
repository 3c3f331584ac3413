# SPDX-License-Identifier: Apache-2.0
"""The functions that :mod:`tandem.torch`, :mod:`tandem.jax` and :mod:`tandem.casadi` differentiate, and how.

Over the library's products with derivatives, which form no matrix. M(q) y, how it changes, and the joint forces of wrenches come from
inverse dynamics of the same robot without gravity.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._derivatives import Call, Function, Inputs, lower, raised, times, total, under
from tandem._steps import Rollout, Step
from tandem._tangents import NUMPY, constant, cross, joined, stack, tangents, zeros


@functools.lru_cache(64)
def _weightless(model: Model) -> Model:
    return model.with_gravity((0.0, 0.0, 0.0)).with_base_acceleration((0.0,) * 6)


@functools.lru_cache(64)
def _unhurried(model: Model) -> Model:
    """On a base that does not accelerate, which is no part of the energy."""
    return model.with_base_acceleration((0.0,) * 6)


def _wrench_forces(call: Call, q: Any, f: Any) -> Any:
    """J^T f of wrenches on all links."""
    still = zeros(q, (call.model.nv,))
    return -call.on(_weightless(call.model), "inverse_dynamics", q, still, still, f)


def _inertia_pulled(call: Call, q: Any, y: Any, mu: Any) -> tuple[Any, Any]:
    """How mu . M(q) y changes with the configuration, by motions, and M(q) y."""
    still = zeros(q, (call.model.nv,))
    force, by_q, _, _ = call.on(_weightless(call.model), "inverse_dynamics_vjp", q, still, y, mu)
    return by_q, force


class InverseDynamics(Function):
    name, names, ranks = "inverse_dynamics", ("q", "v", "a", "f_ext"), (1, 1, 1, 2)

    def _state(self, x: Inputs) -> Inputs:
        """q, v, a, f_ext of what this function is given."""
        return x

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, v, a, f = self._state(x)
        dq, dv, da, df = self._state(t)
        still = zeros(q, (call.model.nv,))
        ways = [_or(way, still) for way in (lower(call, q, dq), dv, da)]
        return (call.of("inverse_dynamics_jvp", q, _or(v, still), _or(a, still), *ways, f, df)[1],)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, v, a, f = self._state(x)
        still = zeros(q, (call.model.nv,))
        by_forces = any(is_wanted and name == "f_ext" for name, is_wanted in zip(self.names, wanted))
        state = (q, _or(v, still), _or(a, still))
        found = call.of("inverse_dynamics_vjp", *state, g[0], f, by_forces=by_forces)[1:]
        by = dict(zip(("q", "v", "a", "f_ext"), (raised(call, q, found[0]), *found[1:])))
        return [by[name] if is_wanted else None for name, is_wanted in zip(self.names, wanted)]


def _or(x: Any, other: Any) -> Any:
    return other if x is None else x


class BiasForces(InverseDynamics):
    name, names, ranks = "bias_forces", ("q", "v", "f_ext"), (1, 1, 2)

    def _state(self, x: Inputs) -> Inputs:
        return [x[0], x[1], None, x[2]]


class GravityForces(InverseDynamics):
    name, names, ranks = "gravity_forces", ("q",), (1,)

    def _state(self, x: Inputs) -> Inputs:
        return [x[0], None, None, None]


class ForwardDynamics(Function):
    name, names, ranks = "forward_dynamics", ("q", "v", "tau", "f_ext", "diagonal"), (1, 1, 1, 2, 1)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, v, tau, f, D = x
        dq, dv, dtau, df, dD = t
        still = zeros(q, (call.model.nv,))
        if dD is not None:
            dtau = _or(dtau, still) - dD * call.of("forward_dynamics", *x)
        ways = [_or(way, still) for way in (lower(call, q, dq), dv, dtau)]
        return (call.of("forward_dynamics_jvp", q, v, tau, *ways, f, D, df)[1],)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, v, tau, f, D = x
        found = call.of("forward_dynamics_vjp", q, v, tau, g[0], f, D, by_forces=wanted[3])
        a, by_q, by_v, mu = found[:4]
        results = [raised(call, q, by_q), by_v, mu, found[4] if wanted[3] else None, -mu * a]
        return [of if is_wanted else None for of, is_wanted in zip(results, wanted)]


class MassMatrix(Function):
    name, names, ranks, out_ranks = "mass_matrix", ("q",), (1,), (2,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.nv, model.nv),)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        return (call.of("mass_matrix_rate", x[0], lower(call, x[0], t[0])),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (q,), (G,) = x, g
        one = constant(np.eye(call.model.nv), q)
        slopes = call.of("mass_matrix_rate", q[..., None, :], one)  # of every coordinate
        return [raised(call, q, (slopes * G[..., None, :, :]).sum(-1).sum(-1))]


class InverseMassMatrixProduct(Function):
    name, names, ranks = "inverse_mass_matrix_product", ("q", "x"), (1, 1)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, dq = x[0], t[0]
        forces = [t[1]]
        if dq is not None:
            still = zeros(q, (call.model.nv,))
            state = (q, still, call.of(self.name, *x), lower(call, q, dq), still, still)
            forces.append(-call.on(_weightless(call.model), "inverse_dynamics_jvp", *state)[1])
        return (call.of(self.name, q, total(forces)),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q = x[0]
        mu = call.of(self.name, q, g[0])
        by_q = raised(call, q, -_inertia_pulled(call, q, call.of(self.name, *x), mu)[0]) if wanted[0] else None
        return [by_q, mu if wanted[1] else None]


class ForwardKinematics(Function):
    """Poses of all frames."""

    name, names, ranks, out_ranks = "forward_kinematics", ("q",), (1,), (3,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.n_frames, 3, 4),)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        poses, motions = call.of("forward_kinematics", x[0], lower(call, x[0], t[0]))
        v, w = motions[..., :3], motions[..., 3:]
        R = poses[..., :3]
        turned = [times(R, cross(w, zeros(w, tuple(w.shape)) + constant(np.eye(3)[k], w))) for k in range(3)]
        return (stack([*turned, times(R, v)], -1),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (q,), (G,) = x, g
        poses = call.of("forward_kinematics", q)
        own = poses[..., :3].swapaxes(-1, -2) @ G  # along the frames' axes
        moment = stack([own[..., 2, 1] - own[..., 1, 2], own[..., 0, 2] - own[..., 2, 0], own[..., 1, 0] - own[..., 0, 1]], -1)
        wrench = joined([own[..., 3], moment], -1)
        return [raised(call, q, _wrench_forces(call, q, _on_links(call, poses, wrench)))]


def _on_links(call: Call, poses: Any, wrench: Any) -> Any:
    """Wrenches on frames as wrenches on the links that carry them."""
    n, more = call.model.n_links, call.model.n_frames - call.model.n_links
    if more == 0:
        return wrench
    links = np.asarray(call.model.frame_links)[n:].astype(np.intp)
    ours, theirs = poses[..., links, :, :], poses[..., n:, :, :]
    f, m = (times(theirs[..., :3], wrench[..., n:, 3 * k : 3 * k + 3]) for k in range(2))
    m = m + cross(theirs[..., 3] - ours[..., 3], f)
    moved = joined([under(ours[..., :3], f), under(ours[..., :3], m)], -1)
    carried = constant(np.eye(n)[:, links], wrench)  # which link has which frame
    return wrench[..., :n, :] + carried @ moved


class FramePose(ForwardKinematics):
    """The pose of one frame."""

    out_ranks = (2,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((3, 4),)

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        return (call.of(self.name, *x)[..., dict(call.options)["frame"], :, :],)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        return (super().push(call, x, t)[0][..., dict(call.options)["frame"], :, :],)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (G,) = g
        all_frames = zeros(G, (*G.shape[:-2], call.model.n_frames, 3, 4))
        all_frames[..., dict(call.options)["frame"], :, :] = G
        return super().pull(call, x, [all_frames], wanted)


class FramePosition(FramePose):
    """Where the origin of one frame is."""

    out_ranks = (1,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((3,),)

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        return (super().value(call, x)[0][..., 3],)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        return (super().push(call, x, t)[0][..., 3],)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (y,) = g
        pose = zeros(y, (*y.shape, 4))
        pose[..., 3] = y
        return super().pull(call, x, [pose], wanted)


class Jacobian(Function):
    """Of a frame; columns are velocities, which the library derives by the configuration."""

    name, names, ranks, out_ranks = "jacobian", ("q",), (1,), (2,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((6, model.nv),)

    def _slopes(self, call: Call, q: Any) -> Any:
        """``[..., nv, 6, nv]``: how the frame's velocity changes with the configuration, for every unit rate."""
        rates, still = constant(np.eye(call.model.nv), q), zeros(q, (call.model.nv,))
        options = dict(call.options)
        return call.of("forward_kinematics_derivatives", q[..., None, :], rates, still, **options)[0]

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        moved = lower(call, x[0], t[0])
        return (times(self._slopes(call, x[0]), moved[..., None, :]).swapaxes(-1, -2),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (q,), (G,) = x, g
        slopes = self._slopes(call, q) * G.swapaxes(-1, -2)[..., None]
        return [raised(call, q, slopes.sum(-2).sum(-2))]


class Energy(Function):
    """Kinetic and potential energy."""

    name, names, ranks, out_ranks = "energy", ("q", "v"), (1, 1), (0, 0)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((), ())

    def _slopes(self, call: Call, q: Any, v: Any) -> tuple[Any, Any, Any]:
        """Of kinetic energy by configuration and velocity, of potential energy by configuration: motions."""
        springs = call.of("passive_forces", q, zeros(v, (call.model.nv,)))
        weight = call.on(_unhurried(call.model), "gravity_forces", q)
        by_q, momentum = _inertia_pulled(call, q, v, v)
        return 0.5 * by_q, momentum, weight - springs

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, v = x
        kinetic_q, momentum, potential_q = self._slopes(call, q, v)
        moved = None if t[0] is None else lower(call, q, t[0])
        kinetic = [None if moved is None else (kinetic_q * moved).sum(-1), None if t[1] is None else (momentum * t[1]).sum(-1)]
        potential = 0.0 * potential_q.sum(-1) if moved is None else (potential_q * moved).sum(-1)
        return total(kinetic), potential

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, v = x
        kinetic_q, momentum, potential_q = self._slopes(call, q, v)
        kinetic, potential = (of[..., None] for of in g)
        by_q = raised(call, q, kinetic * kinetic_q + potential * potential_q) if wanted[0] else None
        return [by_q, kinetic * momentum if wanted[1] else None]


class Integrate(Function):
    """Configurations reached with constant velocities in unit time."""

    traced = False
    name, names, ranks = "integrate", ("q", "u"), (1, 1)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.nq,),)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        (q, u), (dq, du) = x, t
        of = tangents(call.model)
        moved = lower(call, q, dq)
        motion = total([moved, du]) + zeros(u, tuple(u.shape))
        for group, carried, turned in of.integration(u):
            parts = [] if moved is None else [times(carried, moved[..., group.v])]
            parts += [] if du is None else [times(turned, du[..., group.v])]
            motion[..., group.v] = total(parts)
        return (of.up(call.of("integrate", q, u), motion),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, u = x
        of = tangents(call.model)
        motion = of.up_transposed(call.of("integrate", q, u), g[0])
        by_start, by_u = motion + 0.0, motion + 0.0
        for group, carried, turned in of.integration(u):
            by_start[..., group.v] = under(carried, motion[..., group.v])
            by_u[..., group.v] = under(turned, motion[..., group.v])
        return [raised(call, q, by_start) if wanted[0] else None, by_u if wanted[1] else None]


class Difference(Function):
    """Constant velocities that lead from one configuration to another in unit time."""

    traced = False
    name, names, ranks = "difference", ("q0", "q1"), (1, 1)

    def _inverses(self, call: Call, u: Any) -> Any:
        """Of every joint that needs it: how u follows from the motions of both ends."""
        of = tangents(call.model)
        for (group, _, turned), (_, _, back) in zip(of.integration(u), of.integration(-u)):
            yield group, -_inverse(back), _inverse(turned)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        start, end = (lower(call, q, dq) for q, dq in zip(x, t))
        u = call.of(self.name, *x)
        motion = total([None if start is None else -start, end]) + 0.0 * u
        for group, by_start, by_end in self._inverses(call, u):
            parts = [] if start is None else [times(by_start, start[..., group.v])]
            parts += [] if end is None else [times(by_end, end[..., group.v])]
            motion[..., group.v] = total(parts)
        return (motion,)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (y,) = g
        u = call.of(self.name, *x)
        ends = [0.0 * u - y, 0.0 * u + y]
        for group, *ways in self._inverses(call, u):
            for end, way in zip(ends, ways):
                end[..., group.v] = under(way, y[..., group.v])
        return [raised(call, q, end) if is_wanted else None for q, end, is_wanted in zip(x, ends, wanted)]


def _inverse(matrix: Any) -> Any:
    return np.linalg.inv(matrix) if isinstance(matrix, NUMPY) else matrix.inverse()


FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        InverseDynamics(),
        BiasForces(),
        GravityForces(),
        ForwardDynamics(),
        MassMatrix(),
        InverseMassMatrixProduct(),
        ForwardKinematics(),
        Jacobian(),
        Energy(),
        Integrate(),
        Difference(),
        Step(),
        Rollout(),
    )
}

# SPDX-License-Identifier: Apache-2.0
"""Forces, accelerations, inertia and energy with their derivatives, for frameworks, by the parameters of the robot as
well.

Over the library's products, of first and of second order, which form no matrix. M(q) y and how it changes come from
inverse dynamics of the same robot without gravity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tandem._autodiff.derivatives import Call, Function, Twice, gradients, lower, raised, raised_rate, total
from tandem._autodiff.inertial import by_inertial, inertial_increment, links
from tandem._autodiff.parameters import INERTIAL, PARAMETERS, PARAMETER_RANKS, Inputs, by_name
from tandem._autodiff.tangents import constant, joined, times, under, zeros
from tandem._core import Model


def _or(x: Any, other: Any) -> Any:
    return other if x is None else x


def _wanted(function: Function, wanted: tuple[bool, ...]) -> dict[str, bool]:
    """Of all inputs, and of parameters where the function has none."""
    return dict.fromkeys(PARAMETERS, False) | dict(zip(function.names, wanted))


def _by_robot(call: Call, q: Any, a: Any, weights: Any, pi_bar: Any, wanted: dict[str, bool]) -> dict[str, Any]:
    """Gradients of weighted inverse dynamics by parameters of the robot."""
    by = {} if pi_bar is None else by_inertial(call, pi_bar, wanted)
    if wanted["armature"]:
        by["armature"] = weights * a
    if wanted["gravity"]:
        by["gravity"] = -call.of("centroidal_momentum", q, weights)[..., :3]
    return by


def _by_robot_rate(call: Call, q: Any, dq: Any, pairs: tuple[Any, Any], dpi_bar: Any,
                   wanted: dict[str, bool]) -> dict[str, Any]:
    """JVP of ``_by_robot`` for a tangent dq, with a and weights each with its tangent."""
    (a, da), (weights, dweights) = pairs
    by = {} if dpi_bar is None else by_inertial(call, dpi_bar, wanted)
    if wanted["armature"]:
        by["armature"] = weights * da + dweights * a
    if wanted["gravity"]:
        by_q = call.of("centroidal_momentum_derivatives", q, weights)[0]
        by["gravity"] = -(times(by_q, dq) + call.of("centroidal_momentum", q, dweights))[..., :3]
    return by


class InverseDynamics(Twice):
    name, names = "inverse_dynamics", ("q", "v", "a", "f_ext", *PARAMETERS)
    second = "inverse_dynamics_hvp"
    ranks = (1, 1, 1, 2, *PARAMETER_RANKS)

    def _state(self, x: Inputs) -> Inputs:
        """q, v, a, f_ext of what this function is given."""
        return x[:4]

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, v, a, f = self._state(x)
        dq, dv, da, df = self._state(t)
        changes, still = by_name(t), zeros(q, (call.model.nv,))
        ways = [_or(way, still) for way in (lower(call, q, dq), dv, da)]
        dpi = inertial_increment(call, changes, q)
        parts = [call.of("inverse_dynamics_jvp", q, _or(v, still), _or(a, still), *ways, f, df, dpi)[1]]
        if changes["armature"] is not None and a is not None:
            parts.append(changes["armature"] * a)
        if changes["gravity"] is not None:
            parts.append(call.under_gravity(changes["gravity"]).of("gravity_forces", q))
        return (total(parts),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, v, a, f = self._state(x)
        still, asked = zeros(q, (call.model.nv,)), _wanted(self, wanted)
        flags = {"by_forces": asked.get("f_ext", False), "by_parameters": any(asked[name] for name in INERTIAL)}
        found = list(call.of("inverse_dynamics_vjp", q, _or(v, still), _or(a, still), g[0], f, **flags)[1:])
        pi_bar = found.pop() if flags["by_parameters"] else None
        by = dict(zip(("q", "v", "a", "f_ext"), (raised(call, q, found[0]), *found[1:])))
        return gradients(self, x, by | _by_robot(call, q, _or(a, still), g[0], pi_bar, asked), wanted)

    def folded(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        (q, v, a, f), (u_q, dv, da, df) = self._state(x), self._state(u)
        still, asked = zeros(q, (call.model.nv,)), _wanted(self, wanted)
        v, a = _or(v, still), _or(a, still)
        dq, dv, da = (_or(way, still) for way in (lower(call, q, u_q), dv, da))
        flags = {"by_forces": asked.get("f_ext", False), "by_parameters": any(asked[name] for name in INERTIAL)}
        found = list(call.of(self.second, q, v, a, g[0], dq, dv, da, None, f, df, **flags)[1:])
        dpi_bar = found.pop() if flags["by_parameters"] else None
        by = dict(zip(("q", "v", "a", "f_ext"), found))
        if wanted[0]:
            by["q"] = raised_rate(call, q, u_q, lambda: call.of("inverse_dynamics_vjp", q, v, a, g[0], f)[1], by["q"])
        robot = _by_robot_rate(call, q, dq, ((a, da), (g[0], 0.0 * g[0])), dpi_bar, asked)
        return gradients(self, x, by | robot, wanted)


class BiasForces(InverseDynamics):
    name, names, ranks = "bias_forces", ("q", "v", "f_ext", *PARAMETERS), (1, 1, 2, *PARAMETER_RANKS)

    def _state(self, x: Inputs) -> Inputs:
        return [x[0], x[1], None, x[2]]


class GravityForces(InverseDynamics):
    name, names, ranks = "gravity_forces", ("q", *PARAMETERS), (1, *PARAMETER_RANKS)

    def _state(self, x: Inputs) -> Inputs:
        return [x[0], None, None, None]


class ForwardDynamics(Twice):
    name, names = "forward_dynamics", ("q", "v", "tau", "f_ext", "diagonal", *PARAMETERS)
    second = "forward_dynamics_hvp"
    ranks = (1, 1, 1, 2, 1, *PARAMETER_RANKS)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        return (self.moved(call, x[:5], t[:5], by_name(t)),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        return gradients(self, x, self.weighed(call, x[:5], g[0], _wanted(self, wanted)), wanted)

    def moved(self, call: Call, x: Inputs, t: Inputs, changes: dict[str, Any]) -> Any:
        """Gradients of accelerations by armature and gravity, as joint torques."""
        q, v, tau, f, D = x
        dq, dv, dtau, df, dD = t
        still = zeros(q, (call.model.nv,))
        forces = [dtau]
        rotors = total([dD, changes["armature"]])
        if rotors is not None:
            forces.append(-rotors * call.of("forward_dynamics", q, _or(v, still), tau, f, D))
        if changes["gravity"] is not None:
            forces.append(-call.under_gravity(changes["gravity"]).of("gravity_forces", q))
        ways = [_or(way, still) for way in (lower(call, q, dq), dv, total(forces))]
        dpi = inertial_increment(call, changes, q)
        return call.of("forward_dynamics_jvp", q, _or(v, still), tau, *ways, f, D, df, dpi)[1]

    def weighed(self, call: Call, x: Inputs, a_bar: Any, asked: dict[str, bool]) -> dict[str, Any]:
        """How weighted accelerations change, by names of inputs."""
        q, v, tau, f, D = x
        still = zeros(q, (call.model.nv,))
        flags = {"by_forces": asked.get("f_ext", False), "by_parameters": any(asked[name] for name in INERTIAL)}
        a, *found = call.of("forward_dynamics_vjp", q, _or(v, still), tau, a_bar, f, D, **flags)
        pi_bar = found.pop() if flags["by_parameters"] else None
        by = dict(zip(("q", "v", "tau", "f_ext"), (raised(call, q, found[0]), *found[1:])))
        by["diagonal"] = -found[2] * a
        return by | _by_robot(call, q, a, -found[2], pi_bar, asked)

    def folded(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        return gradients(self, x, self.bent(call, x[:5], g[0], u, _wanted(self, wanted)), wanted)

    def bent(self, call: Call, x: Inputs, a_bar: Any, u: Inputs, asked: dict[str, bool]) -> dict[str, Any]:
        """How ``weighed`` changes: a change dD of what holds rotors back is -dD a for forces, and -dD y for the weights
        of y = (M + D)^-1 a_bar."""
        (q, v, tau, f, D), (u_q, dv, dtau, df, dD) = x, u
        still = zeros(q, (call.model.nv,))
        v, dq = _or(v, still), _or(lower(call, q, u_q), still)
        flags = {"by_forces": asked.get("f_ext", False), "by_parameters": any(asked[name] for name in INERTIAL)}
        a, q_bar, _, y = call.of("forward_dynamics_vjp", q, v, tau, a_bar, f, D)
        held = None if dD is None else -dD * y
        dtau = _or(total([dtau, None if dD is None else -dD * a]), still)
        da, *found = call.of(self.second, q, v, tau, a_bar, dq, _or(dv, still), dtau, held, f, df, D, **flags)
        dpi_bar, dy = found.pop() if flags["by_parameters"] else None, found[2]
        by = dict(zip(("q", "v", "tau", "f_ext"), (raised_rate(call, q, u_q, lambda: q_bar, found[0]), *found[1:])))
        by["diagonal"] = -(y * da + dy * a)
        return by | _by_robot_rate(call, q, dq, ((a, da), (-y, -dy)), dpi_bar, asked)


class InverseMassMatrixProduct(ForwardDynamics):
    """Accelerations of a tree that is at rest and has no weight."""

    name, names, ranks = "inverse_mass_matrix_product", ("q", "x", *PARAMETERS), (1, 1, *PARAMETER_RANKS)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        state, ways = [x[0], None, x[1], None, None], [t[0], None, t[1], None, None]
        return (self.moved(_resting_tree(call), state, ways, by_name(t) | {"gravity": None}),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        asked = _wanted(self, wanted) | {"gravity": False}
        by = self.weighed(_resting_tree(call), [x[0], None, x[1], None, None], g[0], asked)
        return gradients(self, x, by | {"x": by["tau"]}, wanted)

    def folded(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        asked = _wanted(self, wanted) | {"gravity": False}
        state, ways = [x[0], None, x[1], None, None], [u[0], None, u[1], None, None]
        by = self.bent(_resting_tree(call), state, g[0], ways, asked)
        return gradients(self, x, by | {"x": by["tau"]}, wanted)


def _resting_tree(call: Call) -> Call:
    return call.of_tree().weightless()


class MassMatrix(Twice):
    """Its columns are joint torques of unit accelerations."""

    name, names, ranks, out_ranks = "mass_matrix", ("q", *PARAMETERS), (1, *PARAMETER_RANKS), (2,)
    second = "inverse_dynamics_hvp"

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.nv, model.nv),)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, changes = x[0], by_name(t)
        one, still = constant(np.eye(call.model.nv), q), zeros(q, (call.model.nv,))
        parts = []
        if t[0] is not None:
            parts.append(call.of("mass_matrix_rate", q, lower(call, q, t[0])))
        dpi = inertial_increment(call, changes, q)
        if dpi is not None:
            state = (q[..., None, :], still, one, still, still, still, None, None, dpi[..., None, :])
            parts.append(call.weightless().beside().of("inverse_dynamics_jvp", *state)[1])
        if changes["armature"] is not None:
            parts.append(one * changes["armature"][..., None, :])
        return (_or(total(parts), zeros(q, (*q.shape[:-1], *one.shape))),)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, weights, asked = x[0], g[0].swapaxes(-1, -2), _wanted(self, wanted) | {"gravity": False}
        one, still = constant(np.eye(call.model.nv), q), zeros(q, (call.model.nv,))
        flag = any(asked[name] for name in INERTIAL)
        state = (q[..., None, :], still, one, weights)
        found = call.weightless().beside().of("inverse_dynamics_vjp", *state, by_parameters=flag)
        by = {"q": raised(call, q, found[1].sum(-2))}
        if flag:
            by |= by_inertial(call, found[4].sum(-2), asked)
        if asked["armature"]:
            by["armature"] = (weights * one).sum(-2)
        return gradients(self, x, by, wanted)

    def folded(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, weights, asked = x[0], g[0].swapaxes(-1, -2), _wanted(self, wanted)
        one, still = constant(np.eye(call.model.nv), q), zeros(q, (call.model.nv,))
        flag = any(asked[name] for name in INERTIAL)
        unit, state = call.weightless().beside(), (q[..., None, :], still, one, weights)
        dq = lower(call, q, u[0])[..., None, :]
        found = unit.of(self.second, *state, dq, still, still, by_parameters=flag)
        by = {} if not flag else by_inertial(call, found[4].sum(-2), asked)
        if wanted[0]:
            by["q"] = raised_rate(
                call, q, u[0], lambda: unit.of("inverse_dynamics_vjp", *state)[1].sum(-2), found[1].sum(-2)
            )
        return gradients(self, x, by, wanted)


class Energy(Function):
    """Kinetic and potential energy."""

    name, names = "energy", ("q", "v", *PARAMETERS)
    ranks, out_ranks = (1, 1, *PARAMETER_RANKS), (0, 0)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((), ())

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        q, v = x[:2]
        changes, moved = by_name(t), lower(call, q, t[0])
        by_q, momentum, rise = call.of("energy_derivatives", q, v)
        kinetic, potential = [0.0 * (momentum * v).sum(-1)], [0.0 * rise.sum(-1)]
        if moved is not None:
            kinetic.append((by_q * moved).sum(-1))
            potential.append((rise * moved).sum(-1))
        if t[1] is not None:
            kinetic.append((momentum * t[1]).sum(-1))
        dpi = inertial_increment(call, changes, q)
        if dpi is not None:
            still = zeros(q, (call.model.nv,))
            force = call.weightless().of("inverse_dynamics_jvp", q, still, v, still, still, still, None, None, dpi)[1]
            kinetic.append(0.5 * (v * force).sum(-1))
            potential.append((_lifted(call, q) * dpi).sum(-1))
        if changes["armature"] is not None:
            kinetic.append(0.5 * (changes["armature"] * v * v).sum(-1))
        if changes["gravity"] is not None:
            potential.append(-(_first_moment(call, q) * changes["gravity"]).sum(-1))
        if changes["stiffness"] is not None:
            potential.append(0.5 * (changes["stiffness"] * _stretch(call, q) ** 2).sum(-1))
        return total(kinetic), total(potential)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        q, v = x[:2]
        kinetic, potential = (of[..., None] for of in g)
        by_q, momentum, rise = call.of("energy_derivatives", q, v)
        by, asked = {"v": kinetic * momentum}, _wanted(self, wanted)
        if wanted[0]:
            by["q"] = raised(call, q, kinetic * by_q + potential * rise)
        if any(asked[name] for name in INERTIAL):
            state = (q, zeros(q, (call.model.nv,)), v, 0.5 * v)
            moving = call.weightless().of("inverse_dynamics_vjp", *state, by_parameters=True)[4]
            by |= by_inertial(call, kinetic * moving + potential * _lifted(call, q), asked)
        if asked["armature"]:
            by["armature"] = 0.5 * kinetic * v * v
        if asked["gravity"]:
            by["gravity"] = -potential * _first_moment(call, q)
        if asked["stiffness"]:
            by["stiffness"] = 0.5 * potential * _stretch(call, q) ** 2
        return gradients(self, x, by, wanted)


def _places(call: Call, q: Any) -> tuple[Any, Any]:
    """Orientations and places of the links that move."""
    poses = call.of("forward_kinematics", q)[..., 1 : call.model.n_links, :, :]
    return poses[..., :3], poses[..., 3]


def _lifted(call: Call, q: Any) -> Any:
    """``[..., 10 n_joints]``: how potential energy, in a field that the base's acceleration is part of, changes with
    inertial parameters."""
    R, p = _places(call, q)
    gravity = dict(call.parameters).get("gravity")
    gravity = constant(call.model.gravity, q) if gravity is None else gravity
    up = (constant(call.model.base_acceleration[:3], q) - gravity)[..., None, :]
    of_first = under(R, up)
    rows = joined([(p * up).sum(-1)[..., None], of_first, zeros(q, (*of_first.shape[:-1], 6))], -1)
    return rows.reshape(*rows.shape[:-2], -1)


def _first_moment(call: Call, q: Any) -> Any:
    """The mass of what moves times where its centre is, ``[..., 3]`` kg m."""
    R, p = _places(call, q)
    return (links("mass", call, q)[..., None] * (p + times(R, links("com", call, q)))).sum(-2)


def _stretch(call: Call, q: Any) -> Any:
    """How far the springs of all joints are stretched: as forces of springs of unit stiffness."""
    still = zeros(q, (call.model.nv,))
    return -call.with_parameters(damping=still, friction=still, stiffness=still + 1.0).of("passive_forces", q, still)

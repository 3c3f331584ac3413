# SPDX-License-Identifier: Apache-2.0
"""Where frames are, Jacobians, and ways from one configuration to another, with their derivatives, for frameworks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tandem._autodiff.derivatives import Call, Function, lower, raised, total
from tandem._autodiff.parameters import Inputs
from tandem._autodiff.tangents import NUMPY, constant, tangents, times, under, zeros
from tandem._core import Model


class ForwardKinematics(Function):
    """Poses of all frames."""

    name = "forward_kinematics"
    names: ClassVar[tuple[str, ...]] = ("q",)
    ranks: ClassVar[tuple[int, ...]] = (1,)
    out_ranks: ClassVar[tuple[int, ...]] = (3,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.n_frames, 3, 4), *[(model.n_frames, 6)] * (len(self.names) - 1))

    def compiled(self, call: Call) -> tuple[str, ...]:
        products = {"value": self.name, "push": "forward_kinematics_jvp", "pull": "forward_kinematics_vjp"}
        return tuple(mode for mode, product in products.items() if call.serves(product))

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        still = zeros(x[0], (call.model.nv,))
        dq, *rates = (still if way is None else way for way in (lower(call, x[0], t[0]), *t[1:]))
        q, v, a = [*x, None, None][:3]
        found = call.of("forward_kinematics_jvp", q, dq, v, a, *[*rates, None, None][:2], **_reference(call))
        return found if isinstance(found, tuple) else (found,)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        state, weights = [*x, None, None][:3], [*g, None, None][:3]
        found = call.of("forward_kinematics_vjp", *state, *weights, **_reference(call))
        by_q, *further = found if isinstance(found, tuple) else (found,)
        by = [raised(call, x[0], by_q), *further]
        return [of if is_wanted else None for of, is_wanted in zip(by, wanted)]


def _reference(call: Call) -> dict[str, Any]:
    return {name: value for name, value in call.options if name == "reference"}


class FrameVelocities(ForwardKinematics):
    """Poses and velocities of all frames."""

    names, ranks, out_ranks = ("q", "v"), (1, 1), (3, 2)


class FrameAccelerations(ForwardKinematics):
    """Poses, velocities and accelerations of all frames."""

    names, ranks, out_ranks = ("q", "v", "a"), (1, 1, 1), (3, 2, 2)


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


class Integrate(Function):
    """Configurations reached with constant velocities in unit time."""

    name, names, ranks = "integrate", ("q", "u"), (1, 1)

    def compiled(self, call: Call) -> tuple[str, ...]:
        return super().compiled(call)[:1]

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

    name, names, ranks = "difference", ("q0", "q1"), (1, 1)

    def compiled(self, call: Call) -> tuple[str, ...]:
        return super().compiled(call)[:1]

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

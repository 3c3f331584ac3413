# SPDX-License-Identifier: Apache-2.0
"""Where frames are, Jacobians, and ways from one configuration to another, with their derivatives, for frameworks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tandem._core import Model
from tandem._derivatives import Call, Function, Inputs, lower, raised, total
from tandem._tangents import NUMPY, constant, cross, joined, stack, tangents, times, under, zeros


def _wrench_forces(call: Call, q: Any, f: Any) -> Any:
    """J^T f of wrenches on all links: less of what they save joint forces."""
    still = zeros(q, (call.model.nv,))
    return -call.weightless().of("inverse_dynamics", q, still, still, f)


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

# SPDX-License-Identifier: Apache-2.0
"""Steps through time for frameworks that differentiate: gradients and changes by the products of every step, along
rollouts by differences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tandem._autodiff.derivatives import ByDifferences, Call, along, first_last, gradients, lower, raised, total, wide
from tandem._autodiff.parameters import PARAMETERS, PARAMETER_RANKS, Inputs
from tandem._autodiff.tangents import NUMPY, constant, tangents, zeros
from tandem._common.arguments import switch
from tandem._core import Model
from tandem.drive import PdController
from tandem.rollout import rollout
from tandem.rollout_gradient import rollout_gradient


_LONG = 5e-4  # of differences of what ends an iteration at a tolerance: 1e-12 of that leave nine digits


def switches(function: str, limits: Any, effort_limits: Any) -> dict[str, str]:
    """Both as options of a call, which are text."""
    given = {"limits": limits, "effort_limits": effort_limits}
    return {name: "on" if switch(f"{function}: {name}", x) else "off" for name, x in given.items()}


def _numbers(x: Any) -> Any:
    """An array of NumPy of what may be a tensor."""
    return x if x is None or isinstance(x, NUMPY) else x.detach().cpu().numpy()


def _back(result: Any, like: Any) -> Any:
    return result if isinstance(like, NUMPY) else like.new_tensor(result)


class _Run:
    """A rollout of the states of any leading shape as one batch."""

    def __init__(self, call: Call, x: Inputs, ranks: tuple[int, ...]) -> None:
        arrays = [_numbers(v) for v in x]
        fronts = [v.shape[: v.ndim - rank] for v, rank in zip(arrays, ranks) if v is not None]
        self.call, self.front = call, np.broadcast_shapes(*fronts)
        count = math.prod(self.front)

        def level(v: Any, rank: int) -> Any:
            own = v.shape[v.ndim - rank :]
            return np.broadcast_to(v, (*self.front, *own)).reshape(count, *own)

        flat: Inputs = [None if v is None else level(v, rank) for v, rank in zip(arrays, ranks)]
        self.q0: Any = flat[0]
        self.v0, self.controls, target, kp, kd = flat[1:6]
        options = dict(call.options)
        gains = [0.0 if gain is None else gain for gain in (kp, kd)]
        controller = None if target is None else PdController(target, *gains)
        self.how: dict[str, Any] = {
            "controller": controller,
            "dt": options["dt"],
            "steps": options["steps"],
            "every": options.get("every", options["steps"]),
            "integrator": options["integrator"],
            "effort_limits": options.get("effort_limits", False),
            "limits": options.get("limits", False),
            "max_speed": math.inf,
            "parameters": {name: given for name, given in zip(PARAMETERS, flat[6:]) if given is not None},
        }

    def path(self) -> Any:
        return rollout(self.call.model, self.q0, self.v0, self.controls, **self.how)

    def gradient(self, by_q: Any, by_v: Any, wanted: tuple[bool, ...]) -> Any:
        """By gradients by the numbers of the path's states, ``[..., samples, n]``; by the first of them, which is q0
        itself, apart."""
        g_q, g_v = (
            np.broadcast_to(_numbers(g), (*self.front, *g.shape[-2:])).reshape(len(self.q0), *g.shape[-2:])
            for g in (by_q, by_v)
        )
        of = tangents(self.call.model)
        self.by_first = g_q[:, 0]
        g_q = np.concatenate([0.0 * g_q[:, :1], g_q[:, 1:]], 1)
        by_motion = g_q if of.same else of.up_transposed(self.path().q_path, g_q)
        g: dict[str, Any] = {"of_q_path": by_motion, "of_v_path": g_v.astype(by_motion.dtype, copy=False)}
        g["by_parameters"] = [name for name, is_wanted in zip(PARAMETERS, wanted[6:]) if is_wanted]
        return rollout_gradient(self.call.model, self.q0, self.v0, self.controls, **g, **self.how)

    def shaped(self, found: Any, like: Any) -> Any:
        return _back(found.reshape(*self.front, *found.shape[1:]), like)

    def found(self, result: Any, x: Inputs, wanted: tuple[bool, ...], sum_steps: bool) -> Inputs:
        """What is wanted of a gradient, by q0, v0, controls, the controller and parameters of the robot."""
        by = [result.by_q0, result.by_v0, result.by_controls, result.by_q_target, result.by_kp, result.by_kd]
        by += [(result.by_parameters or {}).get(name) for name in PARAMETERS]
        if sum_steps:
            by[2:4] = [None if g is None else g.sum(axis=1) for g in by[2:4]]
        gradients = [self.shaped(g, x[0]) if is_wanted else None for g, is_wanted in zip(by, wanted)]
        for k in (0, 3):  # configurations
            if gradients[k] is not None:
                gradients[k] = raised(self.call, x[k], gradients[k])
        if wanted[0]:
            gradients[0] = gradients[0] + self.shaped(self.by_first, x[0])
        return gradients


class Rollout(ByDifferences):
    """States on the way, ``[samples, n]``."""

    name, names = "rollout", ("q0", "v0", "controls", *PdController._fields, *PARAMETERS)
    ranks, out_ranks = (1, 1, 2, 2, 1, 1, *PARAMETER_RANKS), (2, 2)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        samples = options["steps"] // options["every"] + 1
        return ((samples, model.nq), (samples, model.nv))

    def compiled(self, call: Call) -> tuple[str, ...]:
        return ()

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        run = _Run(call, x, self.ranks)
        found = run.path()
        return run.shaped(found.q_path, x[0]), run.shaped(found.v_path, x[0])

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        run = _Run(call, _beside(x, g[0], self.ranks), self.ranks)
        return run.found(run.gradient(g[0], g[1], wanted), x, wanted, sum_steps=False)


def _beside(x: Inputs, g: Any, ranks: tuple[int, ...]) -> Inputs:
    """Inputs of the leading shape of a gradient by a path, too."""
    front = tuple(g.shape[:-2])
    k = 0
    shape = tuple(x[k].shape)
    wide = np.broadcast_shapes(front, shape[: len(shape) - ranks[k]])
    own = shape[len(shape) - ranks[k] :]
    first = np.broadcast_to(x[k], (*wide, *own)) if isinstance(x[k], NUMPY) else x[k].expand(*wide, *own)
    return [first, *x[1:]]


class Step(ByDifferences):
    """The state after steps through time, which are gone back one by one."""

    name, names = "step", ("q", "v", "tau", "f_ext", *PdController._fields, *PARAMETERS)
    ranks, out_ranks = (1, 1, 1, 2, 1, 1, 1, *PARAMETER_RANKS), (1, 1)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return ((model.nq,), (model.nv,))

    def compiled(self, call: Call) -> tuple[str, ...]:
        ways = [("pull", "step_vjp"), *([("push", "step_jvp")] if _moves_on(call) else [])]
        alone = [way for way, product in ways if dict(call.options)["steps"] == 1 and call.serves(product)]
        return (*super().compiled(call), *alone)

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        options = dict(call.options)
        q_next, v_next = call.of("step", *x[:3], options.pop("dt"), *x[3 : self.own], **options)
        return q_next, v_next

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        own, robot = t[: self.own], t[self.own :]
        if not _moves_on(call):
            return self._by_rows(call, x, t)
        parts = [] if all(way is None for way in own) else [self._onward(call, x, own)]
        if not all(way is None for way in robot):
            parts.append(super().push(call, x, [*[None] * self.own, *robot]))
        return tuple(total(list(some)) for some in zip(*parts))

    def bend(self, call: Call, x: Inputs, t: Inputs, u: Inputs) -> tuple[Any, ...]:
        if not _iterates(call):
            own, robot = t[: self.own], t[self.own :]
            still: Inputs = [None] * self.own
            parts = []
            if any(way is not None for way in own):
                parts.append(super().bend(call, x, [*own, *[None] * len(robot)], u))
            if any(way is not None for way in robot):
                parts.append(self.changes_twice(call, x, [*still, *robot], u))
            return tuple(total(list(some)) for some in zip(*parts))

        def pushed(moved: Inputs) -> Inputs:
            return list(self._by_rows(call.varied(moved), moved, wide(t)))

        return tuple(along(pushed, x, self._felt(u), self.ranks, self.out_ranks, _LONG))

    def fold(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        if not _iterates(call):
            return super().fold(call, x, g, u, wanted)
        return along(lambda moved: call.pull(moved, wide(g), wanted), x, self._felt(u), self.ranks, self.ranks, _LONG)

    def _by_rows(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        """Changes by gradients of every number of the state after the steps, all at once."""
        nq, nv = call.model.nq, call.model.nv
        unit = np.eye(nq + nv)
        moving = tuple(way is not None for way in t)
        fronts = [tuple(v.shape[: len(v.shape) - rank]) for v, rank in zip(x, self.ranks) if v is not None]
        front = np.broadcast_shapes(*fronts)

        def spread(v: Any, own: tuple[int, ...]) -> Any:
            """The same for every row."""
            shape = (nq + nv, *front, *own)
            return np.broadcast_to(v, shape) if isinstance(v, NUMPY) else v.expand(*shape)

        many: Inputs = [
            None if v is None else spread(v, tuple(v.shape[len(v.shape) - rank :])) for v, rank in zip(x, self.ranks)
        ]
        g = [
            spread(constant(rows, x[0]).reshape(nq + nv, *(1,) * len(front), rows.shape[1]), (rows.shape[1],))
            for rows in (unit[:, :nq], unit[:, nq:])
        ]
        found = self.pull(call.varied(many), many, g, moving)
        parts = []
        for gradient, way, rank in zip(found, t, self.ranks):
            if gradient is None:
                continue
            change = gradient * way
            for _ in range(rank):
                change = change.sum(-1)
            parts.append(change)
        changes = first_last(total(parts))
        return changes[..., :nq], changes[..., nq:]

    def _onward(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        """By the products of each step; on the processor where a GPU has none."""
        if not call.serves("step_jvp"):
            found = self._onward(_on_host(call), [_numbers(v) for v in x], [_numbers(way) for way in t])
            return tuple(_back(of, x[0]) for of in found)
        options, still = dict(call.options), zeros(x[0], (call.model.nv,))
        dt, steps = options.pop("dt"), options.pop("steps")
        remembers = {"next_stops": steps > 1 and options["limits"] == "on"}
        q, v, stops, dimpedance = x[0], x[1], None, None
        dq, dv, dtau = (still if way is None else way for way in (lower(call, q, t[0]), t[1], t[2]))
        further = [t[3], None if t[4] is None else lower(call, x[4], t[4]), *t[5:7]]
        for _ in range(steps):
            state = (q, v, x[2], dt, dq, dv, dtau, *x[3 : self.own], stops, *further, dimpedance)
            q, v, dq, dv, *met = call.of("step_jvp", *state, **options, **remembers)
            stops, dimpedance = met or (None, None)
        return tangents(call.model).up(q, dq), dv

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        by_robot = any(wanted[self.own :])
        if x[3] is None and (by_robot or dict(call.options)["steps"] > 1):
            return self._all_at_once(call, x, g, wanted)
        none = (False,) * len(wanted)
        found = self._one_by_one(call, x, g, (*wanted[: self.own], *none[self.own :]))
        if by_robot:
            found[self.own :] = super().pull(call, x, g, (*none[: self.own], *wanted[self.own :]))[self.own :]
        return found

    def _all_at_once(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        """As a rollout under forces and a target that are the same in all steps."""
        steps = dict(call.options)["steps"]
        held = [None if v is None else v[..., None, :] for v in (x[2], x[4])]
        held = [None if v is None else v + 0.0 * _back(np.zeros((steps, 1)), v) for v in held]
        given = [x[0], x[1], *held, *x[5:]]
        ends = [_last(of) for of in g]
        run = _Run(call, _beside(given, ends[0], Rollout.ranks), Rollout.ranks)
        asked = (*wanted[:3], *wanted[4:])
        found = run.found(run.gradient(ends[0], ends[1], asked), [*x[:3], *x[4:]], asked, sum_steps=True)
        return [*found[:3], None, *found[3:]]

    def _one_by_one(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        """By the products of each step, from the last to the first; on the processor where a GPU has none."""
        if not call.serves("step_vjp"):
            found = self._one_by_one(_on_host(call), [_numbers(v) for v in x], [_numbers(v) for v in g], wanted)
            return [None if of is None else _back(of, x[0]) for of in found]
        options, of = dict(call.options), tangents(call.model)
        dt, steps = options.pop("dt"), options.pop("steps")
        held = [x[2], dt, *x[3 : self.own]]
        remembers = {"next_stops": steps > 1 and options["limits"] == "on"}
        states = [(x[0], x[1], None)]
        while len(states) < steps + (not of.same):
            q, v, stops = states[-1]
            q_next, v_next, *met = call.of("step", q, v, *held, stops, **options, **remembers)
            states.append((q_next, v_next, met[0] if met else None))
        by_q = g[0] if of.same else of.up_transposed(states.pop()[0], g[0])
        by_v, by_impedance = g[1], None
        told = {"by_forces": wanted[3], "by_controller": any(wanted[4:7]), **remembers}
        sums: Inputs = []
        for q, v, stops in reversed(states):
            front = (q, v, *held[:2], by_q, by_v, *held[2:], stops, by_impedance)
            _, _, by_q, by_v, *further = call.of("step_vjp", *front, **told, **options)
            if remembers["next_stops"]:
                by_impedance, _ = further.pop(), further.pop()
            sums = further if not sums else [before + one for before, one in zip(sums, further)]
        names = ("tau", *(("f_ext",) if told["by_forces"] else ()), *PdController._fields)
        by = {"q": raised(call, x[0], by_q), "v": by_v, **dict(zip(names, sums))}
        if wanted[4]:
            by[self.names[4]] = raised(call, x[4], by[self.names[4]])
        return gradients(self, x, by, wanted)


def _iterates(call: Call) -> bool:
    """Whether steps end an iteration at a tolerance: gradients have some twelve digits, changes fewer."""
    return bool(dict(call.options)["integrator"] == "implicit_midpoint")


def _moves_on(call: Call) -> bool:
    """Whether step_jvp gives numbers in every state: the changes of implicit_midpoint at stops do not converge."""
    return not _iterates(call) or dict(call.options)["limits"] == "off"


def _on_host(call: Call) -> Call:
    return replace(call, device="cpu", parameters=tuple((name, _numbers(v)) for name, v in call.parameters))


def _last(g: Any) -> Any:
    """A gradient by the last state as one by the first and the last."""
    numbers = _numbers(g)
    return np.stack([np.zeros_like(numbers), numbers], -2)

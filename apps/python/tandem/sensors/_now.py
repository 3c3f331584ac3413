# SPDX-License-Identifier: Apache-2.0
"""Accelerations and forces of the robots of a simulation in their states."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tandem import functions
from tandem.contact import ContactDynamics
from tandem.drive import PdController, actuator_forces
from tandem.functions import Array
from tandem.simulation import Simulation


class Forces(NamedTuple):
    """Of n states; None: there are none, or they are not known."""

    a: Array | None = None
    f_contact: Array | None = None
    f_limit: Array | None = None
    f_loop: Array | None = None


def contact_dynamics_of(simulation: Simulation) -> ContactDynamics | None:
    """What a step of the simulation solves, without what it makes implicit."""
    own = simulation._contacts
    if own is None:
        return None
    options: dict[str, Any] = {**own._options, "time_step": simulation.dt, "limits": simulation._how["limits"]}
    return ContactDynamics(own.contacts, **options)


def forces_now(
    simulation: Simulation,
    contacts: ContactDynamics | None,
    q: Array,
    v: Array,
    tau: Array,
    f_ext: Array | None,
    parameters: dict[str, Array],
    threads: int,
) -> Forces:
    """Accelerations and forces at states ``[n, nq]``, ``[n, nv]``. Gains of controllers and servos, springs and damping
    are explicit."""
    model, status = simulation.model, np.empty(len(q), np.uint8)
    options: dict[str, Any] = {"threads": threads, "status": status}
    torque = _driven(simulation, q, v, tau, options)
    if contacts is None:
        torque += functions.passive_forces(model, q, v, parameters=parameters, **options)
        if model.n_loops:
            a, f_loop = functions.closed_loop_dynamics(model, q, v, torque, f_ext, forces=True, parameters=parameters,
                                                       **options)
            return Forces(a, f_loop=f_loop)
        return Forces(functions.forward_dynamics(model, q, v, torque, f_ext, parameters=parameters, **options))
    springs = {**parameters, "friction": np.zeros(model.nv)}  # contact dynamics has the dry friction
    torque += functions.passive_forces(model, q, v, parameters=springs, **options)
    found = contacts(q, v, torque, f_ext=f_ext, threads=threads, parameters=parameters)
    return Forces(found.a, found.f_contact, found.f_limit, found.f_loop)


def _driven(simulation: Simulation, q: Array, v: Array, tau: Array, options: dict[str, Any]) -> Array:
    """Joint torques with those of the controller and of gravity compensation."""
    model, core, n = simulation.model, simulation._core, len(q)
    total = np.array(np.broadcast_to(tau, (n, model.nv)), float)
    if simulation._driven:
        total += actuator_forces(model, q, v, simulation.ctrl.reshape(n, -1), simulation.act.reshape(n, -1))
    if simulation._how["gravity_compensation"]:
        total += functions.gravity_forces(model, q, **options)
    if core.kp.size:
        inputs = (getattr(core, name) for name in PdController._fields)
        target, kp, kd = (np.asarray(x, float).reshape(n, -1) for x in inputs)
        torque = kp * functions.difference(model, q, target, **options) - kd * v
        total += np.clip(torque, -model.tau_limit, model.tau_limit)
    return np.clip(total, -model.tau_limit, model.tau_limit) if simulation._how["effort_limits"] else total

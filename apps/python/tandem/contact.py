# SPDX-License-Identifier: Apache-2.0
"""Contacts between the shapes of a robot, and their forces."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.arguments import new_array, real_numbers, switch, whole_number
from tandem._common.batch_options import Parameters
from tandem._common.found_contacts import FoundContacts, found_contacts as found_contacts
from tandem._core import ContactSet, Model
from tandem.errors import Error
from tandem.functions import Array

ContactLaw: TypeAlias = Literal["servo", "servo_implicit", "stop"]
FrictionCone: TypeAlias = Literal["elliptic", "pyramidal", "disc"]


class Contacts(NamedTuple):
    """Contacts by the slots of a :class:`tandem.ContactSet`, in the axes of the world."""

    distance: Array  #: ``[..., n_slots]`` distance of the surfaces, m; below 0: they overlap; infinite: no contact
    position: Array  #: ``[..., n_slots, 3]`` midpoint between the surfaces, m
    frame: Array  #: ``[..., n_slots, 3, 3]`` rows: the normal, from shape 1 to shape 2 of the pair, and two tangents

    @property
    def normal(self) -> Array:
        """``[..., n_slots, 3]`` unit vectors from shape 1 to shape 2 of the pair."""
        return self.frame[..., 0, :]


def contacts(robot: Model | ContactSet, q: ArrayLike) -> Contacts:
    """Compute distances, points and frames of the contacts of a robot's shapes.

    Shapes that are far apart are included: contact forces act if the distance is below the margin of the pair. Forces
    are not computed. For many calls, make a :class:`tandem.ContactSet` once.

    Args:
        robot: a contact set, or a model, whose pairs are those of ``ContactSet(model)``
        q: ``[..., nq]`` configuration, rad|m

    Raises:
        Error: for a q of wrong shape, and if a pair is not supported, see :class:`tandem.ContactSet`

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(1, 0, 0, 1, 0, 1))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> found = tandem.contacts(ball, [0, 0, 0.3, 0, 0, 0, 1])
    >>> found.distance.round(3).tolist(), found.position.round(3).tolist(), found.normal.tolist()
    ([0.2], [[0.0, 0.0, 0.1]], [[0.0, 0.0, 1.0]])
    """
    chosen = robot if isinstance(robot, ContactSet) else ContactSet(robot)
    nq = chosen.model.nq
    given = real_numbers("contacts: q", q)
    if given.ndim == 0 or given.shape[-1] != nq:
        raise Error(f"contacts: q has shape {given.shape}, expected (..., {nq}): this robot has nq = {nq}")
    front, n = given.shape[:-1], chosen.n_slots
    rows = np.ascontiguousarray(given.reshape(math.prod(front), nq))
    distance, position, frame = (np.empty((len(rows), size * n)) for size in (1, 3, 9))
    _core.fill_contacts(chosen, rows, distance, position, frame)
    return Contacts(distance.reshape(*front, n), position.reshape(*front, n, 3), frame.reshape(*front, n, 3, 3))


class ContactAcceleration(NamedTuple):
    """Accelerations and forces of contact dynamics, with the leading axes of the states."""

    a: Array  #: ``[..., nv]`` acceleration, rad/s^2|m/s^2
    #: ``[..., n_slots, 6]`` force of shape 1 on shape 2 along the normal and the two tangents of :class:`Contacts`, N;
    #: then moments about them, N m; 0 in slots without contact
    f_contact: Array
    f_limit: Array  #: ``[..., nv]`` forces of joint limits, N m|N
    f_friction: Array  #: ``[..., nv]`` dry friction of the joints, N m|N
    #: ``[..., n_loops, 6]`` wrenches of loop joints on their second links, as :func:`tandem.closed_loop_dynamics` has
    #: them, N, N m
    f_loop: Array
    #: ``[..., couplers]`` forces of couplers on the joints or tendons that follow, N m|N
    f_coupler: Array
    converged: Any  #: ``[...]`` whether the tolerance was reached
    steps: Any  #: ``[...]`` number of Newton steps
    dropped: Any = 0  #: ``[...]`` on a GPU: contacts beyond the room of a state, which is then NaN; else 0
    found: FoundContacts | None = None  #: contacts without slots, of a contact set that finds pairs; else None


class ContactDynamics:
    """Forward dynamics with contacts, joint limits and dry friction: MuJoCo's soft contact model.

    Springs and dampers hold loop joints and couplers, as MuJoCo's equality constraints.

    An instance is made once and called for many states.

    Args:
        robot: a contact set, or a model, whose pairs are those of ``ContactSet(model)``
        law: response of contacts, limits and friction in a time step: ``"servo"`` (MuJoCo's), a spring and damper at
            the beginning of the step; ``"servo_implicit"``, at its end; ``"stop"``, nearly rigid, without rebound
        cone: ``"elliptic"``, ``"pyramidal"``, or ``"disc"``, whose friction is bounded by the normal force of the step
            before, here that of the first Newton step; None: as in the description
        impratio: ratio of frictional to normal impedance; None: as in the description
        time_step: time step, s, which limits the stiffness; None: that of the description, or 0.002
        tolerance: relative tolerance of accelerations, in the norm of the mass matrix
        most_steps: limit of Newton steps
        limits: whether limits of joints and tendons act
        friction: whether dry friction of joints and tendons acts
        tendon_springs: whether springs and damping of tendons act; False: tau contains their forces, as MuJoCo's
            ``qfrc_passive`` does
        limit_softness: ``[nv, 7]`` or ``[7]`` solref (2) and solimp (5) of joint limits; None: as in the description
        friction_softness: the same for dry friction
        max_contacts: on a GPU: contacts at a time that a robot has room for; None: all slots if these take
            less than 8 kB, else 48. In rollouts a robot with more counts as diverged, and ``contact_tally.dropped``
            says how many did not fit
        max_contact_columns: the same for rows of contacts between two moving links, 1 to 6 a contact; None: all if
            these take less than 8 kB, else 24

    Raises:
        Error: if a pair is not supported, or an option is not valid

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> dynamics = tandem.contact.ContactDynamics(ball)
    >>> found = dynamics([0, 0, 0.0995, 0, 0, 0, 1], np.zeros(6), np.zeros(6))
    >>> found.a[2].round(4), found.f_contact[0, 0].round(4), found.converged
    (np.float64(0.4493), np.float64(10.2593), True)
    """

    def __init__(
        self,
        robot: Model | ContactSet,
        *,
        law: ContactLaw = "servo",
        cone: FrictionCone | None = None,
        impratio: float | None = None,
        time_step: float | None = None,
        tolerance: float = 1e-3,
        most_steps: int = 20,
        limits: bool = True,
        friction: bool = True,
        tendon_springs: bool = True,
        limit_softness: ArrayLike | None = None,
        friction_softness: ArrayLike | None = None,
        max_contacts: int | None = None,
        max_contact_columns: int | None = None,
    ) -> None:
        self._set = robot if isinstance(robot, ContactSet) else ContactSet(robot)
        self._options = {
            "law": law,
            "cone": cone,
            "impratio": impratio,
            "time_step": time_step,
            "tolerance": tolerance,
            "most_steps": most_steps,
            "limits": limits,
            "friction": friction,
            "tendon_springs": tendon_springs,
            "limit_softness": limit_softness,
            "friction_softness": friction_softness,
            "max_contacts": max_contacts,
            "max_contact_columns": max_contact_columns,
        }
        nv = self._set.model.nv
        soft = [_softness(name, x, nv) for name,
                x in (("limit_softness", limit_softness), ("friction_softness", friction_softness))]
        self._core = _core.ContactDynamics(
            self._set,
            law,
            cone,
            None if impratio is None else float(impratio),
            None if time_step is None else float(time_step),
            float(tolerance),
            whole_number("ContactDynamics: most_steps", most_steps, 1, 10**6),
            switch("ContactDynamics: limits", limits),
            switch("ContactDynamics: friction", friction),
            switch("ContactDynamics: tendon_springs", tendon_springs),
            *soft,
            *(
                0 if most is None else whole_number(f"ContactDynamics: {name}", most, 1, 10**6)
                for name, most in (("max_contacts", max_contacts), ("max_contact_columns", max_contact_columns))
            ),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copies."""
        return _remade, (self._set, self._options)

    @property
    def core(self) -> _core.ContactDynamics:
        """The compiled object, for simulations."""
        return self._core

    @property
    def contacts(self) -> ContactSet:
        """Pairs of shapes that can touch."""
        return self._set

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        begin: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        threads: int = 0,
        device: Literal["cpu", "cuda"] = "cpu",
        parameters: Parameters | None = None,
    ) -> ContactAcceleration:
        """Compute accelerations and forces of one state or of arrays of states, whose leading axes broadcast.

        Results of a state do not depend on the others, and NaN does not spread to them.

        Args:
            q: ``[..., nq]`` configuration, rad|m
            v: ``[..., nv]`` velocity, rad/s|m/s
            tau: ``[..., nv]`` joint torques without dry friction and limits, N m|N. With springs and damping of the
                model: ``tandem.passive_forces(model, q, v, parameters={"friction": np.zeros(nv)})``
            begin: ``[..., nv]`` initial guess of the acceleration, preferably that of the previous time step; None: 0
            f_ext: ``[..., n_links, 6]`` wrenches on the links as in :func:`tandem.forward_dynamics`, N, N m
            threads: 0: all cores
            device: ``"cuda"``: one GPU thread per state. States with more contacts than ``max_contacts`` are NaN and
                did not converge
            parameters: parameters of the states that differ from the model, as in :mod:`tandem.functions`, with
                leading axes as those of ``q``; on the CPU. Softness stays that of the model

        Raises:
            Error: for a wrong shape; for pairs that are computed by support functions, on a GPU
        """
        model, n_slots = self._set.model, self._set.n_slots
        n_couplers = len(model.couplers)
        given: dict[str, tuple[ArrayLike | None, tuple[int, ...]]] = {
            "q": (q, (model.nq,)),
            "v": (v, (model.nv,)),
            "tau": (tau, (model.nv,)),
            "begin": (begin, (model.nv,)),
            "f_ext": (f_ext, (model.n_links, 6)),
        }
        own = {f"parameters: {name}": name for name in parameters or {}}
        for label, name in own.items():
            given[label] = (parameters or {})[name], model.parameter(name).shape
        arrays: dict[str, Array] = {}
        for name, (values, shape) in given.items():
            if values is None:
                continue
            array = real_numbers(f"contact_dynamics: {name}", values)
            if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
                expected = ", ".join(["..."] + [str(size) for size in shape])
                raise Error(f"contact_dynamics: {name} has shape {array.shape}, expected ({expected}): {_sizes(model)}")
            arrays[name] = array
        fronts = {name: x.shape[: x.ndim - len(given[name][1])] for name, x in arrays.items()}
        try:
            front = np.broadcast_shapes(*fronts.values())
        except ValueError:
            named = ", ".join(f"{name} {shape}" for name, shape in fronts.items())
            raise Error(f"contact_dynamics: leading axes do not broadcast: {named}") from None
        n = int(np.prod(front))
        rows: dict[str, Array | None] = dict.fromkeys(given)
        for name, array in arrays.items():
            shape = given[name][1]
            rows[name] = np.ascontiguousarray(np.broadcast_to(array, front + shape)).reshape(n, int(np.prod(shape)))
        varied = [(name, rows.pop(label)) for label, name in own.items()]
        a, f_limit, f_friction = (new_array("contact_dynamics", (n, model.nv)) for _ in range(3))
        f_contact = new_array("contact_dynamics", (n, 6 * n_slots))
        f_loop = new_array("contact_dynamics", (n, 6 * model.n_loops))
        f_coupler = new_array("contact_dynamics", (n, n_couplers))
        converged, steps = np.empty(n, np.uint8), np.empty(n, np.int32)
        threads = whole_number("contact_dynamics: threads", threads, 0)
        if device not in ("cpu", "cuda"):
            raise Error(f'contact_dynamics: device is {device!r}, expected "cpu" or "cuda"')
        dropped = np.empty(n, np.int32)
        found = self._core.solve(device, threads, *rows.values(), a, f_limit, f_friction, f_contact, f_loop, f_coupler,
                         converged, steps, dropped, varied)
        vectors = (x.reshape(*front, model.nv) for x in (a, f_limit, f_friction))
        a, f_limit, f_friction = vectors
        of_states: tuple[Any, ...] = (converged.astype(bool).reshape(front), steps.reshape(front),
                                      dropped.reshape(front))
        if not front:
            of_states = bool(converged[0]), int(steps[0]), int(dropped[0])
        forces = (f_contact.reshape(*front, n_slots, 6), f_limit, f_friction,
                  f_loop.reshape(*front, model.n_loops, 6), f_coupler.reshape(*front, n_couplers))
        return ContactAcceleration(a, *forces, *of_states, FoundContacts(*found) if self._set.finds_pairs else None)


class ContactTally(NamedTuple):
    """Statistics of contact dynamics for a robot, or arrays ``[batch]`` of a rollout; zeros without contacts."""

    solutions: Any  #: number of solutions, one per step, four of ``rk4``
    steps: Any  #: Newton steps of all solutions
    not_converged: Any  #: solutions that did not converge
    #: J, energy absorbed by contacts and tendons less energy returned by them; part of ``dissipated``
    taken: Any
    dropped: Any = 0  #: on a GPU: contacts beyond the room of the robot, which then counts as diverged


class ContactOptions(TypedDict, total=False):
    """Options of contacts in steps: those of :class:`tandem.contact.ContactDynamics`, and ``damping``."""

    law: ContactLaw
    cone: FrictionCone
    impratio: float
    tolerance: float
    most_steps: int
    limit_softness: ArrayLike
    friction_softness: ArrayLike
    max_contacts: int
    max_contact_columns: int
    #: when joint damping acts: ``"after"`` contacts are solved, with springs as at the beginning of the step, as in
    #: MuJoCo's Euler, or ``"within"``, with springs as at its end; default:
    #: ``"after"`` if the description's integrator is Euler, implicit or implicitfast
    damping: Literal["after", "within"]


def solver_of(
    caller: str, contacts: ContactSet | None, options: ContactOptions | None
) -> tuple[ContactDynamics | None, str | None]:
    """Contact dynamics of a simulation or rollout, and when joint damping acts."""
    given: dict[str, Any] = dict(options or {})
    if contacts is None and given:
        raise Error(f"{caller}: contact_options without contacts; give a ContactSet as contacts")
    for name in given:
        if name not in ContactOptions.__annotations__:
            known = ", ".join(ContactOptions.__annotations__)
            raise Error(f'{caller}: contact_options has no "{name}"; there are {known}')
    if contacts is not None and not isinstance(contacts, ContactSet):
        raise Error(
            f"{caller}: contacts is of type {type(contacts).__name__}, expected a tandem.ContactSet, such as "
            "tandem.ContactSet(model)"
        )
    damping = given.pop("damping", None)
    return None if contacts is None else ContactDynamics(contacts, **given), damping


def contact_dynamics(
    robot: Model | ContactSet,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    begin: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    threads: int = 0,
    device: Literal["cpu", "cuda"] = "cpu",
    **options: Any,
) -> ContactAcceleration:
    """Compute forward dynamics with contacts, joint limits and dry friction of the joints.

    The model of contacts is MuJoCo's soft contact model. For many calls, make a
    :class:`tandem.contact.ContactDynamics` once.

    Args:
        robot: a contact set, or a model, whose pairs are those of ``ContactSet(model)``
        q: ``[..., nq]`` configuration, rad|m
        v: ``[..., nv]`` velocity, rad/s|m/s
        tau: ``[..., nv]`` joint torques without dry friction and limits, N m|N. With springs and damping of the model:
            ``tandem.passive_forces(model, q, v, parameters={"friction": np.zeros(nv)})``
        begin: ``[..., nv]`` initial guess of the acceleration, rad/s^2|m/s^2; None: 0
        f_ext: ``[..., n_links, 6]`` wrenches on the links, N, N m
        threads: 0: all cores
        device: ``"cuda"``: one GPU thread per state, see :class:`tandem.contact.ContactDynamics`
        **options: those of :class:`tandem.contact.ContactDynamics`

    Raises:
        Error: if a pair is not supported, a shape is wrong, or an option is not valid

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> heights = np.array([0.0995, 0.2])
    >>> q = np.array([[0, 0, z, 0, 0, 0, 1] for z in heights])
    >>> found = tandem.contact_dynamics(ball, q, np.zeros(6), np.zeros(6))
    >>> found.a[:, 2].round(4).tolist(), found.f_contact[:, 0, 0].round(4).tolist()
    ([0.4493, -9.81], [10.2593, 0.0])
    """
    return ContactDynamics(robot, **options)(q, v, tau, begin=begin, f_ext=f_ext, threads=threads, device=device)


def _remade(chosen: ContactSet, options: dict[str, Any]) -> ContactDynamics:
    return ContactDynamics(chosen, **options)


def _sizes(model: Model) -> str:
    return f"this robot has nq = {model.nq}, nv = {model.nv}, {model.n_links} links"


def _softness(name: str, given: ArrayLike | None, nv: int) -> list[float]:
    if given is None:
        return []
    rows = real_numbers(f"contact_dynamics: {name}", given)
    if rows.shape not in ((7,), (nv, 7)):
        raise Error(f"contact_dynamics: {name} has shape {rows.shape}, expected (7,) or ({nv}, 7): solref and solimp "
                    "of each joint")
    numbers: list[float] = np.broadcast_to(rows, (nv, 7)).ravel().tolist()
    return numbers

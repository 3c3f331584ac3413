# SPDX-License-Identifier: Apache-2.0
"""The words that stand at the top of tandem.functions: what holds for every function."""

MODULE = """The algorithms, over NumPy and other arrays; for configurations, see also :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of them of any shape,
    ``(..., nq)``: ``(batch, nq)``, ``(robots, steps, nq)``. Leading axes broadcast as NumPy's do, so that one
    state stands for all of a batch, and ``(3, 1, nq)`` beside ``(4, nv)`` are twelve states. Results have the
    leading axes of all.
Precision
    float32 or float64: that of the first array among the arguments, float64 if there is none. All other
    inputs and parameters are converted to it; outputs must have it.
Arrays
    Those of NumPy, and of every library that hands out memory of the processor by DLPack: PyTorch, JAX. New
    results are of the kind of the first input that is an array.
Copies
    There are none as long as the numbers of each state lie equally far apart: ``(batch, n)`` in C order, with
    gaps, reversed, or transposed, as ``x.T`` of an ``(n, batch)`` array; of several leading axes if the
    states do, too, all of them in C order. Other arrays, and those that broadcast along some axes only, are
    copied first.
``out``
    An array, or a tuple of arrays where several are returned, to write the result to; it is returned. It may
    lie in the memory of an input, which is then copied first, but not in that of another output.
``threads``
    How many threads share a batch; 0 or None: all cores. A small batch stays on the calling thread. The
    results have the same bits on any number. Other Python threads run during long calls and may share models.
``status``
    An array of uint8, of the leading shape, ``(batch,)``, to write the :class:`tandem.Status` of each state
    to. Without it, what needs the inverse of the mass matrix warns of a :class:`tandem.SingularWarning` if
    there is none: it looks at some sixteen states of a batch, at all of them if ``parameters`` are given.
``parameters``
    What of the model differs from state to state, by name: ``{"mass": masses, "gravity": gravity}`` with
    arrays ``(..., n_links)`` and ``(..., 3)``, which broadcast with the arguments. :func:`tandem.parameters`
    lists them. Those of links are along the axes of the link's frame. Masses, armature, damping, friction and
    stiffness must not be negative.
``device``
    ``"cuda"`` computes on an NVIDIA GPU, ``"auto"`` where the arrays lie; if they lie on the host, there or
    on the processor, whichever ``tandem tune`` measured to be faster for so many states: the processor where
    nothing was measured. Arrays of NumPy go there and back. Those of PyTorch, CuPy and JAX that lie on a GPU
    are used as they are, on the current stream of the first one's package; results are made of its kind
    there, and the call returns before they are ready, as those packages have it (JAX, which follows no other
    stream, is waited for). Nothing is looked into there for a :class:`tandem.SingularWarning`; an array of
    uint8 on the GPU as ``status`` tells.
Plans
    What calls need besides their arrays (the method that was decided on, the numbers of a robot that is to be
    divided, its copy on a GPU) each thread keeps for the last few robots and options. :class:`tandem.Plan`
    holds it for good, and for all threads.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, what was expected and what was given.

Sources
    Keys in brackets are those of docs/notation.md: [RBDA] is R. Featherstone, *Rigid Body Dynamics
    Algorithms*, 2008. Those of methods stand at :data:`Method`.

Units are SI; "rad|m" is rad for a joint that turns, m for one that slides. Spatial vectors are linear first.
"""

#: by the sizes of an argument: how its numbers lie, where the tables do not say so; all of it stands at Model
CONVENTIONS = {
    "nq": "joint after joint; a free one x y z and a quaternion x y z w, a ball joint the quaternion",
    "nv": "joint after joint; a free one linear then angular, a ball joint angular, "
          "along the axes of the link it carries",
    "nv, nv": "rows and columns as in v",
    "3, nv": "columns as in v",
}

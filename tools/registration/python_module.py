# SPDX-License-Identifier: Apache-2.0
"""The docstring of the module tandem.functions."""

MODULE = """The algorithms, for NumPy and other arrays; for configurations, see also :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of any shape, ``(..., nq)``:
    ``(batch, nq)``, ``(robots, steps, nq)``. Leading axes broadcast as in NumPy, so that one state can be combined
    with a batch, and ``(3, 1, nq)`` with ``(4, nv)`` gives twelve states. Results have the broadcast leading axes.
Precision
    float32 or float64: that of the first array among the arguments, float64 if there is none. All other
    inputs and parameters are converted to it; outputs must have it.
Arrays
    NumPy arrays, and arrays in host memory that support DLPack, such as those of PyTorch and JAX. New results
    have the type of the first input that is an array.
Copies
    Arrays are not copied if the numbers of each state are evenly spaced: ``(batch, n)`` in C order, with gaps,
    reversed, or transposed, such as ``x.T`` of an ``(n, batch)`` array; with several leading axes if the states
    are evenly spaced in C order, too. Other arrays, and those that broadcast along some axes only, are copied.
``out``
    An array, or a tuple of arrays for several results, to which the result is written; it is returned. It may
    overlap an input, which is then copied first, but not another output.
``threads``
    Number of threads for a batch; 0 or None: all cores. A small batch is computed on the calling thread. The
    results are bit-identical for any number. The global interpreter lock is released during long calls; models
    may be shared between threads.
``status``
    An array of uint8 of the leading shape, ``(batch,)``, that receives the :class:`tandem.Status` of each state.
    Without it, functions that need the inverse of the mass matrix issue a :class:`tandem.SingularWarning` if it
    is singular; they check about sixteen states of a batch, or all if ``parameters`` are given.
``parameters``
    Parameters of the model for each state, by name: ``{"mass": masses, "gravity": gravity}`` with arrays
    ``(..., n_links)`` and ``(..., 3)``, which broadcast with the arguments. See :func:`tandem.parameters`.
    Parameters of links are along the axes of the link's frame. Masses, armature, damping, friction and
    stiffness must not be negative.
``device``
    ``"cuda"`` computes on an NVIDIA GPU. ``"auto"`` computes where the arrays are; for arrays in host memory it
    selects the faster device by the measurements of ``tandem tune``, or the CPU if there are none. NumPy arrays
    are copied to the GPU and back. Arrays of PyTorch, CuPy and JAX on a GPU are used in place, on the current
    stream of the package of the first one; results are of its type, and the call returns before they are ready
    (except for JAX, which is synchronized). There is no :class:`tandem.SingularWarning` on a GPU; use ``status``.
Plans
    Each thread caches what calls need besides their arrays (selected method, the divided robot, its copy on a
    GPU) for the last few robots and options. :class:`tandem.Plan` keeps it, and can be shared between threads.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, the expected and the given value.

Sources
    Keys in brackets are those of docs/notation.md: [RBDA] is R. Featherstone, *Rigid Body Dynamics
    Algorithms*, 2008. See :data:`Method` for those of methods.

Units are SI; "rad|m" is rad for a revolute joint, m for a prismatic one. Spatial vectors are linear first.
"""

#: by the shape of an argument: the order of its numbers, unless the tables give it; see Model
CONVENTIONS = {
    "nq": "by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion",
    "nv": "by joint; free joints linear then angular, spherical joints angular, along the axes of the child link",
    "nv, nv": "rows and columns as in v",
    "3, nv": "columns as in v",
}

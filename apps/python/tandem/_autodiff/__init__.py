# SPDX-License-Identifier: Apache-2.0
"""Derivatives for frameworks that differentiate: behind :mod:`tandem.torch`, :mod:`tandem.jax` and
:mod:`tandem.casadi`."""

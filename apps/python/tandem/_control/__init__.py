# SPDX-License-Identifier: Apache-2.0
"""Parts of controllers and environments: behind :mod:`tandem.ilqr` and :mod:`tandem.gymnasium`."""

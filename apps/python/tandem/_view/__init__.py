# SPDX-License-Identifier: Apache-2.0
"""Drawing: behind :func:`tandem.view`, :mod:`tandem.scene`, :mod:`tandem.film` and :mod:`tandem.plot`."""

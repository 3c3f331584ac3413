# SPDX-License-Identifier: Apache-2.0
"""Models of Pinocchio and MuJoCo: behind :mod:`tandem.bridges`."""

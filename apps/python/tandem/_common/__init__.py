# SPDX-License-Identifier: Apache-2.0
"""What modules of the package share: checks of arguments, options of a batch, files, other packages."""

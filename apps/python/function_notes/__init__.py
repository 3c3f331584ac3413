# SPDX-License-Identifier: Apache-2.0
"""What of tandem.functions the tables of the library do not know: finer words, formulas, examples.

write_functions.py puts them into the docstrings of the module it writes. A file a family; derivatives stand behind what they are
of. Of each function:

summary   the first line, where the table's is not enough
text      what follows it
notes     by argument or option: what comes after meaning, shape and units
flags     by optional output: the keyword that asks for it, and what that does
example   runs as a test
"""

from . import configurations, forward_dynamics, inverse_dynamics, kinematics, mass_matrix, momentum_and_energy
from .module import MODULE

__all__ = ["CONVENTIONS", "FUNCTIONS", "MODULE"]

#: by the sizes of an argument: how its numbers lie, where the tables do not say so; all of it stands at Model
CONVENTIONS = {
    "nq": "joint after joint; a free one x y z and a quaternion x y z w, a ball joint the quaternion",
    "nv": "joint after joint; a free one linear then angular, a ball joint angular, along the axes of the link it carries",
    "nv, nv": "rows and columns as in v",
    "3, nv": "columns as in v",
}

FAMILIES = (kinematics, configurations, inverse_dynamics, mass_matrix, forward_dynamics, momentum_and_energy)

#: by the name of the function
FUNCTIONS = {name: notes for family in FAMILIES for name, notes in family.FUNCTIONS.items()}

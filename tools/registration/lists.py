# SPDX-License-Identifier: Apache-2.0
"""The list of algorithms and the lists of their kernels."""
from .headers import grouped
from .text import filled

BY = "tools/register.py"


def all_hpp(algorithms):
    """include/tandem/detail/all_algorithms.hpp."""
    headers = sorted({a.header for a in algorithms})
    includes = "\n".join(f'#include "tandem/detail/{header}.hpp"' for header in headers)
    names = [a.type for a in algorithms]
    listed = filled([f"{name}," for name in names[:-1]], "    TypeList<", 120, indent=13)
    listed += f"\n             {names[-1]}>;"
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Every algorithm, and one list of them. Written by {BY}.
#pragma once
{includes}

namespace tandem::inline TANDEM_ISA {{

template <class... T>
struct TypeList {{}};

/// What tables, bindings, the command line and the tests run over.
using Algorithms =
{listed}

}}  // namespace tandem::inline TANDEM_ISA
"""


def cpu_kernels(algorithms, beside):
    """src/backends/cpu/problems.cmake."""
    lines = []
    for group in grouped([*algorithms, *beside], "compiled_with"):
        words = []
        for a in group:
            words += [a.header] * (a.header not in words) + [a.type]
        lines.append(filled(words, '    "', 118, indent=0, glue=" \\\n") + '"')
    return f"""# SPDX-License-Identifier: Apache-2.0
# Which algorithms are compiled together (`compiled_with` in their headers): headers, each followed by its algorithms.
# Written by {BY}.
set(problems
{chr(10).join(lines)})
"""


def cuda_kernels(algorithms):
    """src/backends/cuda/problems.cmake."""
    served = [a for a in algorithms if not a.is_without_device_kernels]
    lines = []
    for group in grouped(served, "cuda_with"):
        bodies = [(body, a.get("cuda_apart")) for a in group for body in a.get("cuda_bodies", [a.type])]
        if any(apart for _, apart in bodies):
            lines += [f'    "{body}:{real}"' for body, _ in bodies for real in ("double", "float")]
        else:
            lines.append(f'    "{",".join(body for body, _ in bodies)}"')
    apart = [a.type for a in served if a.get("cuda_passes_apart")]
    apart = filled(apart, "set(tandem_cuda_passes_apart ", 120, indent=4)
    return f"""# SPDX-License-Identifier: Apache-2.0
# The bodies that a source of the CUDA driver compiles (`cuda_with` in their headers); a body and a precision alone
# where that takes long (`cuda_apart`). Written by {BY}.
set(tandem_cuda_sources
{chr(10).join(lines)})
# whose passes over the links are functions of their own, as they come often
{apart})
"""

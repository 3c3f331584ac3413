# SPDX-License-Identifier: Apache-2.0
"""Calls of every function of C++, for the tests that compare them with evaluate()."""
from .cpp import functions
from .text import filled

WIDTH = 120


def listed(words, start, end):
    """A call in lines of the usual width."""
    words = [word + "," for word in words[:-1]] + [words[-1] + end]
    return filled(words, start, WIDTH, indent=8)


def of_one_state(f):
    outputs = [name for name, a in f.arguments.items() if a["role"].endswith("output")]

    def given(name):
        a = f.arguments[name]
        is_scalar = not a["sizes"] and not a["role"].startswith("optional")
        return (name if name in outputs else f'x("{name}")') + "[0]" * is_scalar

    words, told = ["m"], False
    for name in f.order:
        if (name == "work" or name in outputs) and not told and not f.more:
            words += ["m.n_frames() - 1"] * ("frame" in f.reads) + ["Reference::local"] * ("reference" in f.reads)
            told = True
        words.append("work" if name == "work" else given(name))
    if f.more:
        members = [f".{name} = {given(name)}" for name in f.in_struct()]
        words += ["{" + members[0], *members[1:]]
        words[-1] += "}"
    spans = filled([f'{name} = out("{name}"),' for name in outputs[:-1]] + [f'{outputs[-1]} = out("{outputs[-1]}");'],
                   "    const auto ", WIDTH, indent=15)
    result = f"{f.returns}[0] = " if f.returns else ""
    call = listed(words, f"    {result}{f.name}<T>(", ");")
    return (f'  check("{f.name}", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {{\n'
            f"{spans}\n{call}\n  }});\n")


def of_a_batch(f):
    def members(inputs):
        return [f'.{name} = x("{name}")' for name, a in f.arguments.items() if a["role"].endswith("input") == inputs]

    inputs, outputs = members(True), members(False)
    inputs += [".frame = frame"] * ("frame" in f.reads)
    words = ["m", "{" + inputs[0], *inputs[1:]]
    words[-1] += "}"
    words += ["{" + outputs[0], *outputs[1:]]
    words[-1] += "}"
    call = listed([*words, "work"], f"    {f.name}(", ");")
    frame = " frame" * ("frame" in f.reads)
    return f'  check("{f.name}", [](const Model& m, auto x, auto& work, int{frame}) {{\n{call}\n  }});\n'


def head(what, include):
    return f"""// SPDX-License-Identifier: Apache-2.0
/// {what} Written by tools/register.py.
#pragma once
#include "{include}"

namespace tandem::test {{

"""


def function_calls(algorithms, tables):
    """tests/properties/function_calls.hpp."""
    calls = "".join(map(of_one_state, functions(algorithms, tables)))
    return head("A call of every function of one state, with all arguments.", "tandem/api/functions.hpp") + f"""\
/// check(name, call) for each: call(model, x, out, work) with x(name) of inputs and out(name) of outputs.
template <class T, class F>
void for_each_function(F&& check) {{
{calls}}}

}}  // namespace tandem::test
"""


def batch_calls(algorithms, tables):
    """tests/api/batch_calls.hpp."""
    calls = "".join(map(of_a_batch, functions(algorithms, tables)))
    return head("A call of every function of batches, with all arguments by name.", "tandem/api/batches.hpp") + f"""\
/// check(name, call) for each: call(model, x, work, frame) with x(name) of an argument.
template <class F>
void for_each_batch_function(F&& check) {{
{calls}}}

}}  // namespace tandem::test
"""


def ignore_loops(algorithms, tables):
    """tests/closed_loops/ignore_loops.hpp."""
    names = [f'"{table["name"]}",' for a, table in zip(algorithms, tables) if a.get("ignores_loops")]
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Functions of the tree (`ignores_loops` in their headers). Written by tools/register.py.
#pragma once

namespace tandem::test {{

inline constexpr const char* ignore_loops[] = {{
{filled(names, "    ", WIDTH, indent=4)}
}};

}}  // namespace tandem::test
"""

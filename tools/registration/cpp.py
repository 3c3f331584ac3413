# SPDX-License-Identifier: Apache-2.0
"""The functions of C++: of one state (functions.hpp, functions.cpp), of batches with named arguments (batches.hpp)."""
from .headers import RegistrationError, in_order
from .text import filled, reflowed, without_markup, wrapped

WIDTH = 120
OF_PROBLEM = ("frame", "reference")
ALONG = "along which axes, and of which point"


class Function:
    """An algorithm as a C++ function of one state."""

    def __init__(self, registered, table):
        self.registered, self.name, self.type = registered, table["name"], registered.type
        self.arguments = {a["name"]: a for a in table["arguments"]}
        self.reads, self.has_methods = table["own_options"], table["has_own_methods"]
        self.summary, self.all_options = table["summary"], table["options"]
        self.returns, self.more = registered.cpp("returns"), registered.cpp("more")
        self.order = registered.cpp("order", "").split() or self.usual_order()
        placed = [*self.order, self.returns] if self.returns else self.order
        wrong = {*placed} ^ {*self.arguments, "work"}
        if wrong - {"work"} and not (self.more and wrong <= self.arguments.keys()):
            raise RegistrationError(f"[{self.type}.cpp] order: {', '.join(sorted(wrong))} is missing or no argument")

    def usual_order(self):
        """What is needed, the workspace, what may be left out; inputs first."""
        def of(role):
            return [a["name"] for a in self.arguments.values() if a["role"] == role and a["name"] != self.returns]
        return [*of("input"), *of("output"), "work", *of("optional_input"), *of("optional_output")]

    def in_struct(self):
        """Arguments that are members of a struct, as there are many."""
        return [name for name in self.arguments if self.more and name not in self.order]

    def parameter(self, name, optional):
        a = self.arguments[name]
        is_input, is_scalar = a["role"].endswith("input"), not a["sizes"]
        kind = "In<T>" if is_input else "Out<T>"
        if is_scalar and not a["role"].startswith("optional"):
            kind = "std::type_identity_t<T>" if is_input else "T&"
        separator = "" if kind.endswith("&") else " "
        return f"{kind}{separator}{name}".replace("T&", "T& ") + (" = {}" if optional else "")

    def parameters(self, declared=True):
        """In a declaration, with what stands where nothing is given; in a definition without."""
        yield "const Model& model"
        inputs, optional, told = True, False, False
        for name in self.order:
            is_output = name == "work" or self.arguments[name]["role"].endswith("output")
            if is_output and not told and not self.more:
                yield from ("int frame",) * ("frame" in self.reads)
                yield from ("Reference reference",) * ("reference" in self.reads)
                told = True
            if name == "work":
                yield "Workspace<T>& work"
                optional = True
            else:
                yield self.parameter(name, optional and declared)
        if self.more:
            usual = "" if self.more.get("needed") or not declared else " = {}"
            yield f"const {self.more['struct']}<T>& {self.more['name']}{usual}"
        if self.takes_options():
            yield "const Options& options" + (" = {}" if declared else "")

    def takes_options(self):
        reads_others = any(option not in OF_PROBLEM for option in self.reads)
        return self.registered.cpp("options", True) and (self.has_methods or reads_others)

    def declared(self, end, declared=True):
        start = f"{'T' if self.returns else 'void'} {self.name}("
        words = list(self.parameters(declared))
        words = [word + "," for word in words[:-1]] + [words[-1] + ")" + end]
        line = self.registered.cpp("break_before")
        return "template <class T>\n" + filled(words, start, WIDTH, indent=len(start), break_before=line)

    def doc(self):
        """What functions.hpp says of it: the words of the docstring of Python, and the arguments."""
        def listed(ending):
            entries = (self.brief(a) for a in self.arguments.values()
                       if a["role"].endswith(ending) and a["name"] not in self.in_struct())
            return "; ".join(entries)

        summary = self.registered.python("summary", f"{self.summary[:1].upper()}{self.summary[1:]}.")
        text = self.registered.python("text", "").strip("\n")
        arguments = f"In: {listed('input')}. Out: {listed('output')}."
        if self.takes_options():
            arguments += f" Options: {', '.join(o for o in self.all_options if o not in OF_PROBLEM)}."
        paragraphs = [summary, *([text] if text else []), arguments]
        return reflowed(without_markup("\n\n".join(paragraphs)), WIDTH - 4).split("\n")

    def brief(self, a):
        """Shape and units of an argument, what may be left out, and its note."""
        note = self.registered.python("notes", {}).get(a["name"], "").replace("; ", ", ")
        optional = a["role"].startswith("optional") and "or none" not in note and a["name"] != self.returns
        return f"{a['name']} [{a['sizes']}] {a['units']}".rstrip() + " or none" * optional + note

    def struct(self):
        members = [(f"std::span<{'const ' * self.arguments[n]['role'].endswith('input')}T> {n} = {{}};", n)
                   for n in self.in_struct()]
        notes = self.registered.cpp("members", {})
        rows = [(member, notes.get(n) or in_brief(self.arguments[n])) for member, n in members]
        if "reference" in self.reads:
            rows.append(("Reference reference = Reference::local;", ALONG))
        width = max(len(member) for member, _ in rows)
        lines = "\n".join(f"  {member:<{width}}  ///< {note}" for member, note in rows)
        doc = commented(self.registered.cpp("more_doc", f"Further arguments of {self.name}.").strip("\n").split("\n"))
        return f"{doc}template <class T>\nstruct {self.more['struct']} {{\n{lines}\n}};\n\n"

    def declaration(self):
        return (self.struct() if self.more else "") + commented(self.doc()) + self.declared(";") + "\n"

    def definition(self):
        """Its arguments in the order of the table, and its options."""
        more = self.more["name"] + "." if self.more else ""
        words = [more * (name in self.in_struct()) + name for name in self.arguments]
        words = [word + "," for word in words[:-1]] + [words[-1] + "}"]
        told = [f".{o} = {more * (self.more is not None)}{o}" for o in OF_PROBLEM if o in self.reads]
        if self.takes_options():
            words[-1] += ", options"
        elif told:
            words[-1] += f", {{{', '.join(told)}}}"
        words[-1] += ");"
        start = f"  call<{self.type}>(model, work, {{"
        body = filled(words, start, WIDTH, indent=len(start))
        if self.returns:
            body = f"  T {self.returns}{{}};\n{body}\n  return {self.returns};"
        return f"{self.declared(' {', declared=False)}\n{body}\n}}\n"


def commented(lines):
    return "".join(f"/// {line}".rstrip() + "\n" for line in lines)


def functions(algorithms, tables):
    by_name = {t["type"]: t for t in tables}
    return [Function(a, by_name[a.type]) for a in in_order(algorithms, "declared_after", "after")]


BEGIN = "// From here to the next line like this: written by tools/register.py.\n"
END = "// To here: written by tools/register.py.\n"


def functions_hpp(algorithms, tables, before):
    """include/tandem/api/functions.hpp, what stands there by hand around the functions as it is."""
    head, found, rest = before.partition(BEGIN)
    _, ended, tail = rest.partition(END)
    if not found or not ended:
        raise RegistrationError(f"include/tandem/api/functions.hpp: expected the lines\n{BEGIN}{END}")
    return head + BEGIN + "\n".join(f.declaration() for f in functions(algorithms, tables)) + END + tail


def functions_cpp(algorithms, tables):
    """src/api/functions.cpp."""
    all_of_them = functions(algorithms, tables)
    definitions = "\n".join(f.definition() for f in all_of_them)
    instances = "\n".join(f"TANDEM_IN_BOTH_PRECISIONS({f.name});" for f in all_of_them)
    return f"""// SPDX-License-Identifier: Apache-2.0
// Written by tools/register.py. Over 400 lines, as every function is defined once.
#include "tandem/api/functions.hpp"

#include "call_function.hpp"

namespace tandem {{

using of_one_state::call;

{definitions}
#define TANDEM_IN_BOTH_PRECISIONS(function)             \\
  template decltype(function<double>) function<double>; \\
  template decltype(function<float>) function<float>
{instances}

}}  // namespace tandem
"""


def in_brief(a):
    return f"[{a['sizes']}] {a['units']}: {a['meaning']}"


def described(a):
    text = in_brief(a)
    if a["order"]:
        text += f"; {a['order']}"
    if a["needs"]:
        text += "; needs" + "".join(f" {name}" for name in a["needs"])
    return text + "; may be left out" * a["role"].startswith("optional")


def member(declaration, comment):
    """With its documentation behind it, or in lines above if that is long."""
    line = f"  {declaration}  ///< {comment}\n"
    return line if len(line) <= 121 else wrapped(comment, "  ///") + f"  {declaration}\n"


def members(table, inputs):
    text = ""
    for a in table["arguments"]:
        if a["role"].endswith("input") == inputs:
            text += member(f"{'Input' if inputs else 'Output'}<T> {a['name']} = {{}};", described(a))
    if inputs and "frame" in table["own_options"]:
        text += member("int frame = -1;", "index of the frame, Model::frame_index")
    if inputs and "reference" in table["own_options"]:
        text += member("Reference reference = Reference::local;", "axes and point of motions, Jacobians and mobilities")
    return text


def of_batch(table, number):
    """The function; not for plans if options of the problem are arguments, as plans have them."""
    name, type_ = table["name"], camel(table["name"])
    text = wrapped(f"For a batch or one state: {table['summary']}. See {name} in tandem/api/functions.hpp.", "///")
    told = [f".{o} = in.{o}" for o in OF_PROBLEM if o in table["own_options"]]
    kinds, by = ("class T", "Model& model") if told else ("class T, ModelOrPlan<T> M", "M& model")
    parameters = [f"const {by},", f"const std::type_identity_t<{type_}In<T>>& in,",
                  f"const std::type_identity_t<{type_}Out<T>>& out,", "Workspace<T>& work,",
                  "const std::type_identity_t<BatchOptions<T>>& how = {}) {"]
    start = f"void {name}("
    text += f"template <{kinds}>\n" + filled(parameters, start, WIDTH, indent=len(start)) + "\n"
    sides = [("in" if a["role"].endswith("input") else "out", a["name"]) for a in table["arguments"]]
    layouts = ", ".join(f"{side}.{argument}.layout()" for side, argument in sides)
    one = f"  const Layout<T> arguments[] = {{{layouts}}};\n"
    text += one if len(one) <= 121 else "  const Layout<T> arguments[] = {\n" + wrapped(layouts + "};", "     ")
    options = f", {{{', '.join(told)}}}" if told else ""
    return text + f"  evaluate_layouts<T>({number}, model, arguments, work, how{options});\n}}\n"


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def batches_hpp(tables):
    """include/tandem/api/batches.hpp."""
    text = BATCHES_HEAD
    for number, table in enumerate(tables):
        type_ = camel(table["name"])
        for side, inputs, gap in (("In", True, "\n"), ("Out", False, "")):
            text += f"{gap}/// {side}puts of {table['name']}.\ntemplate <class T>\nstruct {type_}{side} {{\n"
            text += members(table, inputs) + "};\n"
        text += of_batch(table, number)
    return text + "\n}  // namespace tandem\n"


BATCHES_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as tools/register.py generates all functions into one header.
/// The algorithms as functions of a batch of states, with named arguments, from the tables of the
/// algorithms.
///
///     std::vector<double> q(1000 * arm.nq()), v(1000 * arm.nv()), tau(v.size()), a(v.size());
///     forward_dynamics(arm, {.q = q, .v = v, .tau = tau}, {.a = a}, work, {.threads = 4});
///
/// An argument is a contiguous container of numbers, one state after another, or one state for all; an Array with
/// strides; or an Eigen vector or matrix (tandem/eigen.hpp). The outputs determine the number of states. Throws Error
/// that names an argument of wrong size, and as evaluate() does. T is double or float, as the workspace. In place of a
/// model there may be a plan, whose options hold.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <type_traits>

#include "tandem/api/evaluate.hpp"
#include "tandem/api/layout.hpp"

// clang-format off
namespace tandem {
"""

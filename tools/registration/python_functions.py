# SPDX-License-Identifier: Apache-2.0
"""apps/python/tandem/functions.py: a typed and documented function of every algorithm."""
import itertools
import textwrap

from .python_module import CONVENTIONS, MODULE
from .text import reflowed

WIDTH = 120

HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by tools/register.py. Over 400 lines: editors and type checkers read the signature of every function.
"""{module}"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, overload

from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.batch_options import Device, IterationsArray, Parameters, StatusArray
from tandem._common.outputs import Array as Array, Results, outputs
from tandem._core import Model, evaluate

__all__ = [
{names}
]

{types}


class MethodOptions(TypedDict, total=False):
    """Options of methods. An option that the method does not use is an error."""

{options}


class PlanOptions(MethodOptions, total=False):
    """All options of a function."""

{others}


def _method(method: Method, options: Mapping[str, object] | None) -> dict[str, Any]:
    """The options of a call where not everything is left to the library."""
    return {{"method": method, **(options or {{}})}}
'''

#: parameters of all functions
THREADS = "threads: int | None = 0, status: StatusArray | None = None"
PARAMETERS = 'parameters: Parameters | None = None, device: Device = "cpu"'


def capitalised(text):
    return text[:1].upper() + text[1:]


def wrapped(start, words, end, indent=""):
    """Words between brackets on one line, or on one of their own, or on a line each."""
    line = f"{indent}{start}{', '.join(words)}{end}"
    inner = f"{indent}    {', '.join(words)}"
    if len(line) <= WIDTH:
        return line
    lines = [inner] if len(inner) <= WIDTH else [f"{indent}    {word}," for word in words]
    return "\n".join([indent + start, *lines, indent + end])


def tupled(words, indent=8, start=""):
    """A tuple after `start`, over several lines if it is long."""
    one = f"{start}({', '.join(words)})"
    if len(one) + indent <= WIDTH:
        return one
    inner = " " * (indent + 4)
    text = textwrap.fill(", ".join(words) + ",", WIDTH, initial_indent=inner, subsequent_indent=inner)
    return f"{start}(\n{text}\n{' ' * indent})"


def listed(names):
    """Names in quotes, as many on a line as there is room for."""
    text = ", ".join(f'"{name}"' for name in names) + ","
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def one_or(conditions, given):
    """None under the conditions, else a method with options: an expression, over several lines if it is long."""
    one = f"None if {' and '.join(conditions)} else _method(method, {given})"
    if len(one) + 8 <= WIDTH:
        return one
    inner = " " * 12
    text = textwrap.fill(f"if {' and '.join(conditions)}", WIDTH, initial_indent=inner, subsequent_indent=inner)
    options = f"else _method(method, {given})"
    options = textwrap.fill(options, WIDTH, initial_indent=inner, subsequent_indent=inner + "    ")
    return f"(\n{inner}None\n{text}\n{options}\n        )"


def comment(text, indent=""):
    return textwrap.fill(
        text, WIDTH, initial_indent=indent + "#: ", subsequent_indent=indent + "#: ", break_on_hyphens=False
    )


def name_of_type(option):
    return "".join(map(capitalised, option.split("_")))


def types(options):
    """A type for the values of every option that has names."""
    for option in options:
        if option["values"] and not is_switch(option):
            values = "; ".join(f'"{name}": {meaning}' for name, meaning in option["values"])
            yield comment(f"{capitalised(option['meaning'])}: {values}.")
            names = [f'"{name}"' for name, _ in option["values"]]
            yield wrapped(f"{name_of_type(option['name'])}: TypeAlias = Literal[", names, "]")


def is_switch(option):
    """Whether something acts: True or False."""
    return [name for name, _ in option["values"] or []] == ["on", "off"]


def type_of(option):
    if is_switch(option):
        return "bool"
    if option["name"] == "frame":
        return "str | int"
    return name_of_type(option["name"]) if option["values"] else option["type"]


def usual(option):
    """What an option of the problem is if it is not given, as a Python expression."""
    if is_switch(option):
        return str(option["default"] == "on")
    return f'"{option["default"]}"' if option["values"] else option["default"]


def is_of_method(option):
    return not option["of_problem"] and option["name"] != "method"


def fields(options):
    for option in options:
        yield comment(option["meaning"], "    ")
        yield f"    {option['name']}: {type_of(option)}"


class Function:
    """An algorithm as a Python function."""

    def __init__(self, registered, algorithm, options):
        self.name, self.options = algorithm["name"], {o["name"]: o for o in options}
        self.reads, self.has_methods = algorithm["options"], bool(algorithm["methods"])
        self.iterates = "max_iterations" in self.reads
        self.told = [o for o in options if o["name"] in self.reads and o["of_problem"]
                     and o["name"] not in ("frame", "reference")]
        self.numbers = [o for o in options if o["name"] in algorithm["own_options"] and is_of_method(o)]
        self.notes = registered.get("python", {})
        self.summary = self.notes.get("summary", capitalised(algorithm["summary"]) + ".")
        rows = algorithm["arguments"]
        self.arguments = rows
        self.inputs = [a for a in rows if a["role"].endswith("input")]
        self.outputs = [a for a in rows if a["role"].endswith("output")]
        self.extras = [a for a in self.outputs if a["role"] == "optional_output"]
        flags = self.notes.get("flags", {})
        self.flags = {e["name"]: flags.get(e["name"]) or [e["name"], f"whether to return {e['name']} as well"]
                      for e in self.extras if not e["needs"]}
        unneeding = [e for e in self.extras if not e["needs"]]
        self.own_flags = list(dict.fromkeys(self.flag(e) for e in unneeding))  # one may stand for several outputs
        required = len(self.outputs) - len(self.extras)
        self.tuple = name_of_type(self.name) if required > 1 else None
        self.varies = bool(self.tuple and self.extras)  # a tuple of as many fields as are wanted

    def flag(self, output):
        return self.flags[output["name"]][0]

    def signature(self, needed=None):
        """Its parameters; of an overload, those of calls with an input or flag, without those that precede it.

        They are all conditions of further outputs, see `conditions`; "" is an overload without any.
        """
        absent = [] if needed is None else list(itertools.takewhile(lambda c: c != needed, self.conditions()))
        absent += [name for e in self.extras if e["needs"][:1] in absent for name in e["needs"]]
        for a in self.inputs:
            if a["role"] == "input" or a["name"] == needed:
                yield f"{a['name']}: ArrayLike"
            elif a["name"] not in absent:
                yield f"{a['name']}: ArrayLike | None = None"
        if "frame" in self.reads:
            yield "frame: str | int"
            yield 'reference: Reference = "local"'
        yield "*"
        if "reference" in self.reads and "frame" not in self.reads:
            yield 'reference: Reference = "local"'
        for option in self.told:
            yield f"{option['name']}: {type_of(option)} = {usual(option)}"
        if self.has_methods:
            yield 'method: Method = "automatic"'
            yield "options: MethodOptions | None = None"
        for option in self.numbers:
            yield f"{option['name']}: {option['type']} = 0"
        for flag in self.own_flags:
            if flag == needed:
                yield f"{flag}: Literal[True]"
            elif flag not in absent:
                yield f"{flag}: bool = False"
        yield f"out: {self.type_of_out(needed)} = None"
        yield THREADS
        if self.iterates:
            yield "iterations: IterationsArray | None = None"
            yield "guess: Array | None = None"
        yield PARAMETERS

    def conditions(self):
        """The optional inputs and the flags with which there are more outputs than one."""
        return list(dict.fromkeys([*(e["needs"][0] for e in self.extras if e["needs"]), *self.own_flags]))

    def type_of_out(self, needed):
        if self.tuple:
            count = "..." if self.extras else ", ".join(["Array"] * (len(self.outputs) - 1))
            return f"tuple[Array, {count}] | None"
        if not self.extras or needed == "":
            return "Array | None"
        return "Any" if needed is None else "tuple[Array, ...] | None"

    def type_of_result(self, needed):
        if self.tuple:
            return self.tuple
        if not self.extras or needed == "":
            return "Array"
        return "Any" if needed is None else "tuple[Array, ...]"

    def definition(self, needed=None):
        yield f"def {self.name}("
        yield "    model: Model,"
        yield from (f"    {p}," for p in self.signature(needed))
        yield f") -> {self.type_of_result(needed)}:" + (" ..." if needed is not None else "")

    def overloads(self):
        """A signature for calls that return an array, and others for those that return a tuple."""
        for needed in ["", *self.conditions()]:
            yield "@overload"
            yield from self.definition(needed)

    def described(self, argument, more=""):
        """An entry of Parameters or Returns: name and shape, what it is."""
        a = argument
        is_output = a in self.outputs
        kind = "ndarray" if is_output else "array_like"
        shape = f"``(..., {a['sizes']})``" if a["sizes"] else "``(...)``"
        order = a["order"] or CONVENTIONS.get(a["sizes"], "")
        first = next(b for b in [*self.inputs, *self.outputs] if b["sizes"] == a["sizes"])
        if a["sizes"] in ("nq", "nv") and a is not first:  # the conventions of joints once
            order = f"ordered as {first['name']}"
        note = self.notes.get("notes", {}).get(a["name"], "")
        text = ", ".join(filter(None, [capitalised(a["meaning"]), a["units"], order])) + note + more
        optional = ", optional" if a["role"] == "optional_input" else ""
        return f"{a['name']} : {kind}, shape {shape}{optional}", text

    def parameters(self):
        """The entries of Parameters."""
        yield "model : Model", ""
        yield from map(self.described, self.inputs)
        for name in ("frame", "reference"):
            if name in self.reads:
                default = ', default ``"local"``' if name == "reference" else ""
                yield f"{name} : {type_of(self.options[name])}{default}", capitalised(self.options[name]["meaning"])
        for option in self.told:
            yield f"{option['name']} : {type_of(option)}, default ``{usual(option)}``", capitalised(option["meaning"])
        if self.has_methods:
            yield ('method, options : Method, default ``"automatic"``, and MethodOptions',
                   "Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions")
        for option in self.numbers:
            note = self.notes.get("notes", {}).get(option["name"], "")
            yield f"{option['name']} : {option['type']}, default ``0``", f"{capitalised(option['meaning'])}{note}"
        if self.iterates:
            yield ("iterations : array of int32, shape ``(batch,)``, optional",
                   "Receives the number of iterations; 0 for methods that do not iterate")
            yield ("guess : array, shape ``(batch, n_links, 6)``, optional",
                   "Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the "
                   "solution")
        for flag, meaning in dict(self.flags.values()).items():
            yield f"{flag} : bool, default ``False``", capitalised(meaning)
        yield ("out, threads, status, parameters, device",
               "As in :mod:`tandem.functions`, with the errors of all functions")

    def returned(self):
        """The entries of Returns."""
        for output in self.outputs:
            yield self.described(output, self.condition(output))

    def condition(self, output):
        """When a call has this output."""
        if output not in self.extras:
            return ""
        wanted = [f"``{n}``" for n in output["needs"]] or [f"``{self.flag(output)}``"]
        return f"; only with {' and '.join(wanted)}"

    def docstring(self):
        def section(title, entries):
            yield f"\n    {title}\n    {'-' * len(title)}"
            for head, text in entries:
                yield f"    {head}"
                if text:
                    yield textwrap.indent(textwrap.fill(text + "." * (not text.endswith(".")), WIDTH - 8), " " * 8)

        yield textwrap.fill(f'"""{self.summary}', WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
        if "text" in self.notes:
            yield "\n" + textwrap.indent(reflowed(self.notes["text"].strip("\n"), WIDTH - 4), "    ")
        yield from section("Parameters", self.parameters())
        yield from section("Returns", self.returned())
        if "example" in self.notes:
            yield "\n    Examples\n    --------"
            yield textwrap.indent(self.notes["example"].strip("\n"), "    ")
        yield '    """'

    def body(self):
        values = [a["name"] if a in self.inputs else "out" for a in self.arguments]
        if len(self.outputs) > 1:
            def wanted_if(e):
                return f"{e['needs'][-1]} is not None" if e["needs"] else self.flag(e)

            wanted = [wanted_if(e) if e in self.extras else "True" for e in self.outputs]
            if self.varies:
                yield "    " + tupled(wanted, 4, "wanted = ")
                wanted = ["*wanted"]
            values = [a["name"] for a in self.inputs] + [f'*outputs("{self.name}", out, {", ".join(wanted)})']
        told = [name for name in ("frame", "reference") if name in self.reads]
        told += [o["name"] for o in [*self.told, *self.numbers]]
        options = [f'"{name}": {name}' for name in told]
        told = f"{{{', '.join(options)}}}" if options else "None"
        if self.has_methods:
            given = "options" if not options else f"{{{', '.join(options)}, **(options or {{}})}}"
            plain = ["method == \"automatic\"", "not options", *(f"{o['name']} == 0" for o in self.numbers),
                     *(f"{o['name']} {'is' if is_switch(o) else '=='} {usual(o)}" for o in self.told)]
            if "reference" in self.reads:
                plain.append('reference == "local"')
            told = one_or(plain, given)
        status = "status"
        if self.iterates:
            status = "status if iterations is None and guess is None else (status, iterations, guess)"
        call = [f"_{self.name}, model", tupled(values), told, f"threads, {status}, parameters, device"]
        yield wrapped("result = evaluate(" if self.tuple else "return evaluate(", call, ")", "    ")
        if self.varies:
            yield f"    return {self.tuple}.of(wanted, result)"
        elif self.tuple:
            yield f"    return {self.tuple}(*(result if out is not None else (x[()] for x in result)))"

    def tuple_class(self):
        """The class of the results, if there are several."""
        sizes = self.outputs[0]["sizes"]
        if self.varies:
            yield f"class {self.tuple}(Results):"
            text = f"Results of :func:`{self.name}`: a named tuple of those that are requested."
        else:
            yield f"class {self.tuple}(NamedTuple):"
            lie = (f"arrays ``[{sizes}]`` for one state, ``[batch, {sizes}]``" if sizes
                   else "numbers for one state, arrays ``[batch]``")
            text = f"{self.summary[:-1]}: {lie} for a batch."
        yield textwrap.fill(f'"""{text}"""', WIDTH - 4, initial_indent="    ", subsequent_indent="    ") + "\n"
        for o in self.outputs:
            meaning = ", ".join(filter(None, [o["meaning"], o["units"]])) + self.condition(o)
            field = f"    {o['name']}: {'Array' if sizes else 'Any'}"
            line = f"{field}  #: {meaning}"
            yield line if len(line) <= WIDTH else f"{comment(meaning, '    ')}\n{field}"
        yield "\n"

    def __str__(self):
        parts = self.tuple_class() if self.tuple else self.overloads() if self.extras else []
        return "\n".join([*parts, *self.definition(), *self.docstring(), *self.body()])


def functions_py(algorithms, tables, options):
    """apps/python/tandem/functions.py."""
    functions = [Function(a, table, options) for a, table in zip(algorithms, tables)]
    aliases = [(table["alias"], table["name"]) for table in tables if "_" in (table["alias"] or "")]
    names = [*(f.name for f in functions), *(alias for alias, _ in aliases), *(f.tuple for f in functions if f.tuple)]
    text = HEAD.format(module=MODULE, names=listed(sorted(names)),
                       types="\n".join(types(options)), options="\n".join(fields(filter(is_of_method, options))),
                       others="\n".join(fields(itertools.filterfalse(is_of_method, options))))
    text += "\n\n" + "\n".join(f'_{f.name} = _core.find_algorithm("{f.name}")' for f in functions) + "\n"
    text += "".join(f"\n\n{f}\n" for f in functions)
    return text + "".join(f"\n\n{alias} = {name}\n" for alias, name in aliases)

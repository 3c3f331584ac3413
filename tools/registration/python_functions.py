# SPDX-License-Identifier: Apache-2.0
"""apps/python/tandem/functions.py: a typed and documented function of every algorithm."""
import itertools
import textwrap

from .python_module import CONVENTIONS, MODULE

WIDTH = 110

HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by tools/register.py. Some thousand lines, as editors and type checkers read a signature of every
# function, and of every combination of outputs.
"""{module}"""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._common.batch_options import Device, IterationsArray, Parameters, StatusArray
from tandem._core import Model, evaluate
from tandem.errors import Error

__all__ = [
{names}
]

Array: TypeAlias = NDArray[np.floating[Any]]
{types}


class MethodOptions(TypedDict, total=False):
    """Options of methods. An option that the method does not use is an error."""

{options}


class PlanOptions(MethodOptions, total=False):
    """All options of a function."""

{others}


def _method(method: Method, options: MethodOptions | None) -> dict[str, Any]:
    """The options of a call where not everything is left to the library."""
    return {{"method": method, **(options or {{}})}}


@functools.lru_cache(maxsize=None)
def _kind(name: str, fields: tuple[str, ...], wanted: tuple[bool, ...]) -> Any:
    kind: Any = namedtuple(name, [field for field, is_wanted in zip(fields, wanted) if is_wanted])  # type: ignore[misc]

    def reduce(self: Any) -> tuple[Any, ...]:
        return _named, (name, fields, wanted, tuple(self))

    setattr(kind, "__reduce__", reduce)
    return kind


def _named(name: str, fields: tuple[str, ...], wanted: tuple[bool, ...], results: tuple[Any, ...]) -> Any:
    """A tuple whose fields have the names of the outputs that are wanted."""
    return _kind(name, fields, wanted)._make(results)


def _outputs(function: str, out: Array | tuple[Array, ...] | None, *wanted: bool) -> list[Any]:
    """An entry for every output: an array to write to, True for a new one, None if not wanted."""
    if out is None:
        return [True if w else None for w in wanted]
    arrays = out if isinstance(out, (tuple, list)) else (out,)
    if len(arrays) != sum(wanted):
        raise Error(f"{{function}}: out has {{len(arrays)}} arrays, expected {{sum(wanted)}}")
    given = iter(arrays)
    return [next(given) if w else None for w in wanted]
'''

TAIL = [
    "threads: int | None = 0",
    "status: StatusArray | None = None",
    "parameters: Parameters | None = None",
    'device: Device = "cpu"',
]


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


def tupled(words, indent=8):
    """A tuple, over several lines if it is long."""
    one = f"({', '.join(words)})"
    if len(one) + indent <= WIDTH:
        return one
    inner = " " * (indent + 4)
    text = textwrap.fill(", ".join(words) + ",", WIDTH, initial_indent=inner, subsequent_indent=inner)
    return f"(\n{text}\n{' ' * indent})"


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


def reflowed(text):
    """Paragraphs in lines of the width of a docstring; indented lines, formulas, stay as they are."""
    def is_formula(line):
        return not line.strip() or line.startswith((" ", "-", "*"))

    blocks = []
    for formula, lines in itertools.groupby(text.split("\n"), is_formula):
        lines = list(lines)
        blocks += lines if formula else [textwrap.fill(" ".join(lines), WIDTH - 4, break_on_hyphens=False)]
    return "\n".join(blocks)


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
        self.tuple = name_of_type(self.name) if required > 1 and not self.extras else None
        self.kind = name_of_type(self.name) if required > 1 and self.extras else None  # of as many fields as are wanted

    def flag(self, output):
        return self.flags[output["name"]][0]

    def signature(self, given=None):
        """Its parameters; of an overload, those for a set of optional inputs and flags that are given."""
        for a in self.inputs:
            if a["role"] == "input" or (given is not None and a["name"] in given):
                yield f"{a['name']}: ArrayLike"
            elif given is None or not any(a["name"] in e["needs"] for e in self.extras):
                yield f"{a['name']}: ArrayLike | None = None"
            elif any(self.flag(e) in given for e in self.extras if not e["needs"]):
                yield f"{a['name']}: None = None"
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
            if given is None:
                yield f"{flag}: bool = False"
            elif flag in given:
                yield f"{flag}: Literal[True]"
        yield f"out: {'Any' if given is None and self.extras else self.result(given or (), 'out') + ' | None'} = None"
        yield from TAIL[:2]
        if self.iterates:
            yield "iterations: IterationsArray | None = None"
            yield "guess: Array | None = None"
        yield from TAIL[2:]

    def wanted(self, given):
        """The outputs with optional inputs and flags that are given."""
        def is_wanted(e):
            return set(e["needs"]) <= set(given) if e["needs"] else self.flag(e) in given

        return [o for o in self.outputs if o not in self.extras or is_wanted(o)]

    def kind_of(self, outputs):
        """The type of a named tuple of some outputs."""
        return f"_{self.kind}" + "".join(name_of_type(o["name"]) for o in outputs if o in self.extras)

    def kinds(self):
        """Those of all combinations, for type checkers."""
        for given in self.combinations():
            outputs = self.wanted(given)
            fields = "\n".join(f"        {o['name']}: Array" for o in outputs)
            yield f"    class {self.kind_of(outputs)}(NamedTuple):\n{fields}\n"

    def result(self, given, use):
        """Type of the result, or of `out`, with optional inputs and flags that are given."""
        outputs = self.wanted(given)
        count = len(outputs)
        if self.kind and use == "result":
            return self.kind_of(outputs)
        if self.tuple and use == "result":
            return self.tuple
        return "Array" if count == 1 else f"tuple[{', '.join(['Array'] * count)}]"

    def definition(self, given=None):
        yield f"def {self.name}("
        yield "    model: Model,"
        yield from (f"    {p}," for p in self.signature(given))
        result = "Any" if given is None and self.extras else self.result(given or (), "result")
        yield f") -> {result}:" + (" ..." if given is not None else "")

    def combinations(self):
        """What may be given for optional outputs."""
        needed = list(dict.fromkeys("".join(e["needs"] for e in self.extras)))
        for chosen in itertools.product((False, True), repeat=len(self.own_flags)):
            for n in range(len(needed) + 1):
                yield {*needed[:n], *itertools.compress(self.own_flags, chosen)}

    def overloads(self):
        """A signature for every combination of optional outputs."""
        for given in self.combinations():
            yield "@overload"
            yield from self.definition(given)

    def described(self, argument, more=""):
        """An entry of Parameters or Returns: name and shape, what it is."""
        a = argument
        is_output = a in self.outputs
        kind = "ndarray" if is_output else "array_like"
        shape = f"``(..., {a['sizes']})``" if a["sizes"] else "``(...)``"
        order = a["order"] or CONVENTIONS.get(a["sizes"], "")
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
            yield ('method : Method, default ``"automatic"``',
                   "Method, see docs/algorithms; ``tandem list`` prints the methods of all functions")
            yield "options : MethodOptions, optional", "Options of the method, see :class:`MethodOptions`"
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
        yield "out, threads, status, parameters, device", "As in :mod:`tandem.functions`"

    def returned(self):
        """The entries of Returns."""
        for output in self.outputs:
            more = ""
            if output in self.extras:
                wanted = [f"``{n}``" for n in output["needs"]] or [f"``{self.flag(output)}``"]
                more = f"; only with {' and '.join(wanted)}"
            yield self.described(output, more)

    def docstring(self):
        def section(title, entries):
            yield f"\n    {title}\n    {'-' * len(title)}"
            for head, text in entries:
                yield f"    {head}"
                if text:
                    yield textwrap.indent(textwrap.fill(text + "." * (not text.endswith(".")), WIDTH - 8), " " * 8)

        yield textwrap.fill(f'"""{self.summary}', WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
        if "text" in self.notes:
            yield "\n" + textwrap.indent(reflowed(self.notes["text"].strip("\n")), "    ")
        if self.kind:
            yield "\n" + textwrap.indent("Several results come as a named tuple of those that are asked for.", "    ")
        yield from section("Parameters", self.parameters())
        yield from section("Returns", self.returned())
        yield from section("Raises", [("Error", "For a wrong shape, type or value, see :mod:`tandem.functions`")])
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
            if self.kind:
                yield "    wanted = " + tupled(wanted, 4)
                wanted = ["*wanted"]
            values = [a["name"] for a in self.inputs] + [f'*_outputs("{self.name}", out, {", ".join(wanted)})']
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
        call = [f"_{self.name}", "model", tupled(values), told, "threads", status, "parameters", "device"]
        yield wrapped("result = evaluate(" if self.tuple or self.kind else "return evaluate(", call, ")", "    ")
        if self.kind:
            yield wrapped("fields = (", [f'"{o["name"]}"' for o in self.outputs], ")", "    ")
            yield f'    return _named("{self.kind}", fields, wanted, result)'
        if self.tuple:
            yield f"    return {self.tuple}(*(result if out is not None else (x[()] for x in result)))"

    def __str__(self):
        parts = []
        if self.tuple:
            sizes = self.outputs[0]["sizes"]
            kind = "Array" if sizes else "Any"
            fields = "\n".join(f"    {o['name']}: {kind}  #: {', '.join(filter(None, [o['meaning'], o['units']]))}"
                               for o in self.outputs)
            lie = (f"arrays ``[{sizes}]`` for one state, ``[batch, {sizes}]``" if sizes
                   else "numbers for one state, arrays ``[batch]``")
            meaning = f"{self.summary[:-1]}: {lie} for a batch."
            doc = textwrap.fill(f'"""{meaning}"""', WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
            parts += [f"class {self.tuple}(NamedTuple):\n{doc}\n\n{fields}\n\n"]
        if self.kind:
            parts += ["if TYPE_CHECKING:\n", *dict.fromkeys(self.kinds()), ""]
        parts += self.overloads() if self.extras else []
        parts += [*self.definition(), *self.docstring(), *self.body()]
        return "\n".join(parts)


def functions_py(algorithms, tables, options):
    """apps/python/tandem/functions.py."""
    functions = [Function(a, table, options) for a, table in zip(algorithms, tables)]
    aliases = [(table["alias"], table["name"]) for table in tables if "_" in (table["alias"] or "")]
    names = [*(f.name for f in functions), *(alias for alias, _ in aliases), *(f.tuple for f in functions if f.tuple)]
    text = HEAD.format(module=MODULE, names="\n".join(f'    "{name}",' for name in sorted(names)),
                       types="\n".join(types(options)), options="\n".join(fields(filter(is_of_method, options))),
                       others="\n".join(fields(itertools.filterfalse(is_of_method, options))))
    text += "\n\n" + "\n".join(f'_{f.name} = _core.find_algorithm("{f.name}")' for f in functions) + "\n"
    text += "".join(f"\n\n{f}\n" for f in functions)
    return text + "".join(f"\n\n{alias} = {name}\n" for alias, name in aliases)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that the project does not use, each with the one that it does: the terms of docs/notation.md and of the field.

    tools/plain_words.py              checks all files of the project; lines of C++ and Python have 120 columns at most
    tools/plain_words.py --self-test  checks the checks

Checked are the prose of Markdown files and the changelog's unreleased part; messages and help, which are texts of more
than one word in C++ and Python sources; docstrings; comments of public headers and the documentation in the headers of
algorithms; and names in public headers and Python modules. Code, names in backquotes, targets of links and what `tandem
COMMAND --help` prints are no prose. Released parts of the changelog, decisions and results are records of their day.
"""
import ast
import io
import re
import sys
import tokenize

from files import ROOT, project_files

WORDS = [
    (r"lea(?:ve|ves|ving|ft) reason|within reason", "diverge, diverged"),
    (r"what (?:users|people) hold", "public API, public types"),
    (r"who may include", "allowed dependencies"),
    (r"(?:the|a|its|their|one) ways? back", "reverse pass, VJP"),
    (r"changes? along|derivatives? along increments?", "JVP, directional derivative"),
    (r"outer (?:forces?|wrench(?:es)?)|pushes on links", "external wrenches"),
    (r"joint forces?", "joint torques"),
    (r"(?:the|its|their|no|against|active|joint|position) stops?|stops (?:act|at position limits)",
     "joint limits, limit forces"),
    (r"recordings?(?! an event)", "tracing, expression graph; file of states"),
    (r"assembled (?:code|kernels?|functions?|lines?|for (?:the|this) robot)|"
     r"instructions (?:for|of) (?:the|this|one|a) robot", "JIT-compiled kernel"),
    (r"(?:code|kernels) (?:for|that serves?) (?:any|every) robot", "generic kernels"),
    (r"code for (?:one|the|this) robot", "kernels compiled for one robot"),
    (r"engines?", "executor"),
    (r"movers?", "stepper"),
    (r"live arrays?", "persistent views"),
    (r"alike limbs|limbs (?:that are )?built alike", "isomorphic subtrees"),
    (r"laws of (?:mechanics|a robot)", "invariants of mechanics"),
    (r"learners?", "reinforcement learning"),
    (r"robots with seven", "seven-joint robots"),
    (r"whoever|nobody|somebody", "a noun: the user, the caller; a passive or a condition"),
    (r"rides? on|hangs? from", "is attached to; parent, child"),
    (r"passed over", "ignored"),
    (r"which is none", "not valid; expected one of"),
    (r"stands? (?:twice|beside|there)", "is, occurs"),
    (r"who (?:does|can|needs|reads|tells|carries|draws|asks)", "a noun: processors, readers, callers"),
    (r"so many (?:links|processors|states|numbers|rows|steps|instances|joints|times|threads)",
     "a number of, or its symbol"),
    (r"for a while|a while of|piece of work", "an interval; a task"),
    (r"longest way|way ahead", "longest path, critical path"),
    (r"that is none|that are none|of which there is one", "not valid; unique"),
    (r"counts? for nothing|made to measure|at no time", "is not used; generated; never"),
]
#: parts of public names, in snake_case or CamelCase
NAMES = [
    (r"engine", "executor"),
    (r"mover", "stepper"),
    (r"ferried", "staged"),
    (r"felt", "contribution"),
    (r"passage", "staging, transform"),
    (r"learner", "reinforcement learning"),
    (r"told", "options, arguments"),
]
#: types of C++, in all sources
TYPES = [
    (r"Told|Felt", "a noun: captured warnings, contribution"),
    (r"Given", "arguments, inputs"),
]
RECORDS = ("docs/decisions/", "bench/results/")
GENERATED = ("include/tandem/api/batches.hpp",)
COLUMNS = 120
NO_PROSE = re.compile(r"^ *```.*?^ *```[ \t]*$|<!-- help: .*?<!-- end of help -->|`[^`]*`|(?<=\])\([^)\s]*\)",
                      re.MULTILINE | re.DOTALL)
CPP = (".hpp", ".cpp", ".cu", ".cuh")
#: a comment, or a text with its quotes; characters and digit separators are passed over
CPP_TOKEN = re.compile(r'(?://[^\n]*\n[ ]*)*//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
                       r"|'(?:[^'\\\n]|\\.)'", re.DOTALL)


#: every word as a group, with any white space and marks of comments between its parts
ALL = re.compile("|".join(rf"(\b(?:{word})\b)" for word, _ in WORDS).replace(" ", r"\s+(?://+\s*)?"), re.IGNORECASE)
ALL_NAMES = re.compile("|".join(rf"({word}s?)" for word, _ in NAMES), re.IGNORECASE)
PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def found(page: str, text: str, part: str, start: int):
    """Words in a part of a file that begins at offset `start`."""
    for match in ALL.finditer(part):
        line = text.count("\n", 0, start + match.start()) + 1
        words = " ".join(re.sub(r"//+", " ", match.group()).split())
        yield f'{page}:{line}: "{words}" is not plain: {WORDS[match.lastindex - 1][1]}'


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def problems(page: str, text: str):
    """Words of Markdown prose that have a plain equivalent."""
    if page.startswith(RECORDS):
        return
    if page == "CHANGELOG.md":
        releases = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)]
        text = text[:releases[1]] if len(releases) > 1 else text
    yield from found(page, text, NO_PROSE.sub(blank, text), 0)


def is_public(page: str) -> bool:
    return page.startswith("include/tandem/") and not page.startswith("include/tandem/detail/")


def cpp_problems(page: str, text: str):
    """Words of messages and help; in public headers, of comments and names, too."""
    for match in CPP_TOKEN.finditer(text):
        part = match["raw"] if match["raw"] is not None else match["text"]
        if part is not None:
            if " " in part.strip():
                start = match.start("raw" if match["raw"] is not None else "text")
                yield from found(page, text, re.sub(r"`[^`]*`", blank, part), start)
        elif match.group().startswith("/") and (is_public(page) or
                                                    "Registered by tools/register.py" in match.group()):
            yield from found(page, text, re.sub(r"`[^`]*`", blank, match.group()), match.start())
    if is_public(page):
        for number, line in enumerate(CPP_TOKEN.sub(blank, text).split("\n"), 1):
            for name in re.findall(r"\b[A-Za-z]\w*[A-Za-z0-9]\b", line) if ALL_NAMES.search(line) else ():
                yield from name_problems(page, number, name)


def line_problems(page: str, text: str):
    """Lines that are too long."""
    if page not in GENERATED:
        yield from (f"{page}:{number}: {len(line)} columns, at most {COLUMNS}"
                    for number, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS)


def cpp_lines(page: str, text: str):
    """Long lines of C++, except in literal texts, and types whose names are not nouns."""
    code = CPP_TOKEN.sub(lambda match: "\n" * match.group().count("\n") if match["raw"] else match.group(), text)
    yield from line_problems(page, code)
    for match in re.finditer(r"\b(?:struct|class)\s+(\w+)", CPP_TOKEN.sub(blank, text)):
        for types, instead in TYPES:
            if re.fullmatch(types, match[1]):
                line = text.count("\n", 0, match.start()) + 1
                yield f'{page}:{line}: the type "{match[1]}" is not plain: {instead}'


def python_lines(page: str, text: str):
    """Long lines of Python, except in literal texts that are not docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {node.body[0].lineno for node in ast.walk(ast.parse(text))
                  if isinstance(node, documented) and ast.get_docstring(node) is not None}
    lines, start = text.split("\n"), (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_START", -1)):
            start = token.start
        if token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_END", -1)) and start[0] not in docstrings:
            for k in range(start[0] - 1, token.end[0] if start[0] != token.end[0] else 0):
                lines[k] = ""
    yield from line_problems(page, "\n".join(lines))


def name_problems(page: str, line: int, name: str):
    """A public name with a part that has a plain equivalent."""
    for part in PARTS.findall(name):
        if match := ALL_NAMES.fullmatch(part):
            yield f'{page}:{line}: the name "{name}" is not plain: {NAMES[match.lastindex - 1][1]}'


def public_names(tree: ast.AST):
    """(line, name) of modules' and classes' definitions and of their functions' arguments."""
    for node in getattr(tree, "body", []):
        names = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
            if not node.name.startswith("_"):
                yield from ((a.lineno, a.arg) for a in ast.walk(node) if isinstance(a, ast.arg))
                yield from public_names(node) if isinstance(node, ast.ClassDef) else ()
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        yield from ((node.lineno, name) for name in names if not name.startswith("_"))


def python_problems(page: str, text: str):
    """Words of docstrings, messages and help, and public names."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = lines[token.start[0] - 1] + token.start[1]
        if token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)) and " " in token.string.strip():
            part = re.sub(r">>> .*|\.\.\. .*|`[^`]*`|\{[^{}]*\}", blank, token.string)
            yield from found(page, text, part, start)
    if not page.rpartition("/")[2].startswith("_"):
        for line, name in public_names(ast.parse(text)):
            yield from name_problems(page, line, name)


def all_problems():
    for path in project_files():
        page = path.as_posix()
        text = (ROOT / path).read_text(encoding="utf-8") if path.suffix in (*CPP, ".md", ".py") else ""
        if path.suffix == ".md":
            yield from problems(page, text)
        elif path.suffix in CPP and page.startswith(("include/", "src/", "apps/")):
            yield from cpp_problems(page, text)
        elif path.suffix == ".py" and page.startswith("apps/python/tandem/"):
            yield from python_problems(page, text)
        if path.suffix in CPP:
            yield from cpp_lines(page, text)
        elif path.suffix == ".py":
            yield from python_lines(page, text)


def self_test() -> int:
    cases = [
        (problems, "README.md", "a run that\nleaves reason", "README.md:2: \"leaves reason\""),
        (problems, "README.md", "an `engine`, [here](engine.md)", None),
        (problems, "README.md", "```text\nengine\n```", None),
        (problems, "docs/decisions/0001.md", "an engine", None),
        (problems, "CHANGELOG.md", "## Unreleased\n- an engine\n## 0.1\n- a mover\n", "executor"),
        (problems, "CHANGELOG.md", "## Unreleased\n- an executor\n## 0.1\n- a mover\n", None),
        (cpp_problems, "src/a.cpp", 'throw Error("an engine is missing");', "executor"),
        (cpp_problems, "src/a.cpp", '"engine" R"(no\nengine here)"', "src/a.cpp:2"),
        (cpp_problems, "src/a.cpp", "// an engine\nEngine engine;", None),
        (cpp_problems, "include/tandem/a.hpp", "/// An engine.\nint x;", "executor"),
        (cpp_problems, "include/tandem/a.hpp", "/// The joint\n/// forces.\nint x;", "joint torques"),
        (cpp_problems, "include/tandem/a.hpp", "struct LinkEngine {};", 'the name "LinkEngine"'),
        (cpp_problems, "include/tandem/detail/a.hpp", "/// An engine.\nstruct Engine {};", None),
        (cpp_problems, "include/tandem/detail/a.hpp", "/* Registered by tools/register.py\ndoc = an engine */",
         "executor"),
        (python_problems, "a.py", '"""An engine."""\nx = 1\n', "executor"),
        (python_problems, "a.py", 'raise Error(f"{x} is none of these: nobody")\n', "nobody"),
        (python_problems, "a.py", '# an engine\n_engine = "engine"\n', None),
        (python_problems, "a.py", "def make_engine():\n    pass\n", 'a.py:1: the name "make_engine"'),
        (cpp_problems, "include/tandem/a.hpp", "/// Who reads it.\nint x;", "a noun"),
        (cpp_lines, "src/a.cpp", "// " + "x" * 117 + "\nint x;\n// " + "x" * 118, "src/a.cpp:3: 121 columns"),
        (cpp_lines, "src/a.cpp", 'f(R"(' + "x" * 121 + "\n" + "x" * 121 + ')");', None),
        (cpp_lines, "src/a.cpp", "// struct Told\nstruct Told {};", 'a.cpp:2: the type "Told"'),
        (cpp_lines, "src/a.cpp", "struct ToldTask {};", None),
        (python_lines, "a.py", '"""' + "x" * 118 + '\n"""\n', "a.py:1: 121 columns"),
        (python_lines, "a.py", 'x = """\n' + "x" * 121 + '\n"""\n', None),
        (python_lines, "a.py", "x = 1  # " + "x" * 112, "a.py:1: 121 columns"),
    ]
    failures = 0
    for check, page, text, expected in cases:
        got = list(check(page, text))
        if (expected is None and got) or (expected and not any(expected in problem for problem in got)):
            print(f"{page} {text!r}: expected {expected}, got {got}")
            failures += 1
    print(f"plain_words self test: {len(cases) - failures} of {len(cases)} cases as expected")
    return 1 if failures else 0


def main() -> int:
    if "--self-test" in sys.argv[1:]:
        return self_test()
    all_found = list(all_problems())
    print(*all_found, sep="\n", end="\n" if all_found else "")
    print(f"plain_words: {len(all_found)} problem{'s' * (len(all_found) != 1)}")
    return 1 if all_found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what follows from the headers of algorithms: lists, kernels, functions of C++ and of Python.

An algorithm is a header in include/tandem/detail/problems or derivatives with a table of its arguments and, at its
end, a registration (CONTRIBUTING.md, section 5). These files follow from the headers and are checked in:

    include/tandem/detail/all_algorithms.hpp                   the list of algorithms
    src/backends/cpu/problems.cmake, cuda/problems.cmake       which kernels are compiled together
    include/tandem/api/functions.hpp, src/api/functions.cpp    C++ functions of one state
    include/tandem/api/batches.hpp                             C++ functions of batches, arguments by name
    apps/python/tandem/functions.py                            Python functions
    tests/properties/function_calls.hpp, tests/api/batch_calls.hpp    a call of each, for the tests
    tests/closed_loops/ignore_loops.hpp                        which ignore closed loops, for the tests

    tools/register.py            write them; the tables are compiled, which takes a few seconds
    tools/register.py --check    compare them instead: prints the differences, exit 1 if there are any
    tools/register.py --self-test    add an algorithm to a copy of the tree and look for it everywhere
"""
import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from registration import cpp, headers, lists, python_functions, self_test, tests  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LISTED = "include/tandem/detail/all_algorithms.hpp"
BY_HAND = "include/tandem/api/functions.hpp"  # around the functions


def lists_of(algorithms, beside):
    """The files that follow from the registrations alone."""
    return {LISTED: lists.all_hpp(algorithms),
            "src/backends/cpu/problems.cmake": lists.cpu_kernels(algorithms, beside),
            "src/backends/cuda/problems.cmake": lists.cuda_kernels(algorithms)}


def functions_of(algorithms, tables, root):
    """The files that follow from the tables of arguments, too."""
    rows = tables["algorithms"]
    for algorithm, row in zip(algorithms, rows):
        row["type"] = algorithm.type
    return {BY_HAND: cpp.functions_hpp(algorithms, rows, (root / BY_HAND).read_text(encoding="utf-8")),
            "src/api/functions.cpp": cpp.functions_cpp(algorithms, rows),
            "include/tandem/api/batches.hpp": cpp.batches_hpp(rows),
            "apps/python/tandem/functions.py": python_functions.functions_py(algorithms, rows, tables["options"]),
            "tests/properties/function_calls.hpp": tests.function_calls(algorithms, rows),
            "tests/api/batch_calls.hpp": tests.batch_calls(algorithms, rows),
            "tests/closed_loops/ignore_loops.hpp": tests.ignore_loops(algorithms, rows)}


def compiled_tables(root, compiler):
    """The tables of arguments and options, by a program of the headers."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "tables"
        source = Path(__file__).resolve().parent / "registration" / "tables.cpp"
        command = [compiler, "-std=c++20", "-O0", "-I", str(root / "include"), str(source), "-o", str(program)]
        if subprocess.run(command).returncode:
            sys.exit(f"{' '.join(command)}: failed; set CXX to a compiler of C++20, or mend the header")
        return program_tables(program)


def program_tables(program):
    return json.loads(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)


def written(root, files):
    """Writes files that differ; returns their names."""
    changed = []
    for name, text in files.items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


def differences(root, files):
    for name, text in files.items():
        there = (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""
        yield from difflib.unified_diff(there.splitlines(True), text.splitlines(True), name, f"{name} (headers)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--self-test", action="store_true", help="check the tool itself")
    parser.add_argument("--root", type=Path, default=ROOT, help="another tree")
    parser.add_argument("--tables", type=Path, help="the program of registration/tables.cpp, compiled for this tree")
    parser.add_argument("--cxx", default=os.environ.get("CXX", "c++"), help="its compiler, default $CXX or c++")
    given = parser.parse_args()
    if given.self_test:
        return self_test.run(given.root, given.cxx)
    try:
        algorithms, beside = headers.read(given.root)
        files = lists_of(algorithms, beside)
        if given.check and (found := list(differences(given.root, files))):  # the tables would be those of another list
            sys.exit("".join(found) + "\nrun tools/register.py")
        changed = [] if given.check else written(given.root, files)
        tables = program_tables(given.tables) if given.tables else compiled_tables(given.root, given.cxx)
        files = functions_of(algorithms, tables, given.root)
    except headers.RegistrationError as error:
        sys.exit(f"tools/register.py: {error}")
    if given.check:
        if found := list(differences(given.root, files)):
            sys.exit("".join(found) + "\nrun tools/register.py")
        return
    for name in changed + written(given.root, files):
        print(f"wrote {name}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weighs the machine code of the kernels in a build and compares it with the limits in tools/kernel_weight.json.

    tools/kernel_weight.py [BUILD]       check build/release or another build; exit 1 if a limit is exceeded
    tools/kernel_weight.py [BUILD] --list  also print the functions with most machine code
    tools/kernel_weight.py --self-test   compile small objects and check that every limit refuses what it is for

Three limits, for every instruction set that the build has:

- copies of a function: how often a function template of at least 2 kB is compiled in the objects of one precision. Each
  of them takes compile time, also where the linker keeps one. Instances for a lambda are left out: they hold the code
  of their callers.
- size of all kernels: at most 110 % of the committed size, for the compiler and the instruction set.
- size of one object: what one compilation takes at most.

Sizes are those of functions in object files, in MB of 1,000,000 bytes, from nm. Compilers and instruction sets without
a committed size are printed and not compared. A build that compiles several kernels at a time (TANDEM_UNITY=kernels)
has other objects and is refused.
"""
import argparse
import collections
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS = ROOT / "tools" / "kernel_weight.json"
LEAST_BYTES = 2048  # of a function whose copies are counted


def function_of(demangled):
    """The qualified name of a function without return type, arguments, template arguments and instruction set; a
    function of no class keeps the algorithm that it is for."""
    text = demangled.replace("(anonymous namespace)", "anonymous").replace("operator()", "operator_call")
    text = re.sub(r"operator(<<|>>|<=|>=|->|<|>)", "operator_", text)
    name, arguments, depth = "", "", 0
    for k, character in enumerate(text):
        if character in ">)}]" and not (character == ">" and text[k - 1] == "-"):
            depth -= 1
        elif character in "<({[":
            if character == "(" and depth == 0:
                break
            depth += 1
        elif depth == 0:
            name += character
        elif depth == 1:
            arguments += character
    words = name.split() or [demangled]
    name = re.sub(r"\btandem::(baseline::|avx2::|avx512::|neon::)?", "", words[-1])
    classes = [word for word in re.findall(r"::([A-Z]\w*)", arguments) if word != "Pack"]
    return name if "::" in name or not classes else f"{name}<{classes[0]}>"


def is_for_lambda(demangled):
    """Whether a function is an instance for a lambda, which clang calls `{lambda()#1}` in an inline function and else
    `$_0`."""
    return "{lambda" in demangled or "::$_" in demangled


def functions_in(objects):
    """For every object the (name, demangled name, bytes) of the functions that it defines."""
    for file in objects:
        mangled, plain = (subprocess.run(["nm", "-S", "--defined-only", *options, file], capture_output=True, text=True,
                                         check=True).stdout.splitlines() for options in ([], ["-C"]))
        rows = []
        for line, demangled in zip(mangled, plain):
            words = line.split(None, 3)
            if len(words) == 4 and words[2] in "tTwW":
                rows.append((words[3], demangled.split(None, 3)[3], int(words[1], 16)))
        yield file, rows


def weigh(objects):
    """Copies of functions, by precision and function; bytes of every object."""
    copies, sizes, bytes_of = collections.Counter(), {}, collections.Counter()
    for file, rows in functions_in(objects):
        precision = "float" if "_float" in file.name else "double" if "_double" in file.name else "any"
        sizes[file] = sum(size for _, _, size in rows)
        for _, demangled, size in rows:
            key = (precision, function_of(demangled))
            bytes_of[key] += size
            if size >= LEAST_BYTES and not is_for_lambda(demangled):
                copies[key] += 1
    return copies, bytes_of, sizes


def compiler_of(build):
    """Name and major version, as in `Clang 19`."""
    for file in sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = file.read_text()
        found = [re.search(rf'set\(CMAKE_CXX_COMPILER_{what} "([^"]*)"\)', text) for what in ("ID", "VERSION")]
        if all(found):
            return f"{found[0][1]} {found[1][1].split('.')[0]}"
    return "unknown"


def raise_hint(key, value):
    return (f'; make it smaller, or raise "{key}" in tools/kernel_weight.json to {value} in a commit of its own that '
            'says '
            "what the code buys")


def check(build, limits, show=False, out=sys.stdout):
    """Prints the weight of every instruction set; returns what exceeds a limit."""
    wrong, compiler = [], compiler_of(build)
    folders = sorted(path for path in build.glob("src/CMakeFiles/tandem_*.dir")
                     if any(path.glob("backends/cpu/kernels/*.o"))
                     and not path.name.startswith("tandem_papers_"))  # which are added to their set
    if not folders:
        unity = any(build.glob("src/CMakeFiles/tandem_*.dir/Unity/*.o"))
        why = ("compiles several kernels at a time: configure it without kernels in TANDEM_UNITY" if unity
               else "has no kernels: build its target tandem first")
        return [f"{build} {why}"]
    for folder in folders:
        name = folder.name.removeprefix("tandem_").removesuffix(".dir")
        papers = folder.with_name(f"tandem_papers_{name}.dir")  # methods of papers are a target of their own
        objects = sorted([*folder.rglob("*.o"), *papers.rglob("*.o")])
        copies, bytes_of, sizes = weigh(objects)
        total = sum(sizes.values()) / 1e6
        key = f"{compiler} {name}"
        (precision, most), count = max(copies.items(), key=lambda item: item[1], default=((" ", "none"), 0))
        largest = max(sizes, key=sizes.get)
        print(f"{key}: {total:.1f} MB in {len(objects)} objects; {most} in {precision} has {count} copies; "
              f"{largest.name} has {sizes[largest] / 1e6:.2f} MB", file=out)
        if show:
            for (precision, function), size in bytes_of.most_common(40):
                print(f"  {size / 1e3:8.0f} kB {copies[precision, function]:4d} copies  {precision:7}{function}",
                      file=out)
        for (precision, function), count in sorted(copies.items(), key=lambda item: -item[1]):
            if count > limits["most_copies"]:
                wrong.append(f"{key}: {function} is compiled {count} times in {precision}, at most "
                             f"{limits['most_copies']} "
                             f"are allowed{raise_hint('most_copies', count)}")
        for file, size in sorted(sizes.items(), key=lambda item: -item[1]):
            if size > limits["largest_object_mb"] * 1e6:
                wrong.append(f"{key}: {file.name} has {size / 1e6:.2f} MB, at most {limits['largest_object_mb']} are "
                             "allowed"
                             f"{raise_hint('largest_object_mb', f'{size / 1e6:.2f}')}")
        committed = limits["kernels_mb"].get(key)
        if committed is None:
            print(f"{key}: tools/kernel_weight.json has no size for this compiler and set; not compared", file=out)
        elif total > 1.1 * committed:
            wrong.append(f"{key}: the kernels have {total:.1f} MB, more than 110 % of {committed}"
                         f"{raise_hint(f'kernels_mb: {key}', f'{total:.1f}')}")
        elif total < 0.9 * committed:
            print(f"{key}: lower \"kernels_mb\" from {committed} to {total:.1f}", file=out)
    return wrong


SMALL_KERNEL = """
namespace tandem::avx2 {
template <class T, int n> struct Passes { static void inward(volatile T* x); };
template <class T, int n> void Passes<T, n>::inward(volatile T* x) { CODE }
template struct Passes<double, 1>;
template struct Passes<double, COPIES>;
template <class F> void each(volatile double* x, F f) { CODE f(); }
void call(volatile double* x) { each(x, [] {}); each(x, [x] { *x = 1; }); each(x, [x] { *x = 2; }); }
}
"""


def self_test():
    """Objects with known copies and sizes, against limits just above and just below them."""
    compiler = os.environ.get("CXX", "c++")
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        assert "has no kernels" in check(build, {})[0]
        kernels = build / "src" / "CMakeFiles" / "tandem_avx2.dir" / "backends" / "cpu" / "kernels"
        kernels.mkdir(parents=True)
        for name, second in (("One_double", 2), ("Two_double", 3), ("Two_float", 3)):
            source = build / f"{name}.cpp"
            source.write_text(SMALL_KERNEL.replace("COPIES", str(second)).replace("CODE",
                                                                                  300 * "*x = *x * 3; *x = *x + 1;\n"))
            subprocess.run([compiler, "-std=c++20", "-O0", "-c", source, "-o", kernels / f"{name}.cpp.o"], check=True)
        _, _, sizes = weigh(sorted(kernels.glob("*.o")))
        total, largest = sum(sizes.values()) / 1e6, max(sizes.values()) / 1e6
        enough = {"most_copies": 4, "largest_object_mb": 1.01 * largest, "kernels_mb": {"unknown avx2": total / 1.05}}
        heard = io.StringIO()

        def refused(**changes):
            return check(build, {**enough, **changes}, out=heard)

        assert refused() == [], refused()
        assert "Passes::inward in double has 4 copies" in heard.getvalue(), heard.getvalue()
        too_many = refused(most_copies=3)
        assert len(too_many) == 1 and 'Passes::inward is compiled 4 times in double' in too_many[0], too_many
        assert 'raise "most_copies"' in too_many[0] and "to 4 in a commit of its own" in too_many[0], too_many
        too_large = refused(largest_object_mb=0.99 * largest)
        assert too_large and all("at most" in line for line in too_large), too_large
        too_heavy = refused(kernels_mb={"unknown avx2": total / 1.2})
        assert len(too_heavy) == 1 and "110 %" in too_heavy[0], too_heavy
        assert refused(kernels_mb={"unknown avx2": total / 0.8}) == [] and 'lower "kernels_mb"' in heard.getvalue()
        assert refused(kernels_mb={}) == [] and "not compared" in heard.getvalue()
        papers = build / "src" / "CMakeFiles" / "tandem_papers_avx2.dir" / "backends" / "cpu" / "kernels"
        papers.mkdir(parents=True)
        (papers / "Paper_double.cpp.o").write_bytes((kernels / "One_double.cpp.o").read_bytes())
        assert refused(most_copies=5) and "in 4 objects" in heard.getvalue() and "papers_avx2" not in heard.getvalue()
        unity = build / "src" / "CMakeFiles" / "tandem_avx2.dir" / "Unity"
        kernels.rename(unity)
        assert "several kernels at a time" in refused()[0], refused()
    assert function_of("void tandem::avx2::call_body<tandem::avx2::Pack<double, 4>, tandem::avx2::Energy, "
                       "double>(int*)") \
        == "call_body<Energy>"
    assert function_of("auto tandem::avx2::A<int>::operator()<double>(double) const") == "A::operator_call"
    print("tools/kernel_weight.py: every limit refuses what it is for")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--list", action="store_true", help="the functions with most machine code, and their copies")
    parser.add_argument("--self-test", action="store_true", help="compile small objects and check the limits on them")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    wrong = check(options.build, json.loads(LIMITS.read_text()), options.list)
    for line in wrong:
        print(f"tools/kernel_weight.py: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house rules that a script can check: who may include or import whom, what the mathematics may use, how
files begin.

    tools/check_layers.py              check the project; prints file:line: what is wrong, exit 1 if anything is
    tools/check_layers.py --root DIR   check another tree
    tools/check_layers.py --self-test  check that every rule catches what it is for
"""
import argparse
import ast
import re
import sys
import tempfile
from pathlib import Path

from files import ROOT, project_files

# A room is a layer of the house. First match names a file's room.
ROOMS = [
    (r"include/tandem/requires_cxx20\.hpp", "standard"),
    (r"include/tandem/index\.hpp", "index"),
    (r"(include/tandem|src)/names\.[hc]pp", "names"),
    (r"include/tandem/(arguments|options|controller|rollout_inputs)\.hpp", "arguments"),
    (r"include/tandem/model/(view|shape_types)\.hpp", "view"),
    (r"(include/tandem/detail|src)/core/", "core"),
    (r"include/tandem/detail/(all_algorithms|link_methods)\.hpp", "lists"),
    (r"include/tandem/detail/(?P<name>\w+)/", "{name}"),
    (r"(include/tandem|src)/model/", "model"),
    (r"(include/tandem|src)/io/", "io"),
    (r"include/tandem/api/", "interface"),
    (r"src/papers/formulations/", "tasks"),
    (r"src/papers/schedules/", "schedules"),
    (r"src/backends/(?P<name>\w+)/", "backends/{name}"),
    (r"src/(?P<name>tracing|policy|api|simulation|rollout|check|compare)/", "src/{name}"),
    (r"(include/tandem|src)/error\.[hc]pp", "error"),
    (r"include/tandem/(tandem|version|eigen)\.hpp", "tandem"),
    (r"apps/(?P<name>\w+)/", "apps/{name}"),
    (r"examples/", "examples"),
]

# What a room may include besides itself. An arrow is the only permission.
TABLES = {"index", "names", "view", "arguments"}  # what public headers and the mathematics share
LINKS = {"core", "executors", "spatial", "joint", "solve", "passes"}  # what a link does, and linear algebra
MATHEMATICS = LINKS | {"scan", "problems", "derivatives", "papers", "simulation", "lists", "contact"}
PUBLIC = TABLES | {"tandem", "interface", "model", "io", "error"}
DOOR = TABLES | MATHEMATICS | {"error", "model", "io", "interface", "src/tracing", "schedules", "tasks", "backends",
                               "src/api", "src/policy"}
ARROWS = {
    "standard": set(),  # which all may include
    "index": set(),
    "error": set(),
    "names": {"error"},
    "view": {"index", "names"},
    "arguments": {"index", "names", "view"},
    "core": {"index"},
    "spatial": {"core", "index"},
    "joint": TABLES | {"core", "spatial"},
    "contact": TABLES | LINKS | {"problems"},
    "executors": {"core", "index"},
    "solve": {"core", "executors", "spatial", "index"},
    "passes": TABLES | LINKS,
    "problems": TABLES | LINKS | {"simulation"},
    "derivatives": TABLES | LINKS | {"problems", "simulation"},
    "simulation": TABLES | LINKS | {"problems", "derivatives"},
    "scan": TABLES | LINKS | {"problems", "derivatives", "simulation"},
    "papers": TABLES | LINKS | {"lists", "problems", "derivatives", "scan"},
    "lists": TABLES | MATHEMATICS,
    "model": TABLES | {"core", "spatial", "joint", "error"},
    "io": TABLES | {"core", "spatial", "joint", "error", "model"},
    "interface": TABLES | {"error", "model"},
    "tasks": TABLES | MATHEMATICS | {"error", "model", "interface"},
    "src/tracing": TABLES | MATHEMATICS | {"error", "model", "interface"},
    "schedules": TABLES | {"core", "error", "model", "interface", "src/tracing", "tasks"},
    "backends": TABLES | MATHEMATICS | {"error", "model", "interface", "backends/shared", "src/tracing"},
    "backends/mpi": TABLES | MATHEMATICS
    | {"error", "model", "interface", "backends/shared", "backends/macroparallel", "schedules",
                                           "tasks"},
    # the door: what checks a call and hands it to a backend; and what it asks: which method, assembled or not
    "src/policy": DOOR, "src/api": DOOR,
    "src/rollout": DOOR, "src/simulation": DOOR | {"src/rollout"},
    "src/check": DOOR, "src/compare": DOOR,
    "tandem": TABLES | {"error", "model", "io", "interface"},
    "apps": PUBLIC,
    # uses tandem::detail as docs/detail.md has it: counts operations with the bodies, reads in the view how links lie
    # in frames whose axes are z, so that rivals get those, too; scans, whose throughput a figure shows; and random,
    # counting and long numbers of src/core
    "apps/bench": PUBLIC | {"lists", "problems", "joint", "executors", "spatial", "core"},
    "examples": PUBLIC,
}

# The Python package: rooms of its modules, by their names behind "tandem."; first match
PYTHON = Path("apps/python/tandem")
PYTHON_ROOMS = [
    (r"(_common|errors|machine)\b", "common"),
    (r"(functions|spatial|configuration|contact|drive|plan|_check|inverse_kinematics|mjcf|simulation|vector_simulation"
     r"|_rollout_call|rollout|rollout_gradient)\b", "dynamics"),
    (r"_(?P<name>autodiff|control|interop|view)\b", "{name}"),
    (r"papers\b", "papers"),
    (r"\w+", "entry"),  # modules that users import by name, and the package itself
]
PYTHON_ARROWS = {
    "common": set(),
    "dynamics": {"common"},
    "papers": {"common", "dynamics"},
    "interop": {"common", "dynamics"},
    "autodiff": {"common", "dynamics"},
    "view": {"common", "dynamics"},
    "control": {"common", "dynamics", "view"},
    "entry": {"common", "dynamics", "papers", "interop", "autodiff", "view", "control"},
}

FORBIDDEN_IN_MATHEMATICS = [
    (r"#include\s*<(iostream|thread|string|vector)>", "<{0}> in the mathematics"),
    (r"\bthrow\b", "an exception in the mathematics"),
    (r"\bnew\b|\b(?:malloc|calloc|realloc)\s*\(", "an allocation in the mathematics"),
]
CUDA_HEADER = r"#include\s*[<\"](cuda[\w./]*|cub/[\w./]+|thrust/[\w./]+|cublas[\w./]*|cusolver[\w./]*)[>\"]"
CODE = {".hpp", ".cpp", ".cu", ".cuh", ".py"}
LONG = 400


def room_of(path: str) -> str | None:
    for pattern, room in ROOMS:
        if match := re.match(pattern, path):
            return room.format(**match.groupdict())
    return None


def allowed(room: str, other: str) -> bool:
    if other in (room, "standard"):
        return True
    arrows = ARROWS.get(room, ARROWS.get(room.split("/")[0], set()))
    return other in arrows or other.split("/")[0] in arrows


def is_public(path: str) -> bool:
    """Headers that users include; those below detail are for who instantiates bodies on numbers of their own."""
    return path.startswith("include/tandem/") and not path.startswith("include/tandem/detail/")


def without_comments(text: str) -> str:
    """Blanks comments, string and character literals, keeping the lines; include lines keep their names."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    pattern = (r'^[ \t]*#include[^\n]*|//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
               r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'")
    def keep_includes(match):
        text = match.group()
        return re.sub(r"//.*", "", text) if text.lstrip().startswith("#include") else blank(match)
    return re.sub(pattern, keep_includes, text, flags=re.DOTALL | re.MULTILINE)


def resolve(root: Path, path: Path, name: str) -> str | None:
    """The project file that `#include "name"` in path means, or None if it is none of ours."""
    app = [Path(*path.parts[:2])] if path.parts[0] == "apps" else []
    for folder in (path.parent, Path("include"), Path("src"), *app):
        if (root / folder / name).is_file():
            return (root / folder / name).resolve().relative_to(root.resolve()).as_posix()
    return None


def check_includes(root: Path, path: Path, text: str):
    room = room_of(path.as_posix())
    if room is None:
        return
    for match in re.finditer(r'^[ \t]*#include\s*[<"]([^>"]+)[>"]', text, flags=re.MULTILINE):
        line = text.count("\n", 0, match.start()) + 1 + match.group().count("\n")
        name = match.group(1)
        target = resolve(root, path, name)
        if target is None:
            if name.startswith("tandem/") and name != "tandem/version.hpp":  # that one is made by CMake
                yield line, f'there is no "{name}"'
            continue
        other = room_of(target)
        if other is None or not allowed(room, other):
            yield line, f'{room} may not include {other or target} ("{name}")'
        elif path.parts[0] == "include" and not target.startswith("include/"):
            yield line, f'a public header may not include a private one ("{name}")'
        elif is_public(path.as_posix()) and not is_public(target):
            yield line, f'a public header may not show the mathematics ("{name}")'
        elif target.startswith("src/") and path.parts[0] in ("apps", "examples") and (room,
                                                                                      other) != ("apps/bench", "core"):
            yield line, f'{room} may include public headers only ("{name}")'


def check_words(path: Path, text: str):
    own = path.as_posix().startswith(("src/backends/cuda/", "tests/gpu_check/"))
    rules = [] if own else [(CUDA_HEADER, "a CUDA header, {0}, outside src/backends/cuda")]
    if path.parts[0] == "include" and room_of(path.as_posix()) in MATHEMATICS:
        rules += FORBIDDEN_IN_MATHEMATICS
    for pattern, message in rules:
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.start()) + 1, message.format(*match.groups())


def check_form(path: Path, text: str):
    lines = text.splitlines()
    first = next((line for line in lines if not line.startswith("#!")), "")
    if "SPDX-License-Identifier: Apache-2.0" not in first:
        yield 1, "the first line is not the SPDX line"
    if path.suffix in (".hpp", ".cuh") and "#pragma once" not in lines:
        yield 1, "a header without #pragma once"
    if len(lines) > LONG and not any("lines" in line and line.lstrip().startswith(("//", "#")) for line in lines[:15]):
        yield 1, f"{len(lines)} lines, over {LONG}, without a comment at the top that says why so many lines"


def check_test_names(paths):
    """pytest collects no two test files of one name in different folders."""
    seen = {}
    for path in paths:
        if path.parts[0] == "tests" and path.match("test_*.py"):
            first = seen.setdefault(path.name, path)
            if first != path:
                yield (f"{path.as_posix()}:1: the name of {first.as_posix()}, and pytest collects no two files of "
                       "one name")


def imports_of(path: Path, text: str, modules: dict[str, Path]):
    """Modules of the package that one imports, wherever it does, with the lines: also for type checkers alone, and
    inside functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in found:
            if f"{name}.".startswith("tandem._core."):  # which is compiled, and below all rooms
                continue
            while name and name not in modules:  # of a name in a module: the module
                name = name.rpartition(".")[0]
            if name:
                yield name, node.lineno


def python_room(module: str) -> str:
    inside = module.partition(".")[2] or "__init__"
    return next(room.format(**match.groupdict()) for pattern, room in PYTHON_ROOMS
                if (match := re.match(pattern, inside)))


def check_python_imports(root: Path, paths):
    """Who imports whom in the Python package: no circles, and arrows between rooms as they are permitted."""
    modules = {}
    for path in paths:
        if path.suffix == ".py" and path.is_relative_to(PYTHON):
            names = path.relative_to(PYTHON).with_suffix("").parts
            modules[".".join(("tandem", *(names[:-1] if names[-1] == "__init__" else names)))] = path
    lines = {}  # of every import: its first line
    for module, path in modules.items():
        for other, line in imports_of(path, (root / path).read_text(encoding="utf-8"), modules):
            if other != module:
                lines.setdefault((module, other), line)
    for (module, other), line in lines.items():
        room, of_other = python_room(module), python_room(other)
        if room != of_other and of_other not in PYTHON_ARROWS[room]:
            yield f"{modules[module].as_posix()}:{line}: the room {room} may not import {of_other} ({other})"
    for circle in circles({module: sorted(other for a, other in lines if a == module) for module in modules}):
        line = lines[circle[0], circle[1]]
        yield f"{modules[circle[0]].as_posix()}:{line}: a circle of imports: {' -> '.join(circle)}"


def circles(arrows: dict[str, list[str]]):
    """A circle through each arrow back that a walk along arrows meets: [a, b, a]."""
    done, way = set(), []

    def walk(module):
        if module in way:
            yield [*way[way.index(module):], module]
            return
        if module in done:
            return
        way.append(module)
        for other in arrows[module]:
            yield from walk(other)
        done.add(way.pop())

    for module in arrows:
        yield from walk(module)


def check(root: Path) -> list[str]:
    paths = list(project_files(root))
    problems = [*check_test_names(paths), *check_python_imports(root, paths)]
    for path in paths:
        if path.suffix not in CODE:
            continue
        text = (root / path).read_text(encoding="utf-8")
        found = list(check_form(path, text))
        if path.suffix != ".py" and path.parts[0] in ("include", "src", "apps", "examples"):
            code = without_comments(text)
            found += [*check_includes(root, path, code), *check_words(path, code)]
        problems += [f"{path.as_posix()}:{line}: {message}" for line, message in sorted(found)]
    return problems


SPDX = "# SPDX-License-Identifier: Apache-2.0\n"
HEADER = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
GOOD_TREE = {
    "include/tandem/detail/core/column.hpp": HEADER + "// throw new \"ideas\" here; 1'000 of them\n",
    "include/tandem/detail/spatial/vec3.hpp": HEADER + '#include "tandem/detail/core/column.hpp"\n',
    "include/tandem/requires_cxx20.hpp": HEADER,
    "include/tandem/index.hpp": HEADER + '#include "tandem/requires_cxx20.hpp"\n',
    "include/tandem/model/view.hpp": HEADER + '#include "tandem/index.hpp"\n',
    "include/tandem/model/model.hpp": HEADER + '#include <string>\n#include "tandem/model/view.hpp"\n',
    "include/tandem/detail/problems/energy.hpp": HEADER + '#include "tandem/model/view.hpp"\n',
    "include/tandem/api/workspace.hpp": HEADER + '#include "tandem/model/model.hpp"\n',
    "src/backends/cpu/run.hpp": HEADER + '#include "tandem/api/workspace.hpp"\n',
    "src/api/energy.cpp": HEADER + '#include "backends/cpu/run.hpp"\n',
    "src/io/xml.hpp": HEADER,
    "apps/cli/main.cpp": HEADER + '#include "tandem/api/workspace.hpp"\n',
    "tests/cli/test_eval.py": "# SPDX-License-Identifier: Apache-2.0\n",
    "apps/python/tandem/__init__.py": SPDX + "from tandem.functions import energy\nfrom tandem import _view\n",
    "apps/python/tandem/functions.py": SPDX + "from tandem.errors import Error\n",
    "apps/python/tandem/errors.py": SPDX,
    "apps/python/tandem/_view/__init__.py": SPDX,
    "apps/python/tandem/_view/scene.py": SPDX + "from tandem import _core, functions\n",
    "apps/python/tandem/_view/zoom.py": SPDX + "from tandem._view import camera\n",
}
BAD_FILES = [  # (file, its text, the line that must be reported, part of the message)
    ("include/tandem/detail/core/a.hpp", HEADER + '#include "tandem/detail/spatial/vec3.hpp"\n', 3,
     "core may not include spatial"),
    ("include/tandem/detail/solve/a.hpp", HEADER + '#include "tandem/model/view.hpp"\n', 3,
     "solve may not include view"),
    ("include/tandem/model/a.hpp", HEADER + '#include "tandem/detail/core/column.hpp"\n', 3,
     "may not show the mathematics"),
    ("include/tandem/detail/spatial/a.hpp", HEADER + "#include <vector>\n", 3, "<vector> in the mathematics"),
    ("include/tandem/detail/problems/a.hpp", HEADER + "\nvoid f() { throw 1; }\n", 4, "an exception"),
    ("include/tandem/detail/problems/b.hpp", HEADER + "int* f() { return new int; }\n", 3, "an allocation"),
    ("include/tandem/detail/problems/c.hpp", HEADER + '#include "tandem/model/model.hpp"\n', 3,
     "problems may not include model"),
    ("include/tandem/detail/core/b.hpp", HEADER + "#include <cuda_runtime.h>\n", 3, "a CUDA header, cuda_runtime.h"),
    ("include/tandem/detail/core/c.hpp", "#pragma once\n", 1, "SPDX"),
    ("include/tandem/detail/core/d.hpp", "// SPDX-License-Identifier: Apache-2.0\n", 1, "#pragma once"),
    ("include/tandem/io/a.hpp", HEADER + '#include "tandem/io/gone.hpp"\n', 3, 'there is no "tandem/io/gone.hpp"'),
    ("include/tandem/io/b.hpp", HEADER + '#include "io/xml.hpp"\n', 3, "a public header may not include a private one"),
    ("src/backends/cuda/a.hpp", HEADER + '#include "backends/cpu/run.hpp"\n', 3,
     "backends/cuda may not include backends/cpu"),
    ("src/model/a.cpp", HEADER + '#include "../io/xml.hpp"\n', 3, "model may not include io"),
    ("src/io/a.cpp", HEADER + "\n" * LONG, 1, "over 400"),
    ("tests/python/test_eval.py", "# SPDX-License-Identifier: Apache-2.0\n", 1, "the name of tests/cli/test_eval.py"),
    ("apps/cli/a.cpp", HEADER + '#include "../../src/io/xml.hpp"\n', 3, "public headers only"),
    ("apps/python/tandem/drive.py", SPDX + "\nfrom tandem._view.scene import Scene\n", 3,
     "dynamics may not import view"),
    ("apps/python/tandem/_view/camera.py", SPDX + "def f():\n    from tandem._view import zoom\n", 3,
     "circle of imports: tandem._view.camera -> tandem._view.zoom -> tandem._view.camera"),
]


def self_test() -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in GOOD_TREE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        if complaints := check(root):
            print("a good tree is refused:", *complaints, sep="\n  ")
            failures += 1
        for name, text, line, message in BAD_FILES:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
            complaints = check(root)
            if len(complaints) != 1 or not complaints[0].startswith(f"{name}:{line}: ") or message not in complaints[0]:
                print(f'{name}: expected one complaint "{message}" at line {line}, got:', *complaints, sep="\n  ")
                failures += 1
            (root / name).unlink()
    print(f"check_layers self test: {len(BAD_FILES) + 1 - failures} of {len(BAD_FILES) + 1} cases as expected")
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to check")
    parser.add_argument("--self-test", action="store_true", help="check the checks")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    problems = check(arguments.root)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_layers: {len(problems)} problem{'s' * (len(problems) != 1)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

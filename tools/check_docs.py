#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documentation shows, and follows where it points.

    tools/check_docs.py --build build/release [--python .venv/bin/python] [--pictures] [FILE.md ...]

In every Markdown file of the project:
  ```cpp     is compiled; with an `int main` it is linked against the library in the build folder and run as well
  ```python  is run, after the ones before it on the page, from which it goes on; not if it imports Pinocchio, MuJoCo,
             JAX, PyTorch, CasADi or Gymnasium, or calls tandem.view, and the interpreter has none or no viser, which is
             then said
  ```bash    is run if a line of it calls `tandem`, the one in the build folder
  ```output  is what the block before it printed
  ```json, ```xml  is parsed
  ```text    is left alone; any other kind of block is refused
The blocks of one file run in order in one empty folder, so that a later one finds what an earlier one wrote.
A picture that lies beside its page and is shown there is one that a block draws; --pictures puts it there anew. Without
that, films of tandem.scene are but sketched: three small pictures each, and at most twenty steps where a robot finds
pairs of its shapes that touch.
Relative links must lead to files of the project, and no file of the project may name a path of one machine. What
Markdown and the comments of headers and sources (and the table of methods) name is there: files of code, and in
docs/notation.md a source for every [Key] cited. Tables made from committed results are what these say:
tools/page_tables.py writes them anew. Those of the command line's options are what the program says:
tools/page_help.py. Prose uses the words of tools/plain_words.py.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import page_help
import page_tables
import plain_words
from files import ROOT, project_files
from python_session import Ended, PythonSession

BLOCK = re.compile(r"^(?P<indent> *)```(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ \t]*$", re.MULTILINE
                   | re.DOTALL)
LINK = re.compile(r"\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)/\s]+)\)")
MACHINE_PATH = re.compile(r"(?:^|[^\w.$}-])/(?:work|root|farm|home|opt/(?!ros\b))\b[\w./-]*")
CODE_FILE = re.compile(r"(?<![\w./<+-])(?:[\w.+-]+/)*[\w+-]+\.(?:hpp|cpp|cuh|cu|py)\b")
STRING = re.compile(r'"[^"\n]*"')
CITATION = re.compile(r"\[((?:[A-Z][A-Za-z-]{2,}(?:, )?)+(?: slides| \d{4})?)\](?!\()")
OTHERS = re.compile(r"^(?:import|from) (pinocchio|mujoco|jax|torch|casadi|gymnasium)\b", re.MULTILINE)
SOURCES = Path("docs/notation.md")
SECONDS, SECONDS_OF_FILMS = 300, 3000
PROGRAM = """#!/bin/sh
if [ "$1" = hop ]; then
  printf 'Usage: tandem hop [OPTIONS]\\n\\nOptions:\\n  -h,--help  this\\n  --far N    how\\n             far\\n\\nFar is far.\\n'
else
  printf 'Usage: tandem COMMAND\\n\\nCommands:\\n  hop  Hop\\n'
fi
"""
SKETCHES = """
import itertools as _itertools, tandem as _tandem, tandem.scene as _scene
def _small(self, *, _whole=_scene.Scene.__init__, **options):
    _whole(self, **{**options, "size": (64, 48)})
def _few(self, progress=None, _whole=_scene.Scene.pictures):
    return _itertools.islice(_whole(self, progress), 3)
def _short(self, duration, *given, _whole=_tandem.Simulation.run, every=1, **options):
    if self.contacts is not None and self.contacts.finds_pairs:
        duration, every = min(duration, 20 * self.dt), min(every, 10)
    return _whole(self, duration, *given, every=every, **options)
_scene.Scene.__init__, _scene.Scene.pictures, _tandem.Simulation.run = _small, _few, _short
"""


class Refused(Exception):
    """A block that is not as it should be."""


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


@dataclass
class Page:
    """The blocks of one page: where they run, the Python that ran and where, what the last one printed."""

    folder: Path
    program: str = ""
    session: PythonSession | None = None
    printed: str | None = None


def failed(status: int, printed: str) -> Refused:
    tail = "\n    ".join(printed.strip().splitlines()[-20:])
    return Refused(f"exit {status}\n    {tail}")


def run(command: list, folder: Path, environment: dict) -> str:
    try:
        done = subprocess.run([str(part) for part in command], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Refused(f"took longer than {SECONDS} s") from None
    if done.returncode != 0:
        raise failed(done.returncode, done.stdout)
    return done.stdout


class Runner:
    """Knows how to run each kind of block with the programs of one build folder."""

    def __init__(self, build: Path, python: Path, whole_films: bool = False):
        self.build, self.python, self.whole_films = build, python, whole_films
        self.seconds = SECONDS_OF_FILMS if whole_films else SECONDS
        path = f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = dict(os.environ, MPLBACKEND="Agg", TANDEM_PYTHON=str(python), PATH=path)

    def compiler(self) -> str:
        cache = (self.build / "CMakeCache.txt").read_text()
        return re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)

    def eigen(self, code: str) -> list[str]:
        """Where Eigen is, for code that includes it; the folder is the compiler's own where nobody knows."""
        if not re.search(r"#include <(tandem/eigen\.hpp|Eigen/\w+)>", code) or not shutil.which("pkg-config"):
            return []
        found = subprocess.run(["pkg-config", "--cflags-only-I", "eigen3"], text=True, capture_output=True)
        return [flag.replace("-I", "-isystem", 1) for flag in found.stdout.split()]

    def cpp(self, code: str, page: Page):
        (page.folder / "block.cpp").write_text(code)
        command = [self.compiler(), "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include",
                   "-I", self.build / "include", *self.eigen(code), "block.cpp"]
        if not re.search(r"\bint main\b", code):
            run([*command, "-fsyntax-only"], page.folder, self.environment)
            return
        library = next((self.build / "src").glob("libtandem.*"), None)
        if library is None:
            raise Refused(f"no libtandem in {self.build / 'src'}")
        run([*command, "-o", "block", library, f"-Wl,-rpath,{library.parent}", "-lexpat", "-ltbb"], page.folder,
            self.environment)
        page.printed = run([page.folder / "block"], page.folder, self.environment)

    def has(self, module: str) -> bool:
        code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
        return subprocess.run([self.python, "-c", code], env=self.environment).returncode == 0

    def python_(self, code: str, page: Page):
        needed = OTHERS.findall(code) + ["viser"] * ("tandem.view(" in code)
        lacking = [module for module in needed if not self.has(module)]
        if lacking:
            return print(f"NOT RUN: a block that needs {', '.join(lacking)}, which is not installed")
        try:
            if page.session is None:
                page.session = PythonSession(self.python, page.folder, self.environment)
                page.session.run(page.program, self.seconds)
            if "tandem.scene" in code and not self.whole_films:
                page.session.run(SKETCHES, SECONDS)
            page.printed = page.session.run(code, self.seconds)
        except Ended as end:
            page.session = None
            raise Refused(f"took longer than {self.seconds} "
                          "s") if end.status is None else failed(end.status, end.printed) from None
        page.program += "\n" + code

    def bash(self, code: str, page: Page):
        if not re.search(r"^tandem ", code, re.MULTILINE):
            raise Refused("no line of it calls `tandem`: mark it ```text")
        page.printed = run(["bash", "-euo", "pipefail", "-c", code], page.folder, self.environment)

    def output(self, code: str, page: Page):
        if page.printed is None:
            raise Refused("no block before it has printed anything")
        if page.printed.strip() != code.strip():
            raise Refused("the block before it printed\n    " + page.printed.strip().replace("\n", "\n    "))

    def json(self, code: str, page: Page):
        try:
            json.loads(code)
        except ValueError as error:
            raise Refused(str(error)) from None

    def xml(self, code: str, page: Page):
        try:
            ElementTree.fromstring(code)
        except ElementTree.ParseError as error:
            raise Refused(str(error)) from None

    def text(self, code: str, page: Page):
        pass

    def __call__(self, kind: str, code: str, page: Page):
        kinds = {"cpp": self.cpp, "python": self.python_, "bash": self.bash, "output": self.output, "json": self.json,
                 "xml": self.xml, "text": self.text}
        if kind not in kinds:
            raise Refused(f"blocks are {', '.join(kinds)}")
        kinds[kind](code, page)


def check_blocks(name: str, text: str, runner: Runner, pictures: Path | None = None):
    """Runs the blocks of a page; where `pictures` is a folder, the pictures they drew go there if all ran."""
    with tempfile.TemporaryDirectory() as folder:
        page, all_ran = Page(Path(folder)), True
        for match in BLOCK.finditer(text):
            kind, indent = match["kind"].strip(), match["indent"]
            code = re.sub(f"^{indent}", "", match["body"], flags=re.MULTILINE)
            try:
                runner(kind, code, page)
            except Refused as problem:
                all_ran = False
                yield f"{name}:{line_of(text, match.start())}: ```{kind}: {problem}"
        for match in PICTURE.finditer(BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)):
            if not (page.folder / match[1]).is_file():
                yield f"{name}:{line_of(text, match.start())}: no block draws {match[1]}"
            elif pictures and all_ran:
                shutil.copyfile(page.folder / match[1], pictures / match[1])
        if page.session:
            page.session.close()


def check_links(name: str, text: str, root: Path):
    text = BLOCK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    text = re.sub(r"`[^`\n]*`", lambda match: " " * len(match.group()), text)
    for match in LINK.finditer(text):
        target = match.group(1).split("#")[0]
        if target and not re.match(r"[a-z]+:", target) and not ((root / name).parent / target).exists():
            yield f"{name}:{line_of(text, match.start())}: no such file: {target}"


def check_paths(root: Path):
    for path in project_files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for match in MACHINE_PATH.finditer(text):
            yield f"{path}:{line_of(text, match.end())}: a path of one machine: {match.group().strip()}"


def check_names(root: Path):
    files = {path.as_posix() for path in project_files(root)}
    ends = {"/".join(parts[k:]) for parts in (name.split("/") for name in files) for k in range(len(parts))}
    sources = set(re.findall(r"^- \[([^\]]+)\]", (root / SOURCES).read_text(encoding="utf-8"), re.MULTILINE))
    for name in sorted(files):
        if not name.endswith((".md", ".hpp", ".cpp", ".cuh", ".cu", "tandem/functions.py")) or name == "CHANGELOG.md":
            continue
        text = (root / name).read_text(encoding="utf-8")
        if name.endswith(".md"):
            text = re.sub(r"`tandem [^`\n]*`", "", LINK.sub("](", text))
            text = re.sub(r"^ *\+\[\w+\]$", "", text, flags=re.MULTILINE)  # of a header that is shown
        elif name.endswith(".py"):  # its docstrings
            parts = text.split('"""')
            text = "".join(part if k % 2 else re.sub(r"[^\n]", "", part) for k, part in enumerate(parts))
        else:
            # what tables of public headers say goes into documentation, too
            said = STRING.sub(lambda match: "//" + match.group(),
                              text) if name.startswith("include/tandem/options") else text
            text = "\n".join(line.partition("//")[2] for line in said.split("\n"))
        for match in CODE_FILE.finditer(text):
            if match.group() not in ends and match.group() + ".in" not in ends:
                yield f"{name}:{line_of(text, match.start())}: no such file: {match.group()}"
        for match in CITATION.finditer(text):
            if match[1] not in sources:
                yield f"{name}:{line_of(text, match.start())}: {SOURCES} has no source [{match[1]}]"


def self_test() -> int:
    good = "```python\nx = 2\n```\n```python\nprint(x)\n```\n```output\n2\n```\n"
    good += "```text\nanything\n```\n```json\n{\"a\": 1}\n```\n```xml\n<robot/>\n```\n"
    good += "  ```python\n  x = 1\n  ```\n[here](README.md)\n"
    good += "The run stops; see `engine` and [here](README.md#engine).\n"
    good += "<!-- help: hop -->\n\n`tandem hop`\n\n| | |\n|---|---|\n| `--far N` | how far |\n\n<!-- end of help -->\n"
    bad = [("```\nx\n```", "blocks are"), ("```python\nraise SystemExit(3)\n```", "exit 3"),
           ("```python\nprint(1)\n```\n```output\n2\n```", "printed\n    1"), ("```output\n2\n```", "no block before"),
           ("![a robot](README.md)", "no block draws"), ("```json\n{\n```", "Expecting"),
           ("```xml\n<robot>\n```", "no element"), ("```bash\nls\n```", "mark it"),
           ("[there](gone.md)", "no such file"),
           ("see /" + "root/x", "a path of one machine"), ("see `gone.hpp`", "no such file"),
           ("<!-- help: dance -->\n<!-- end of help -->", "no command dance"),
           ("<!-- help: hop -->\n\n`tandem hop`\n\n<!-- end of help -->", "hop are out of date"),
           ("proved in [Unknown 1900]", "no source"), ("<!-- table: gone -->\n<!-- end of table -->", "no table is"),
           ("a run that\nleaves reason", "not plain: diverge"), ("| joint forces |", "not plain: joint torques"),
           ("[an engine](README.md)", "not plain: executor")]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        runner = Runner(root, Path(sys.executable))
        (root / SOURCES).parent.mkdir()
        (root / "tandem").write_text(PROGRAM)
        (root / "tandem").chmod(0o755)
        (root / SOURCES).write_text("- [Known 1900] A book.\n")
        for text, expected in [(good, None), ("as in [Known 1900]", None), *bad]:
            (root / "README.md").write_text(text)
            found = [*check_blocks("README.md", text, runner), *check_links("README.md", text, root),
                     *check_paths(root), *check_names(root), *page_tables.problems("README.md", text),
                     *plain_words.problems("README.md", text), *page_help.problems("README.md", text, root / "tandem")]
            if (expected is None and found) or (expected and (len(found) != 1 or expected not in found[0])):
                print(f"{text!r}: expected {expected}, got {found}")
                failures += 1
    print(f"check_docs self test: {len(bad) + 2 - failures} of {len(bad) + 2} cases as expected")
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="build folder to link against")
    parser.add_argument("--python", type=Path, default=Path(sys.executable),
                        help="interpreter that has tandem installed")
    parser.add_argument("--pictures", action="store_true", help="put the pictures that blocks draw beside their pages")
    parser.add_argument("--self-test", action="store_true", help="check the checks")
    parser.add_argument("files", nargs="*", help="Markdown files; all of the project by default")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    # not resolve(): the interpreter of a virtual environment is a link
    runner = Runner(arguments.build.resolve(), arguments.python.absolute(), whole_films=arguments.pictures)
    names = [Path(name).resolve().relative_to(ROOT) for name in arguments.files]
    problems, blocks = [], 0
    for path in names or [path for path in project_files() if path.suffix == ".md"]:
        text = (ROOT / path).read_text(encoding="utf-8")
        blocks += len(BLOCK.findall(text))
        pictures = (ROOT / path).parent if arguments.pictures else None
        problems += [*check_blocks(path.as_posix(), text, runner, pictures), *check_links(path.as_posix(), text, ROOT),
                     *page_tables.problems(path.as_posix(), text), *plain_words.problems(path.as_posix(), text),
                     *page_help.problems(path.as_posix(), text, runner.build / "bin" / "tandem")]
    problems += [*check_paths(ROOT), *check_names(ROOT)]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_docs: {blocks} blocks, {len(problems)} problem{'s' * (len(problems) != 1)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

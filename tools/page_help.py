#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the command line's arguments and options on a page, taken from what `tandem COMMAND --help` says.

    tools/page_help.py [--build build/release]      writes them anew, between the marks of every page:

        <!-- help: COMMAND -->
        <!-- end of help -->

tools/check_docs.py finds those that are not what the program says, and commands that docs/command_line.md leaves out.
"""
import argparse
import functools
import re
import subprocess
import sys
from pathlib import Path

from files import ROOT, project_files

MARK = re.compile(r"^<!-- help: (?P<name>[\w-]+) -->\n(?P<body>.*?)^<!-- end of help -->$", re.MULTILINE | re.DOTALL)
PAGE = "docs/command_line.md"
ENTRY = re.compile(r"^  (?P<name>\S.*?)(?: {2,}(?P<meaning>\S.*))?$")


@functools.cache
def help_of(program: Path, *command: str) -> str:
    done = subprocess.run([program, *command, "--help"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ValueError(f"{program.name} {' '.join(command)} --help: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def entries(text: str, *groups: str):
    """(group, name, meaning) of what a help lists below its headings."""
    group, found = "", []
    for line in text.splitlines():
        if heading := re.fullmatch(r"(\w+):", line):
            group = heading[1]
        elif group in groups and (entry := ENTRY.match(line)):
            found.append([group, entry["name"], entry["meaning"] or ""])
        elif group in groups and line.startswith("    ") and found:
            found[-1][2] = f"{found[-1][2]} {line.strip()}".strip()
        elif line and not line.startswith(" "):
            group = ""
    return found


def commands(program: Path):
    return [name for _, name, _ in entries(help_of(program), "Commands")]


def body_of(program: Path, command: str) -> str:
    text = help_of(program, command)
    usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE)[1].replace(" [OPTIONS]", "")
    lines = ["", f"`{usage}`", "", "| | |", "|---|---|"]
    for _, name, meaning in entries(text, "Arguments", "Options", "Method"):
        if not name.startswith("-h,"):
            lines.append(f"| `{name}` | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join([*lines, "", ""]) if len(lines) > 5 else f"\n`{usage}`\n\n"


def problems(page: str, text: str, program: Path):
    """Tables of a page that are not what the program says; on the command line's page, commands without one."""
    marks = list(MARK.finditer(text))
    if (marks or page == PAGE) and not program.exists():
        yield f"{page}: no {program} to compare its tables of options with"
        return
    for match in marks:
        line = text.count("\n", 0, match.start()) + 1
        if match["name"] not in commands(program):
            yield f"{page}:{line}: there is no command {match['name']}"
        elif match["body"] != body_of(program, match["name"]):
            yield f"{page}:{line}: the options of {match['name']} are out of date: tools/page_help.py writes them anew"
    if page == PAGE:
        for name in sorted(set(commands(program)) - {match["name"] for match in marks}):
            yield f"{page}: leaves out the command {name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="build folder with the program")
    program = parser.parse_args().build / "bin" / "tandem"
    for path in project_files():
        if path.suffix == ".md":
            old = (ROOT / path).read_text(encoding="utf-8")
            new = MARK.sub(lambda match: f"<!-- help: {match['name']} -->\n{body_of(program, match['name'])}"
                                         "<!-- end of help -->", old)
            if new != old:
                (ROOT / path).write_text(new, encoding="utf-8")
                print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Words that pages do not use, each with the one that they do: the terms of docs/notation.md and of the field.

tools/check_docs.py looks for them in prose: headings, paragraphs, lists and tables of Markdown files. Code, names in
backquotes, targets of links and what `tandem COMMAND --help` prints are left out. The changelog, decisions and results
are records of their day.
"""
import re

WORDS = [
    (r"lea(?:ve|ves|ving|ft) reason|within reason", "diverge, diverged"),
    (r"what (?:users|people) hold", "public API, public types"),
    (r"who may include", "allowed dependencies"),
    (r"(?:the|a|its|their|one) ways? back", "reverse pass, VJP"),
    (r"changes? along", "JVP, directional derivative"),
    (r"outer (?:forces?|wrench(?:es)?)|pushes on links", "external wrenches"),
    (r"joint forces?", "joint torques"),
    (r"(?:the|its|their|no|against|active|joint|position) stops?|stops (?:act|at position limits)",
     "joint limits, limit forces"),
    (r"recordings?", "tracing, expression graph; file of states"),
    (r"assembled (?:code|kernels?|functions?|lines?)|instructions (?:for|of) (?:the|this|one|a) robot",
     "JIT-compiled kernel"),
    (r"(?:code|kernels) for (?:any|every) robot", "generic kernels"),
    (r"code for (?:one|the|this) robot", "kernels compiled for one robot"),
    (r"engines?", "executor"),
    (r"movers?", "stepper"),
    (r"live arrays?", "persistent views"),
    (r"alike limbs|limbs (?:that are )?built alike", "isomorphic subtrees"),
    (r"laws of mechanics", "invariants of mechanics"),
    (r"learners?", "reinforcement learning"),
    (r"robots with seven", "seven-joint robots"),
    (r"whoever|nobody", "a noun: the user, the caller; a passive or a condition"),
]
RECORDS = ("CHANGELOG.md", "docs/decisions/", "bench/results/")
NO_PROSE = re.compile(r"^ *```.*?^ *```[ \t]*$|<!-- help: .*?<!-- end of help -->|`[^`]*`|(?<=\])\([^)\s]*\)",
                      re.MULTILINE | re.DOTALL)


def problems(page: str, text: str):
    """Words of prose that have a plain equivalent."""
    if page.startswith(RECORDS):
        return
    prose = NO_PROSE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for word, plain in WORDS:
        for match in re.finditer(rf"\b(?:{word})\b".replace(" ", r"\s+"), prose, re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            yield f'{page}:{line}: "{" ".join(match.group().split())}" is not plain: {plain}'

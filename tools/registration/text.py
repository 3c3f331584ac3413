# SPDX-License-Identifier: Apache-2.0
"""Words in lines."""
import itertools
import re
import textwrap


def filled(words, start, width, indent, glue="\n", break_before=None):
    """`start` and words in lines of at most `width` columns, those behind the first indented."""
    lines, line, fresh = [], start, True
    for word in words:
        joined = line + word if fresh else f"{line} {word}"
        if (len(joined) > width or word == break_before) and not fresh:
            lines.append(line)
            line = " " * indent + word
        else:
            line = joined
        fresh = False
    return glue.join([*lines, line])


def wrapped(text, start, width=120):
    """Words in lines, each of which begins alike and is at most `width` columns wide."""
    lines, line = [], start
    for word in text.split():
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = start
        line += " " + word
    return "\n".join([*lines, line]) + "\n"


def reflowed(text, width):
    """Paragraphs in lines of a width; indented lines, formulas, stay as they are."""
    def is_formula(line):
        return not line.strip() or line.startswith((" ", "-", "*"))

    blocks = []
    for formula, lines in itertools.groupby(text.split("\n"), is_formula):
        lines = list(lines)
        blocks += lines if formula else [textwrap.fill(" ".join(lines), width, break_on_hyphens=False)]
    return "\n".join(blocks)


def without_markup(text):
    """Of docstrings, for comments of C++."""
    return re.sub(r":\w+:`([^`]*)`", r"\1", text).replace("``", "")

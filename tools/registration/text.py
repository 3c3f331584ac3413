# SPDX-License-Identifier: Apache-2.0
"""Words in lines."""


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

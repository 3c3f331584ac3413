# SPDX-License-Identifier: Apache-2.0
"""tandem macroparallel."""
import pytest


def test_parts_are_never_negative(tandem):
    text = tandem.good("macroparallel", "chain:12", "--processors", 12, "--repeats", 2)
    for name in ("T_v", "T_ab"):
        for cell in next(line for line in text.splitlines() if name in line).split()[-2:]:
            assert cell == "-" or float(cell) > 0
    assert "12 bodies on 12 processors" in text
    assert "1 body on 1 processor," in tandem.good("macroparallel", "chain:1", "--repeats", 2)


@pytest.mark.parametrize("words, told", [
    (["chain:4", "--processors", 5], "processors is 5, expected at most the number of bodies, 4"),
    (["humanoid"], "it has branches"),
    (["chain:4", "--freezing", "all"], "all"),
    (["chain:4", "--repeats", 0], "repeats"),
])
def test_what_is_refused(tandem, words, told):
    assert told in tandem.refused("macroparallel", *words)

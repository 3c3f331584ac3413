# SPDX-License-Identifier: Apache-2.0
"""tandem generate-header: the text compiles without warnings and computes what the library computes."""
import os
import random
import re
import shutil
import subprocess

import pytest
from cli_support import table

FUNCTIONS = {"inverse-dynamics": ("q", "v", "a"), "forward-dynamics": ("q", "v", "tau"), "mass-matrix": ("q",)}
CXX, CC = shutil.which("c++"), shutil.which("cc")
CALL = """
#include <stdio.h>
#include "robot.h"
int main(void) {{
  {real} in[3][40], out[{rows}]; double x; int k;
{reads}
  {call};
  for (k = 0; k < {rows}; ++k) printf("%.17g\\n", (double)out[k]);
  return 0;
}}
"""


def state(sizes, seed):
    """A line of numbers for every input; quaternions of a floating base have unit length."""
    numbers = random.Random(seed)
    lines = [[round(numbers.uniform(-1, 1), 3) for _ in range(size)] for size in sizes]
    if sizes[0] == 38:  # the humanoid's: position, quaternion, joints
        lines[0][3:7] = [0.5, -0.5, 0.5, 0.5]
    return lines


def program(tandem, compiler, flags, language, real, name, inputs, sizes, rows):
    reads = "\n".join(f'  for (k = 0; k < {size}; ++k) {{ if (scanf("%lf", &x) != 1) return 1; in[{k}][k] = ({real})x; '
                      f'}}'
                      for k, size in enumerate(sizes))
    arguments = ", ".join([f"&in[{k}][0]" for k in range(len(inputs))] + ["&out[0]"])
    call = f"robot::{name}<{real}>({arguments})" if language == "cpp" else f"robot_{name}({arguments})"
    source = tandem.file("main.cpp" if language == "cpp" else "main.c",
                         CALL.format(real=real, rows=rows, reads=reads, call=call))
    subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", tandem.folder / "a.out",
                    "-lm"],
                   check=True)
    return tandem.folder / "a.out"


@pytest.mark.parametrize("robot, nq, nv, more", [("arm7", 7, 7, []), ("humanoid", 38, 37, []),
                                                 ("humanoid", 38, 37, ["--loops"])])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("language, real", [("cpp", "double"), ("cpp", "float"), ("c", "double"), ("c", "float")])
def test_texts_compute_what_the_library_computes(tandem, robot, nq, nv, more, function, language, real):
    compiler = CXX if language == "cpp" else CC
    if not compiler:
        pytest.skip(f"no compiler of {language}")
    inputs = FUNCTIONS[function]
    sizes = [nq if name == "q" else nv for name in inputs]
    tandem.good("generate-header", robot, "--function", function, "--language", language, "--precision", real, "--name",
                "robot", "--out", "robot.h", *more)
    flags = ["-std=c++11"] if language == "cpp" else ["-std=c99"]
    rows = nv * nv if function == "mass-matrix" else nv
    run = program(tandem, compiler, flags, language, real, function.replace("-", "_"), inputs, sizes, rows)
    lines = state(sizes, seed=5)
    printed = subprocess.run([run], input=" ".join(str(x) for line in lines for x in line), text=True,
                             capture_output=True, check=True).stdout
    ours = [float(x) for x in printed.split()]
    header = ",".join(f"{name}{k}" for name, size in zip(inputs, sizes) for k in range(size))
    tandem.file("state.csv", header + "\n" + ",".join(str(x) for line in lines for x in line) + "\n")
    _, expected = table(tandem.good("eval", function, robot, "--in", "state.csv", "--precision", real))
    scale = max(abs(x) for x in expected[0])
    # products are not fused everywhere, and sines are the mathematics library's: a condition of 1e4 at most
    bound = 1e4 * scale * (1.2e-7 if real == "float" else 2.3e-16)
    assert len(ours) == len(expected[0])
    assert max(abs(a - b) for a, b in zip(ours, expected[0])) < bound


@pytest.mark.parametrize("function", FUNCTIONS)
def test_limbs_that_are_alike_share_a_text(tandem, function):
    words = ["generate-header", "quadruped", "--function", function, "--language"]
    for language in ("cpp", "c"):
        straight, looped = tandem.good(*words, language), tandem.good(*words, language, "--loops")
        assert "limb < 4" not in straight and "limb < 4" in looped
        computed = [len(re.findall(r"mul_add\(| [*+-] ", text)) for text in (straight, looped)]
        assert computed[1] < 0.5 * computed[0]
        assert len(looped) < 0.65 * len(straight)
    assert tandem.good("generate-header", "arm7", "--loops") == tandem.good("generate-header", "arm7")
    assert "CUDA" in tandem.refused(*words, "cuda", "--loops")


def test_a_kernel_of_cuda_compiles(tandem):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        pytest.skip("no nvcc")
    tandem.good("generate-header", "arm7", "--language", "cuda", "--precision", "float", "--out", "arm7.cu")
    subprocess.run([nvcc, "-arch=sm_90", "-fmad=false", "-Werror", "all-warnings", "-cubin", "arm7.cu"], check=True,
                   cwd=tandem.folder)


def test_what_there_is_not_is_said(tandem):
    assert "nope" in tandem.refused("generate-header", "arm7", "--function", "nope")
    assert '"f_exx"' in tandem.refused("generate-header", "arm7", "--with", "f_exx")
    assert "identifier" in tandem.refused("generate-header", "arm7", "--name", "a b")
    assert os.listdir(tandem.folder) == []

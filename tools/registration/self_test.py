# SPDX-License-Identifier: Apache-2.0
"""Adds an algorithm to a copy of the tree by one header, and looks for it in everything that is written."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HEADER = "include/tandem/detail/problems/joint_power.hpp"
JOINT_POWER = """\
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/core/config.hpp"

namespace tandem::inline TANDEM_ISA {

/// Power of the joint forces.
///
///     power = tau . v
///
/// In        v [nv] rad/s|m/s   tau [nv] N m|N
/// Out       power [] W   of_joints [nv] W or none, of each row
/// Work      none     Cost O(nv)
struct JointPower {
  static constexpr const char* name = "joint_power";
  static constexpr const char* summary = "power of the joint forces";
  static constexpr Argument arguments[] = {
      argument::v,
      argument::tau,
      {"power", Rows::scalar, Role::output, "W", "power of the joint forces"},
      {"of_joints", Rows::v, Role::optional_output, "W", "the power of each row"},
  };
  template <class M>
  static Index work_rows(const ModelView<M>&) {
    return 0;
  }

  template <class S, class M, class Qd, class Tau, class P, class R, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Qd v, Tau tau, P power, R of_joints, Work) {
    S sum(0);
    for (int k = 0; k < m.nv; ++k) {
      const S own = S(tau[k]) * S(v[k]);
      if (of_joints) of_joints[k] = own;
      sum = sum + own;
    }
    power[0] = sum;
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[JointPower]
compiled_with = "IntegrateRate"
cuda_with = "IntegrateRate"
ignores_loops = true
*/
"""

EXPECTED = {
    "include/tandem/detail/all_algorithms.hpp": ['#include "tandem/detail/problems/joint_power.hpp"', "JointPower>;"],
    "src/backends/cpu/problems.cmake": ["problems/joint_power JointPower"],
    "src/backends/cuda/problems.cmake": ["IntegrateRate,JointPower"],
    "include/tandem/api/functions.hpp": [
        "/// Power of the joint forces.",
        "void joint_power(const Model& model, In<T> v, In<T> tau, T& power, Workspace<T>& work, "
        "Out<T> of_joints = {});"],
    "src/api/functions.cpp": ["call<JointPower>(model, work, {v, tau, power, of_joints});",
                              "TANDEM_IN_BOTH_PRECISIONS(joint_power);"],
    "include/tandem/api/batches.hpp": ["struct JointPowerOut {",
                                       "  Output<T> power = {};  ///< [] W: power of the joint forces"],
    "apps/python/tandem/functions.py": ['"joint_power",', "    of_joints: bool = False,",
                                        "    power : ndarray, shape ``(...)``\n        Power of the joint forces, W."],
    "tests/properties/function_calls.hpp": ['joint_power<T>(m, x("v"), x("tau"), power[0], work, of_joints);'],
    "tests/api/batch_calls.hpp": ['{.power = x("power"), .of_joints = x("of_joints")}'],
    "tests/closed_loops/ignore_loops.hpp": ['"joint_power"'],
}


def check(condition, what):
    if not condition:
        sys.exit(f"tools/register.py --self-test: {what}")


def run(root, compiler):
    """Exits with what is wrong."""
    tool = Path(__file__).resolve().parent.parent / "register.py"

    def register(tree, *more):
        command = [sys.executable, tool, "--root", tree, "--cxx", compiler, *more]
        return subprocess.run(command, capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(root / "include", tree / "include")
        for name in EXPECTED:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tree / name)

        block = JOINT_POWER.index("/* Registered")
        (tree / HEADER).write_text(JOINT_POWER[:block])
        done = register(tree)
        check(done.returncode and "JointPower is not registered" in done.stderr,
              f"no word of a missing block: {done.stderr}")
        (tree / HEADER).write_text(JOINT_POWER.replace("cuda_with", "cuda_wth"))
        done = register(tree)
        check(done.returncode and "unknown key cuda_wth" in done.stderr, f"no word of an unknown key: {done.stderr}")

        (tree / HEADER).write_text(JOINT_POWER)
        done = register(tree, "--check")
        check(done.returncode and "+#include \"tandem/detail/problems/joint_power.hpp\"" in done.stderr
              and "run tools/register.py" in done.stderr, f"--check finds no difference: {done.stderr}")
        done = register(tree)
        check(not done.returncode, done.stderr)
        for name, parts in EXPECTED.items():
            text = (tree / name).read_text()
            for part in parts:
                check(part in text, f"{name} lacks {part!r}")
        compile((tree / "apps/python/tandem/functions.py").read_text(), "functions.py", "exec")
        source = tree / "src/api/functions.cpp"
        folders = [f"-I{folder}" for folder in (tree / "include", root / "src", root / "src/api")]
        command = [compiler, "-std=c++20", "-fsyntax-only", *folders, source]
        done = subprocess.run(command, capture_output=True, text=True)
        check(not done.returncode, f"functions.cpp does not compile: {done.stderr}")
        done = register(tree, "--check")
        check(not done.returncode, f"--check after writing: {done.stderr}")

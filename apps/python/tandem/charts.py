# SPDX-License-Identifier: Apache-2.0
"""Draws charts from what the command line measured: ``python3 -m tandem.charts KIND FILE < data.json``.

What ``tandem compare --plot FILE`` runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

_TITLES = {
    "inverse_dynamics": "inverse dynamics",
    "mass_matrix": "mass matrix",
    "forward_dynamics": "forward dynamics",
}


def compare(data: dict[str, Any]) -> Any:
    """Error over time of every method, a panel for each problem."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    served = [m for m in data["methods"] if m.get("error") and m.get("nanoseconds")]
    problems = list(dict.fromkeys(m["problem"] for m in served))
    figure, panels = plt.subplots(
        1, max(len(problems), 1), figsize=(5.2 * max(len(problems), 1), 4.6), squeeze=False, layout="constrained"
    )
    for panel, problem in zip(panels[0], problems):
        methods = sorted((m for m in served if m["problem"] == problem), key=lambda m: m["nanoseconds"])
        for k, method in enumerate(methods):
            time = method["nanoseconds"] / 1e3
            panel.plot(time, method["error"], "o", color=f"C{k % 10}", markersize=7, label=method["method"].replace("_", " "))
        panel.set(xscale="log", yscale="log", xlabel="time of a call, us", ylabel="error", title=_TITLES[problem])
        panel.grid(True, which="major", alpha=0.3)
        panel.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
    threads = f"{data['threads']} thread{'s' if data['threads'] != 1 else ''}"
    figure.suptitle(f"{data['robot']}, {data['nv']} degrees of freedom, {data['precision']}, {threads}")
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tandem.charts", description=__doc__)
    parser.add_argument("kind", choices=["compare"])
    parser.add_argument("file", help="picture to write: .png, .pdf, .svg")
    arguments = parser.parse_args()
    try:
        figure = compare(json.load(sys.stdin))
        figure.savefig(arguments.file, dpi=130)
    except (ImportError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

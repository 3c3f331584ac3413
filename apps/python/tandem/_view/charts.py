# SPDX-License-Identifier: Apache-2.0
"""Draws charts from what the command line measured: ``python3 -m tandem._view.charts KIND FILE < data.json``.

What ``tandem compare --plot FILE`` runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from tandem._common.files import replacing


def compare(data: dict[str, Any]) -> Any:
    """Error over time of every method, a panel for each problem."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    served = [m for m in data["methods"] if m.get("error") and m.get("nanoseconds")]
    problems = list(dict.fromkeys(m["problem"] for m in served))
    height = 4.2 + 0.17 * max((sum(m["problem"] == p for m in served) + 1) // 2 for p in problems) if problems else 4.2
    figure, panels = plt.subplots(
        1, max(len(problems), 1), figsize=(5.4 * max(len(problems), 1), height), squeeze=False, layout="constrained"
    )
    for panel, problem in zip(panels[0], problems):
        methods = sorted((m for m in served if m["problem"] == problem), key=lambda m: m["nanoseconds"])
        for k, method in enumerate(methods, start=1):
            label = f"{k}  {method['method'].replace('_', ' ')}"
            panel.plot(method["nanoseconds"] / 1e3, method["error"], "o", color="C0", markersize=4, label=label)
            panel.annotate(
                str(k),
                (method["nanoseconds"] / 1e3, method["error"]),
                textcoords="offset points",
                xytext=(3 if k % 2 else -9, 3 if k % 4 < 2 else -9),
                fontsize=8,
            )
        panel.set(xscale="log", yscale="log", xlabel="time of a call, us", ylabel="error",
                  title=problem.replace("_", " "))
        low, high = panel.get_ylim()
        panel.set_ylim(min(low, high / 1e3) / 2, high * 2)
        low, high = panel.get_xlim()
        panel.set_xlim(low / 1.5, high * 1.5)
        panel.grid(True, which="major", alpha=0.3)
        panel.legend(
            fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, frameon=False, handlelength=0,
            markerscale=0
        )
    threads = f"{data['threads']} thread{'s' if data['threads'] != 1 else ''}"
    figure.suptitle(f"{data['robot']}, {data['nv']} degrees of freedom, {data['precision']}, {threads}")
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tandem._view.charts", description=__doc__)
    parser.add_argument("kind", choices=["compare"])
    parser.add_argument("file", help="picture to write: .png, .pdf, .svg")
    arguments = parser.parse_args()
    try:
        figure = compare(json.load(sys.stdin))
        with replacing(arguments.file) as beside:
            figure.savefig(beside, dpi=130)
    except (ImportError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of papers, drawn again from what scripts/figures measured and counted.

    tools/paper_figures.py FOLDER     writes the pictures whose results are there into FOLDER

What is measured lies in bench/results/figures, what is counted in bench/results/counts.jsonl and levels.jsonl.
"""
import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

import amin_javaheri_figures  # noqa: E402
import critchley_figures  # noqa: E402
import figure_data as data  # noqa: E402
import pond_figures  # noqa: E402
import pond_macro_figures  # noqa: E402
import simulation_figures  # noqa: E402
import yang_figures  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)

    def save(figure, name, title):
        figure.suptitle(title, fontsize=9)
        figure.tight_layout()
        path = arguments.folder / name
        figure.savefig(path, dpi=120)
        plt.close(figure)
        print(path)

    for module in (yang_figures, critchley_figures, amin_javaheri_figures, pond_figures, pond_macro_figures,
                   simulation_figures):
        for draw, needs in module.NEEDS.items():
            if all(data.is_measured(name) for name in needs):
                draw(plt, save)
            else:
                print(f"{draw.__module__}.{draw.__name__}: not yet measured: "
                      f"{', '.join(n for n in needs if not data.is_measured(n))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The tables of docs/results.md from what experiments/scoreboard.sh wrote: cells ahead, two budgets in full, cells lost.

    experiments/scoreboard_tables.py [scoreboard.csv] > tables.md

A cell is ahead where the mean error is below the paper's (or the null model's); equal is not ahead.
"""
import csv
import pathlib
import sys

METRICS = ["TC", "WC", "CC", "REDE", "CPL", "diameter", "LCC", "KS"]
IN_FULL = ["3.2", "0.4"]


def read(path):
    """{(dataset, metric, epsilon): row}, and datasets and budgets in the order of the file."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = {(r["dataset"], r["metric"], r["epsilon"]): r for r in csv.DictReader(file)}
    if not rows:
        sys.exit(f"{path}: expected lines dataset,metric,epsilon,runs,mean,sd,null,paper, found none")
    return rows, list(dict.fromkeys(k[0] for k in rows)), list(dict.fromkeys(k[2] for k in rows))


def ahead(rows, metrics, epsilons, of):
    return sum(float(r["mean"]) < float(r[of]) for (_, m, e), r in rows.items() if m in metrics and e in epsilons)


def pair(rows, metrics, epsilons):
    return f"{ahead(rows, metrics, epsilons, 'paper')} / {ahead(rows, metrics, epsilons, 'null')}"


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def main():
    default = pathlib.Path(__file__).parent / "scoreboard.csv"
    rows, datasets, epsilons = read(sys.argv[1] if len(sys.argv) > 1 else default)

    print(f"Ahead of the paper in {ahead(rows, METRICS, epsilons, 'paper')} of {len(rows)} cells, of the null model in "
          f"{ahead(rows, METRICS, epsilons, 'null')}. Cells ahead of the paper / of the null model, of {len(datasets)} graphs:\n")
    lines = [[m] + [pair(rows, [m], [e]) for e in epsilons] for m in METRICS]
    lines.append(["all"] + [pair(rows, METRICS, [e]) for e in epsilons])
    table([""] + [f"ε = {e}" for e in epsilons], lines)

    for epsilon in [e for e in IN_FULL if e in epsilons]:
        print(f"ε = {epsilon}: blueprint, null model, paper\n")
        lines = []
        for dataset in datasets:
            found = [rows[(dataset, m, epsilon)] for m in METRICS]
            lines.append([dataset] + [f"{float(r['mean']):.3f} ± {float(r['sd']):.3f}" for r in found])
            lines.append(["null"] + [f"{float(r['null']):.3f}" for r in found])
            lines.append(["paper"] + [f"{float(r['paper']):.3f}" for r in found])
        table([""] + METRICS, lines)

    print("Cells behind the paper:\n")
    lost = [(k, r) for k, r in rows.items() if not float(r["mean"]) < float(r["paper"])]
    lost.sort(key=lambda x: (METRICS.index(x[0][1]), datasets.index(x[0][0]), float(x[0][2])))
    table(["metric", "graph", "ε", "blueprint", "null", "paper"],
          [[m, d, e, f"{float(r['mean']):.3f} ± {float(r['sd']):.3f}", f"{float(r['null']):.3f}", f"{float(r['paper']):.3f}"]
           for (d, m, e), r in lost])


if __name__ == "__main__":
    main()

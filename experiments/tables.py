#!/usr/bin/env python3
"""The tables of docs/results-paper.md from what `privdpr reproduce` wrote.

    experiments/tables.py FOLDER > tables.md

FOLDER holds ITEM.csv of any items; those that are not there are left out. Rows of one graph and
method that agree in every digit shown, such as the four s of Table 2, or a method and the same on
no edges, are put in one line. Link prediction by the inner product alone is left to the files.
"""
import csv
import os
import sys

METRICS = ["TC", "WC", "CC", "REDE", "CPL", "diameter", "LCC", "KS"]
GRAPHS = {"cora": "Cora", "citeseer": "Citeseer", "p2p": "p2p", "chicago": "Chicago"}
NAMES = {
    "gnm": "G(N, m)",
    "configuration": "configuration model",
    "privdpr/steered": "privdpr (default: steered)",
    "one answer": "one answer for all",
    "dpr/learning": "dpr learning (not private)",
    "dpr/paper": "dpr paper (not private)",
}
NO_EDGES = ", on no edges"
ORDER = ["gnm", "configuration", "one answer", "random vectors", "blueprint", "privdpr/steered", "privdpr/paper",
         "privdpr/tight", "privdpr/head", "dpr/paper", "dpr/learning"]


def read(folder, item):
    """{(source, graph, method, parameter): {metric: (mean, sd)}} in the order of the file; empty without it."""
    path = os.path.join(folder, item + ".csv")
    rows = {}
    if os.path.exists(path):
        with open(path, newline="") as file:
            for line in csv.DictReader(file):
                key = (line["source"], line["dataset"], line["method"], line["parameter"])
                rows.setdefault(key, {})[line["metric"]] = (line["mean"], line["sd"])
    return rows


def name(method):
    plain = method.removesuffix(" no edges")
    return NAMES.get(plain, plain.replace("/", " ")) + (NO_EDGES if plain != method else "")


def cell(value, digits):
    """mean ± sd; large means with fewer digits, nothing where nothing was measured."""
    if value is None or value[0] in ("", "nan"):
        return ""
    mean = float(value[0])
    digits = 1 if mean >= 10 else digits
    spread = value[1] not in ("", "nan") and float(value[1]) >= 0
    return f"{mean:.{digits}f}" + (f" ± {float(value[1]):.{digits}f}" if spread else "")


def place(key):
    """Where a row stands: by graph, ours before the paper's, each method before itself on no edges."""
    method = key[2].removesuffix(" no edges")
    known = ORDER.index(method) if method in ORDER else len(ORDER)
    return (list(GRAPHS).index(key[1]), key[0] == "paper", known, key[2])


def print_lines(title, heads, lines):
    """lines: label, values of the parameter, cells. A method's line on no edges joins its own if they agree."""
    if not lines:
        return
    print(f"{title}\n\n| | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|")
    for i, (label, values, cells) in enumerate(lines):
        if i > 0 and label == lines[i - 1][0] + NO_EDGES and cells == lines[i - 1][2]:
            continue
        if i + 1 < len(lines) and lines[i + 1][0] == label + NO_EDGES and cells == lines[i + 1][2]:
            values += ", and on no edges"
        print(f"| {label}{values} | {' | '.join(cells)} |")
    print()


def print_table(title, rows, metrics, digits, symbol):
    """Rows in the order of graphs and methods; values of the parameter with equal cells share a line."""
    lines = []
    for key in sorted(rows, key=place):
        source, graph, method, parameter = key
        cells = [cell(rows[key].get(m), digits) for m in metrics]
        label = f"{GRAPHS[graph]}: " + ("the paper's " + method if source == "paper" else name(method))
        if lines and lines[-1][0] == label and lines[-1][2] == cells:
            lines[-1][1].append(parameter)
        else:
            lines.append([label, [parameter], cells])
    for line in lines:
        line[1] = f", {symbol} = {', '.join(line[1])}" if symbol and line[1] != ["-"] else ""
    print_lines(title, metrics, lines)


def print_tasks(title, items, metric):
    """One line a graph and method, one column an item; methods without epsilon stand in every column."""
    columns = [(item, "0.1" if item == "table4" else "3.2") for item in items if items[item]]
    if len(items) == 1:
        columns = [(item, value) for item in items if items[item] for value in ("0.1", "3.2")]
    found = {}
    for item, value in columns:
        for key, cells in items[item].items():
            if key[3] in (value, "-") and not key[2].endswith("inner product"):
                found.setdefault(key[:3], {})[(item, value)] = cell(cells.get(metric), 4)
    lines = []
    for key in sorted(found, key=place):
        said = "the paper's " + key[2] if key[0] == "paper" else name(key[2])
        lines.append((f"{GRAPHS[key[1]]}: {said}", "", [found[key].get(c, "") for c in columns]))
    print_lines(title, ["ε = " + value for _, value in columns], lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    folder = sys.argv[1]
    for item, symbol in (("table2", "s"), ("table3", "d")):
        title = f"**Table {item[-1]}**, ε = 3.2: PrivDPR by {symbol}"
        print_table(title, read(folder, item), ["TC", "REDE", "CPL", "KS"], 4, symbol)
    figures = {}
    for item in ("figure2", "figure3", "figure4", "figure5"):
        figures.update({k: v for k, v in read(folder, item).items() if k[3] in ("3.2", "-")})
    keep = {k: v for k, v in figures.items() if k[0] == "here" or k[2] in ("PrivDPR", "DPR (No DP)")}
    print_table("**Figures 2 to 5** at ε = 3.2", keep, METRICS, 3, "")
    links = {item: read(folder, item) for item in ("table4", "table5")}
    print_tasks("**Tables 4 and 5**, link prediction, AUC", links, "AUC")
    print_tasks("**Table 6**, node classification, Micro-F1", {"table6": read(folder, "table6")}, "Micro-F1")


if __name__ == "__main__":
    main()

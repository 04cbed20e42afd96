#!/usr/bin/env python3
"""How many triangles nodes have by their degree (docs/design/0022-where-triangles-bend.md).

    experiments/triangles_by_degree.py FILE.edges ...

For each graph, for degrees 2 to 3, 4 to 7, 8 to 15 and so on: by which power of the degree the mean
number of triangles at a node rises from one class to the next. Exact, without noise: for research.
"""
import collections
import math
import sys


def neighbours(path):
    adjacent = collections.defaultdict(set)
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                a, b = line.split()[:2]
                if a != b:
                    adjacent[a].add(b)
                    adjacent[b].add(a)
    return adjacent


def triangles(adjacent):
    """Of every node; each triangle is found at its node of the smallest degree."""
    rank = {node: i for i, node in enumerate(sorted(adjacent, key=lambda u: (len(adjacent[u]), u)))}
    later = {u: {v for v in adjacent[u] if rank[v] > rank[u]} for u in adjacent}
    count = collections.Counter()
    for u in adjacent:
        for v in later[u]:
            for w in later[u] & later[v]:
                count.update((u, v, w))
    return count


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    for path in sys.argv[1:]:
        adjacent = neighbours(path)
        count = triangles(adjacent)
        classes = collections.defaultdict(list)
        for u, others in adjacent.items():
            if len(others) > 1:
                classes[int(math.log2(len(others)))].append(count[u])
        means = [sum(x) / len(x) for _, x in sorted(classes.items())]
        slopes = [f"{math.log2(b / a):.2f}" if a > 0 and b > 0 else "-" for a, b in zip(means, means[1:])]
        mean = sum(map(len, adjacent.values())) / len(adjacent)
        print(f"{path}: {sum(count.values()) // 3} triangles, mean degree {mean:.1f}, powers {' '.join(slopes)}")


if __name__ == "__main__":
    main()

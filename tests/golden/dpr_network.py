#!/usr/bin/env python3
"""Writes dpr_network.txt: a small deep PageRank with its loss and all gradients.

Run once: python3 tests/golden/dpr_network.py > tests/golden/dpr_network.txt

An independent and deliberately naive implementation: scalar dual numbers (forward
differentiation, one pass a parameter), lists of lists, the Schatten norm of order 128 by plain
matrix products, no backpropagation, no scaling, no library. Nothing here is shared with the C code.
"""
import math


class Dual:
    """x + y e with e^2 = 0: y is the derivative by the parameter under study."""

    def __init__(self, x, y=0.0):
        self.x, self.y = x, y

    def __add__(self, o):
        o = lift(o)
        return Dual(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        o = lift(o)
        return Dual(self.x - o.x, self.y - o.y)

    def __mul__(self, o):
        o = lift(o)
        return Dual(self.x * o.x, self.x * o.y + self.y * o.x)

    def __truediv__(self, o):
        o = lift(o)
        return Dual(self.x / o.x, (self.y - self.x / o.x * o.y) / o.x)

    __radd__, __rmul__ = __add__, __mul__


def lift(a):
    return a if isinstance(a, Dual) else Dual(a)


def sigmoid(a):
    value = 1.0 / (1.0 + math.exp(-a.x))
    return Dual(value, value * (1 - value) * a.y)


def power(a, p):
    return Dual(a.x ** p, p * a.x ** (p - 1) * a.y)


def product(a, b):
    result = []
    for row in a:
        line = []
        for j in range(len(b[0])):
            total = Dual(0.0)
            for k, entry in enumerate(row):
                total = total + entry * b[k][j]
            line.append(total)
        result.append(line)
    return result


def bound(w, squarings=5):
    rows, cols = len(w), len(w[0])
    transposed = [[w[i][j] for i in range(rows)] for j in range(cols)]
    gram = product(transposed, w) if rows >= cols else product(w, transposed)
    c, n = min(rows, cols), max(rows, cols)
    for _ in range(squarings):
        gram = product(gram, gram)
    total = Dual(0.0)
    for row in gram:
        for entry in row:
            total = total + entry * entry
    slack = 1 + 2.0 ** -30 + (n * c + 2 * c * c) * 2.0 ** -51
    return power(total, 1.0 / (4 * 2 ** squarings)) * slack


def network(rows_of_v, weights, biases, s):
    normalised = []
    for w in weights:
        b = bound(w)
        normalised.append([[entry / (b * s) for entry in row] for row in w])
    out = []
    for v in rows_of_v:
        h = v
        for w, bias in zip(normalised, biases):
            h = [sigmoid(product([h], w)[0][j] + bias[j]) for j in range(len(w[0]))]
        out.append(h[0])
    return out


def loss(f, arcs, outdeg, indeg, gamma, n):
    total = Dual(0.0)
    for i, j in arcs:
        x = f[i] / outdeg[i] - f[j] / (indeg[j] * gamma)
        total = total + x * x * (indeg[j] * gamma ** 2) + x * (2 * gamma * (1 - gamma) / n)
        total = total + (1 - gamma) ** 2 / (indeg[j] * n * n)
    return total


def numbers(count, seed):
    """A few irrational-looking inputs on a grid of 2^-20, exact as floats."""
    out = []
    for k in range(count):
        seed = (seed * 1103515245 + 12345) % 2 ** 31
        out.append((seed % 2 ** 21 - 2 ** 20) / 2.0 ** 20)
    return out


N, R, D, L, S, GAMMA = 6, 5, 4, 2, 1.25, 0.85
ARCS = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 2), (4, 0), (1, 2), (5, 3)]
OUT, IN = [2, 1, 1, 1, 3, 2], [2, 1, 2, 2, 1, 5]
SHAPES = [(R, D)] + [(D, D)] * (L - 1) + [(D, 1)]
sizes = [N * R] + [a * b for a, b in SHAPES] + [b for _, b in SHAPES]
flat = numbers(sum(sizes), 7)


def evaluate(which):
    duals = [Dual(x, 1.0 if i == which else 0.0) for i, x in enumerate(flat)]
    parts, at = [], 0
    for size in sizes:
        parts.append(duals[at:at + size])
        at += size
    v = [parts[0][i * R:(i + 1) * R] for i in range(N)]
    weights = [[p[i * b:(i + 1) * b] for i in range(a)] for p, (a, b) in zip(parts[1:], SHAPES)]
    f = network(v, weights, parts[2 + L:], S)
    return f, loss(f, ARCS, OUT, IN, GAMMA, N)


f, total = evaluate(-1)
show = lambda values: " ".join("%.17g" % x for x in values)
print("# written by tests/golden/dpr_network.py: N r d L s gamma, then one array a line")
print(N, R, D, L, S, GAMMA, len(ARCS))
print("arcs", " ".join("%d %d" % arc for arc in ARCS))
print("out_degree", " ".join(map(str, OUT)))
print("in_degree", " ".join(map(str, IN)))
print("parameters", show(flat))
print("f", show(x.x for x in f))
print("loss", "%.17g" % total.x)
print("gradient", show(evaluate(i)[1].y for i in range(len(flat))))

"""PrivDPR as the paper writes it, dense, in PyTorch: the peer of `privdpr --profile paper` in speed.

Each step: walks, one forward and backward pass with spectral norms by power iteration, Adam on W; noise on all N r
coordinates, Adam on V; then one N x N product V V^T and one Gumbel draw per row, counted into an N x N matrix S. At the end S is
made symmetric, every node gets a partner, and edges are drawn without replacement in proportion to S.
Nothing here is private in the strict sense (floating-point noise from an ordinary generator, no certified norms, no ledger): it
does the least work that the paper's description can do, so the comparison favours it.

    python3 bench/dense_port.py GRAPH.edges --steps 20 --threads 2

Runs a number of steps after two that are not timed, and says what all T of them would take: a step's cost does not depend on
its number. One JSON line, as the other benchmarks write. Needs python3-torch (Debian 12: 1.13); no other file of the project.
"""
import argparse
import json
import math
import random
import resource
import sys
import time

import torch


def read_arcs(path):
    """Nodes, arcs and edges; both directions of an edge where the header says "# directed: no", as privdpr reads it."""
    arcs, edges, nodes, both = set(), set(), 0, False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            both = both or line.startswith("# directed: no")
            if line.startswith(("#", "%")) or not line.strip():
                continue
            u, v = (int(x) for x in line.split()[:2])
            if u != v:
                arcs.add((u, v))
                edges.add((min(u, v), max(u, v)))
            nodes = max(nodes, u + 1, v + 1)
    if both:
        arcs |= {(v, u) for u, v in arcs}
    return nodes, sorted(arcs), len(edges)


class Network(torch.nn.Module):
    """f(v) of Eq. (4): L hidden layers, sigmoid, no biases, weights W / (s |W|)."""

    def __init__(self, inputs, width, layers, scale):
        super().__init__()
        sizes = [inputs] + [width] * layers + [1]
        self.weights = torch.nn.ParameterList(
            torch.nn.Parameter(torch.randn(a, b) * math.sqrt(2 / (a + b))) for a, b in zip(sizes, sizes[1:]))
        self.vectors = [torch.nn.functional.normalize(torch.randn(b), dim=0) for b in sizes[1:]]
        self.scale = scale

    def forward(self, x):
        for i, w in enumerate(self.weights):
            with torch.no_grad():  # one power iteration a step, as spectral normalisation is commonly done
                u = torch.nn.functional.normalize(w @ self.vectors[i], dim=0)
                self.vectors[i] = torch.nn.functional.normalize(w.t() @ u, dim=0)
            x = torch.sigmoid(x @ (w / (self.scale * (u @ w @ self.vectors[i]))))
        return x.squeeze(1)


def walk_pairs(out, first, batch, walks, length, generator):  # Python's own generator: one of torch costs 5 us a draw
    pairs = []
    for start in range(first, first + batch):
        for _ in range(walks):
            at = start
            for _ in range(length):
                if not out[at]:
                    break
                to = generator.choice(out[at])
                pairs.append((at, to))
                at = to
    return pairs


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("graph")
    p.add_argument("--steps", type=int, default=20, help="timed ones")
    p.add_argument("--all-steps", type=int, required=True, help="T, from `privdpr plan`")
    p.add_argument("--layers", type=int, required=True, help="L, from `privdpr plan`")
    p.add_argument("--edges", type=int, default=0, help="of the output (default: those of the input)")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    generator = random.Random(a.seed)

    columns, width, batch, walks, length, gamma, scale = 128, 64, 16, 2, 16, 0.85, 8.0
    n, arcs, edges = read_arcs(a.graph)
    out = [[] for _ in range(n)]
    in_degree = torch.zeros(n)
    for u, v in arcs:
        out[u].append(v)
        in_degree[v] += 1
    out_degree = torch.tensor([float(max(len(x), 1)) for x in out])
    in_degree.clamp_(1, n - 1)
    noise = 19.0  # standard deviation of a coordinate; its size does not change the time
    divisor = batch * walks * length

    net = Network(columns, width, a.layers, scale)
    v = (torch.randn(n, columns) * math.sqrt(2 / (n + columns))).requires_grad_(True)
    adam_w = torch.optim.Adam(net.parameters(), lr=1e-3)
    adam_v = torch.optim.Adam([v], lr=1e-3)
    s, logits, gumbel = torch.zeros(n, n), torch.empty(n, n), torch.empty(n, n)
    rows = torch.arange(n)
    kappa = 2 * gamma * (1 - gamma) / n
    timed, timed_cpu, begin, begin_cpu = 0.0, 0.0, 0.0, 0.0
    warm_up = 2

    for step in range(warm_up + a.steps):
        if step == warm_up:
            begin, begin_cpu = time.monotonic(), time.process_time()
        first = step % (n // batch) * batch
        pairs = walk_pairs(out, first, batch, walks, length, generator)
        adam_w.zero_grad()
        adam_v.zero_grad()
        if pairs:
            nodes = sorted({x for pair in pairs for x in pair})
            slot = {x: i for i, x in enumerate(nodes)}
            f = net(v[torch.tensor(nodes)])
            i = torch.tensor([x for x, _ in pairs])
            j = torch.tensor([y for _, y in pairs])
            fi, fj = f[[slot[int(x)] for x in i]], f[[slot[int(x)] for x in j]]
            x = fi / out_degree[i] - fj / (gamma * in_degree[j])
            (in_degree[j] * gamma**2 * x**2 + kappa * x).sum().div(divisor).backward()
            adam_w.step()
        else:
            v.grad = torch.zeros_like(v)
        v.grad.add_(torch.randn(n, columns), alpha=noise / divisor)
        adam_v.step()
        with torch.no_grad():
            torch.mm(v, v.t(), out=logits)
            torch.rand(n, n, out=gumbel)  # faster here than exponential_()
            logits -= gumbel.log_().neg_().log_()  # plus Gumbel noise: argmax draws from the softmax
            drawn = logits.argmax(1)
            kept = drawn != rows
            s[rows[kept], drawn[kept]] += 1
    timed = time.monotonic() - begin
    timed_cpu = time.process_time() - begin_cpu

    begin, begin_cpu = time.monotonic(), time.process_time()
    s = torch.maximum(s, s.t())
    graph = set()
    wanted = a.edges or edges
    sums = s.sum(1)
    for u in range(n):
        if sums[u] > 0:
            w = int(torch.multinomial(s[u], 1))
            graph.add((min(u, w), max(u, w)))
    pairs = torch.triu(s, 1).nonzero()
    weight = s[pairs[:, 0], pairs[:, 1]].double()
    keys = torch.empty(len(weight), dtype=torch.float64).exponential_() / weight  # without replacement
    for k in keys.argsort().tolist():
        if len(graph) >= wanted:
            break
        graph.add((int(pairs[k, 0]), int(pairs[k, 1])))
    end, end_cpu = time.monotonic() - begin, time.process_time() - begin_cpu

    json.dump({"case": f"dense_port/{a.graph.split('/')[-1]}/{a.threads}", "nodes": n, "steps_timed": a.steps,
               "seconds_step": timed / a.steps, "cpu_seconds_step": timed_cpu / a.steps,
               "steps_all": a.all_steps, "seconds_end": end, "cpu_seconds_end": end_cpu,
               "seconds_all": timed / a.steps * a.all_steps + end,
               "cpu_seconds_all": timed_cpu / a.steps * a.all_steps + end_cpu,
               "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, "torch": torch.__version__}, sys.stdout)
    print()


main()

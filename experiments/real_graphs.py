#!/usr/bin/env python3
"""Real graphs that any Debian machine can make: packages, people, words, headers, roads, networks of the literature.

    experiments/real_graphs.py FOLDER [NAME ...] [--held-out | --collection] [--sources Sources.xz] [--npm FOLDER]

Writes FOLDER/NAME.edges, one "node node" line for each pair, nodes numbered from 0 and counted in
the first line. Without names: every graph whose source is there, of those on which constants may be
chosen or, with --held-out, of those that are looked at once a version, or, with --collection, the
networks of the literature that come with graph-tool. What is missing is skipped with a word that
says how to get it; --sources names a list of source packages that apt does not keep, --npm a folder
into which npm has installed, --graph-tool one with graph-tool's networks. Only the standard library
is used and nothing is downloaded. The graphs depend on the machine's packages, so their sizes differ
from one machine to another: name the date and the sizes beside every figure.
"""
import argparse
import collections
import gzip
import itertools
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys


class Missing(Exception):
    """The source of a graph is not on this machine; the text says how to get it."""


def read_text(path, hint):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise Missing(f"{path} is not there: {hint}") from None


def paragraphs(text):
    """The fields of each paragraph of a Debian control file."""
    for block in text.split("\n\n"):
        fields, key = {}, None
        for line in block.split("\n"):
            if line[:1] in (" ", "\t"):
                if key:
                    fields[key] += line
            elif ":" in line:
                key, value = line.split(":", 1)
                fields[key] = value.strip()
        if "Package" in fields:
            yield fields


# ---------------------------------------------------------------- packages

class Packages:
    """Binary packages known to apt, read once."""

    def __init__(self):
        self.section, self.links, self.suggested = None, [], []

    def load(self):
        if self.section is not None:
            return
        try:
            dump = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            raise Missing("apt-cache dumpavail does not run: this needs Debian or Ubuntu") from None
        packages = list(paragraphs(dump.stdout.decode("utf-8", "replace")))
        if len(packages) < 1000:
            raise Missing("apt knows few packages: apt-get update")
        self.section = {p["Package"]: p.get("Section", "?") for p in packages}
        for p in packages:
            for field, links in (("Depends", self.links), ("Suggests", self.suggested)):
                for other in re.split(r"[,|]", p.get(field, "")):
                    name = re.match(r"\s*([^\s:(]+)", other)
                    if name and name.group(1) in self.section:
                        links.append((p["Package"], name.group(1)))

    def all(self):
        self.load()
        return self.links

    def within(self, *sections):
        """Dependencies inside the sections."""
        self.load()
        return [(a, b) for a, b in self.links
                if self.section[a] in sections and self.section[b] in sections]

    def of(self, *sections):
        """Dependencies of the sections' packages on anything."""
        self.load()
        return [(a, b) for a, b in self.links if self.section[a] in sections]

    def suggestions(self, *sections):
        """What the sections' packages suggest."""
        self.load()
        return [(a, b) for a, b in self.suggested if self.section[a] in sections]


PACKAGES = Packages()


SOURCES = []  # of --sources


def comaintainers():
    """People who maintain a source package together."""
    files = SOURCES or sorted(pathlib.Path("/var/lib/apt/lists").glob("*_source_Sources*"))
    if not files:
        raise Missing("no source lists in /var/lib/apt/lists: add deb-src to the sources of apt "
                      "and apt-get update, or give --sources")
    links = []
    for path in files:
        try:
            opened = lzma.open(path, "rt", encoding="utf-8", errors="replace") \
                if path.suffix == ".xz" else open(path, encoding="utf-8", errors="replace")
            with opened as file:
                text = file.read()
        except (OSError, lzma.LZMAError):
            raise Missing(f"{path} cannot be read: plain or .xz is expected") from None
        for p in paragraphs(text):
            people = [x.lower() for x in re.findall(r"<([^>]+)>", p.get("Uploaders", ""))]
            if 2 <= len(people) <= 25:  # longer lists are teams, not people who work together
                links += itertools.combinations(people, 2)
    return links


def keyring():
    """Debian's developers who signed each other's keys."""
    path = "/usr/share/keyrings/debian-keyring.gpg"
    try:
        listing = subprocess.run(["gpg", "--no-default-keyring", "--keyring", path, "--with-colons",
                                  "--fast-list-mode", "--list-sigs"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise Missing(f"gpg cannot list {path}: apt-get install gnupg debian-keyring") from None
    links, keys, key = [], set(), None
    for line in listing.stdout.decode("utf-8", "replace").split("\n"):
        fields = line.split(":")
        if fields[0] == "pub":
            key = fields[4]
            keys.add(key)
        elif fields[0] == "sig" and key:
            links.append((key, fields[4]))
    return [(a, b) for a, b in links if b in keys]


# ---------------------------------------------------------------- from npm

NPM = []  # of --npm


def npm_text(package, path):
    for folder in NPM:
        found = folder / "node_modules" / package / path
        if found.is_file():
            return found.read_text(encoding="utf-8", errors="replace")
    raise Missing(f"npm install --ignore-scripts --prefix FOLDER {package}, then --npm FOLDER")


def thesaurus(most_letters):
    """Words that name each other as synonyms (Moby), those of so many letters without blanks or all."""
    rows = [line.split(",") for line in npm_text("moby", "words.txt").split("\n") if line.strip()]
    heads = {row[0] for row in rows}
    arcs = {(row[0], word) for row in rows for word in row[1:] if word in heads}
    return [(a, b) for a, b in arcs if (b, a) in arcs and
            all(len(x) <= most_letters and (most_letters > 99 or " " not in x) for x in (a, b))]


def roads():
    """Crossings of a road network, joined where a road leads from one to the next."""
    text = npm_text("geojson-path-finder", "test/large-network.json")
    adjacent = collections.defaultdict(set)
    for feature in json.loads(text)["features"]:
        if feature["geometry"]["type"] != "LineString":
            continue
        line = [(round(x[0], 5), round(x[1], 5)) for x in feature["geometry"]["coordinates"]]
        for a, b in zip(line, line[1:]):
            if a != b:
                adjacent[a].add(b)
                adjacent[b].add(a)
    for point in list(adjacent):  # bends are no crossings
        if len(adjacent[point]) == 2:
            a, b = adjacent[point]
            if b not in adjacent[a]:
                for end, other in ((a, b), (b, a)):
                    adjacent[end].discard(point)
                    adjacent[end].add(other)
                del adjacent[point]
    return [(a, b) for a in adjacent for b in adjacent[a]]


# ---------------------------------------------------------------- words and headers

def ladder(length):
    """Words that differ in one letter."""
    text = read_text("/usr/share/dict/words", "apt-get install wamerican")
    words = sorted(set(re.findall(rf"^[a-z]{{{length}}}$", text, re.M)))
    same = collections.defaultdict(list)
    for word in words:
        for i in range(length):
            same[word[:i] + "_" + word[i + 1:]].append(word)
    return [pair for group in same.values() for pair in itertools.combinations(group, 2)]


def meanings(part):
    """The fields of each meaning in WordNet, without its text."""
    text = read_text(f"/usr/share/wordnet/data.{part}", "apt-get install wordnet-base")
    for line in text.split("\n"):
        if line and not line.startswith("  "):  # the licence
            yield line.split("|")[0].split()


def wordnet(part, *relations):
    """Meanings that stand in one of these relations: "@" and "~" a kind of, "&" similar."""
    return [(fields[0], fields[i + 1]) for fields in meanings(part)
            for i, x in enumerate(fields[:-1]) if x in relations]


def synonyms(part):
    """Words that share a meaning."""
    links = []
    for fields in meanings(part):
        links += itertools.combinations(fields[4:4 + 2 * int(fields[3], 16):2], 2)
    return links


def french():
    """French words that a thesaurus calls synonyms."""
    text = read_text("/usr/share/mythes/thes_fr.dat", "apt-get install mythes-fr")
    links, head = [], None
    for line in text.split("\n")[1:]:
        fields = line.strip().split("|")
        if line[:1] in ("(", "-"):
            links += [(head, re.sub(r" \(.*", "", word)) for word in fields[1:]]
        else:
            head = fields[0]
    heads = {a for a, _ in links}
    return [(a, b) for a, b in links if b in heads]


def includes():
    """C and C++ headers that include each other, by file name."""
    links = []
    for folder, _, names in os.walk("/usr/include"):
        for name in names:
            if not name.endswith((".h", ".hpp")):
                continue
            try:
                text = pathlib.Path(folder, name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            for other in re.findall(r'^\s*#\s*include\s*[<"]([^">]+)', text, re.M):
                links.append((name, os.path.basename(other)))
    if len(links) < 1000:
        raise Missing("few headers in /usr/include: apt-get install libc6-dev linux-libc-dev "
                      "libboost-dev")
    return links


# ---------------------------------------------------------------- programs and their manual

def archive(path):
    """Object files of a static library, and those whose symbols they need."""
    try:
        listing = subprocess.run(["nm", "-A", path], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise Missing(f"nm {path} does not run: apt-get install gcc libc6-dev") from None
    defined, needed = {}, []
    for line in listing.stdout.decode("utf-8", "replace").split("\n"):
        found = re.match(r"[^:]*:([^:]+):\s*(?:[0-9a-f]+)?\s+([A-Za-z]) (\S+)", line)
        if found and found.group(2) == "U":
            needed.append((found.group(1), found.group(3)))
        elif found and found.group(2) in "TDBRVWi":
            defined.setdefault(found.group(3), found.group(1))
    return [(a, defined[symbol]) for a, symbol in needed if symbol in defined]


def imports():
    """Modules of Python's library that import each other, by file."""
    roots = sorted(pathlib.Path("/usr/lib").glob("python3.*"))
    if not roots:
        raise Missing("no /usr/lib/python3.*: apt-get install python3")
    modules = {".".join(p.relative_to(roots[-1]).with_suffix("").parts).removesuffix(".__init__"): p
               for p in roots[-1].rglob("*.py")}
    links = []
    for name, path in modules.items():
        text = path.read_text(encoding="utf-8", errors="replace")
        for other in re.findall(r"^\s*(?:from|import)\s+([\w.]+)", text, re.M):
            if other in modules:
                links.append((name, other))
    return links


def manual(*sections):
    """Pages of the manual that name one another."""
    links, pages = [], {}
    for section in sections:
        for path in pathlib.Path(f"/usr/share/man/man{section}").glob(f"*.{section}*.gz"):
            pages[(path.name.split(f".{section}")[0], section)] = path
    if len(pages) < 1000:
        raise Missing("few pages in /usr/share/man: apt-get install man-db manpages-dev")
    for page, path in pages.items():
        try:
            with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        text = re.sub(r"\\f[BIRP]|\\", "", text)
        for name, section in re.findall(r"([\w.+-]+)[ \"]*\((\d)\)", text):
            if (name, section) in pages:
                links.append((page, (name, section)))
    return links


# ---------------------------------------------------------------- networks of the literature

COLLECTIONS = []  # of --graph-tool, then where the package puts them


def collection(name):
    """All nodes, and links either way, of a network that comes with graph-tool (its binary format, version 1)."""
    path = next((f / f"{name}.gt.gz" for f in COLLECTIONS if (f / f"{name}.gt.gz").is_file()), None)
    if not path:
        raise Missing("apt-get install python3-graph-tool, or unpack it (dpkg-deb -x) and say --graph-tool FOLDER")
    data = gzip.decompress(path.read_bytes())
    if data[:6] != "\u26fe gt".encode() or data[6] != 1:
        raise Missing(f"{path} is not in graph-tool's format, version 1")
    order = "big" if data[7] else "little"

    def number(at, size):
        return int.from_bytes(data[at:at + size], order)

    at = 8
    at += 8 + number(at, 8) + 1  # a comment, and whether it is directed
    nodes, links = number(at, 8), []
    at += 8
    width = next(w for w in (1, 2, 4, 8) if nodes < 1 << 8 * w or w == 8)
    for node in range(nodes):
        count = number(at, 8)
        at += 8
        links += [(node, number(at + width * i, width)) for i in range(count)]
        at += width * count
    return range(nodes), links


GRAPHS = {
    "comaintainers": comaintainers,
    "deb_all": PACKAGES.all,
    "deb_games_deps": lambda: PACKAGES.of("games", "sound"),
    "deb_javascript": lambda: PACKAGES.within("javascript"),
    "deb_libdevel": lambda: PACKAGES.within("libdevel"),
    "deb_perl": lambda: PACKAGES.within("perl"),
    "deb_python": lambda: PACKAGES.within("python"),
    "includes": includes,
    "keyring": keyring,
    "moby": lambda: thesaurus(100),
    "moby_short": lambda: thesaurus(5),
    "roads": roads,
    "thesaurus_fr": french,
    "wn_noun": lambda: wordnet("noun", "@", "~"),
    "wn_verb": lambda: wordnet("verb", "@", "~"),
    "words4": lambda: ladder(4),
    "words5": lambda: ladder(5),
}

HELD_OUT = {
    "deb_haskell": lambda: PACKAGES.within("haskell"),
    "deb_science": lambda: PACKAGES.within("science", "math"),
    "deb_suggests": lambda: PACKAGES.suggestions("admin", "net", "utils", "web"),
    "libc_objects": lambda: archive("/usr/lib/x86_64-linux-gnu/libc.a"),
    "manual": lambda: manual("2", "4", "5", "7", "8"),
    "python_imports": imports,
    "wn_adj_similar": lambda: wordnet("adj", "&"),
    "wn_verb_synonyms": lambda: synonyms("verb"),
}

# In order of size. Smaller ones say little at any budget.
COLLECTION = {
    name.replace("-", "_"): lambda name=name: collection(name)
    for name in ("celegansneural", "polblogs", "netscience", "power", "hep-th", "astro-ph",
                 "cond-mat", "as-22july06", "email-Enron", "pgp-strong-2009")
}


def write(path, links):
    """Simple and undirected; nodes numbered in the order in which the sorted pairs name them, or as they come
    where nodes without links are given too (nodes, links)."""
    nodes, links = links if isinstance(links, tuple) else ((), links)
    pairs = sorted({(min(a, b), max(a, b)) for a, b in links if a != b})
    number = {node: i for i, node in enumerate(nodes)}
    for pair in pairs:
        for node in pair:
            number.setdefault(node, len(number))
    draft = path.with_suffix(".draft")
    with open(draft, "w", encoding="ascii") as file:
        file.write(f"# nodes: {len(number)}\n")
        for a, b in pairs:
            file.write(f"{number[a]} {number[b]}\n")
    draft.replace(path)
    return len(number), len(pairs)


def main():
    known = GRAPHS | HELD_OUT | COLLECTION
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name", nargs="*", help="graphs to make: " + ", ".join(known))
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--held-out", action="store_true", help="the graphs of the other list")
    which.add_argument("--collection", action="store_true", help="the networks that come with graph-tool")
    parser.add_argument("--graph-tool", type=pathlib.Path, action="append", default=[],
                        help="a folder that has them")
    parser.add_argument("--sources", type=pathlib.Path, action="append", default=[],
                        help="a Sources or Sources.xz of a Debian mirror")
    parser.add_argument("--npm", type=pathlib.Path, action="append", default=[],
                        help="a folder given to npm install --prefix")
    options = parser.parse_args()
    SOURCES.extend(options.sources)
    NPM.extend(options.npm)
    COLLECTIONS.extend(options.graph_tool + [pathlib.Path("/usr/lib/python3/dist-packages/graph_tool/collection")])
    unknown = [name for name in options.name if name not in known]
    if unknown:
        parser.error(f"expected one of {', '.join(known)}, found {unknown[0]}")
    options.folder.mkdir(parents=True, exist_ok=True)
    made = 0
    for name in options.name or (HELD_OUT if options.held_out else COLLECTION if options.collection else GRAPHS):
        try:
            nodes, edges = write(options.folder / f"{name}.edges", known[name]())
        except Missing as reason:
            print(f"skipped: {name}: {reason}", file=sys.stderr)
            continue
        print(f"{name}: {nodes} nodes, {edges} edges")
        made += 1
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())

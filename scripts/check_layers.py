#!/usr/bin/env python3
"""Fails when a file includes what its folder may not, or when the allowed arrows form a cycle.

Usage: check_layers.py [--root DIR] [--layers FILE]

Tests (`*_test.cc`), benchmarks (`*_bench.cc`) and headers for them in a folder `testing/` beside
the code may additionally use the test libraries and anything under tests/.
"""
import argparse
import pathlib
import re
import sys
import tomllib

SOURCES = {".h", ".hpp", ".inc", ".def", ".c", ".cc", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
COMPUTED = re.compile(r"\s*#\s*include\s+[A-Za-z_]")
TEST_FILE = re.compile(r"_(test|bench|fuzz)\.cc$|/testing/[^/]+\.h$")
TEST_LIBRARIES = {"gtest", "benchmark"}
SEARCH = ["src", "include", ""]  # folders that quoted paths are relative to


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


class Rules:
    def __init__(self, table):
        self.layers = table["layers"]
        self.headers = table.get("third_party_headers", {})
        for name, layer in self.layers.items():
            unknown = set(layer.get("third_party", [])) - set(self.headers)
            if unknown:
                sys.exit(f"layers.toml: {name} names unknown libraries {sorted(unknown)}")

    def layer_of(self, path):
        """The longest key that is `path` or a folder above it."""
        return max((n for n in self.layers if below(path, n)), key=len, default=None)

    def third_party(self, header):
        for name, prefixes in self.headers.items():
            if any(header == p or (p.endswith("/") and header.startswith(p)) for p in prefixes):
                return name
        return None

    def cycle(self):
        """A list of layers that leads back to its first, or None."""
        arrows = {n: [d for d in layer["may_include"] if d in self.layers and not below(n, d)]
                  for n, layer in self.layers.items() if n not in ("tests", "bench")}
        state = {}

        def walk(name, path):
            if state.get(name) == "open":
                return path[path.index(name):] + [name]
            if state.get(name) == "closed":
                return None
            state[name] = "open"
            for dep in sorted(arrows.get(name, [])):
                found = walk(dep, path + [name])
                if found:
                    return found
            state[name] = "closed"
            return None

        return next(filter(None, (walk(name, []) for name in arrows)), None)


def resolve(root, header):
    for folder in SEARCH:
        candidate = f"{folder}/{header}" if folder else header
        if (root / candidate).is_file():
            return candidate
    return None


def check_quoted(rules, root, layer, header, is_test):
    if ".." in header.split("/") or header.startswith("/"):
        return f'"{header}" must be a path from the root, without ".."'
    target = resolve(root, header)
    if target is None:
        return f'"{header}" is no file from src/, include/ or the root'
    allowed = list(rules.layers[layer]["may_include"]) + (["tests"] if is_test else [])
    owner = rules.layer_of(target)
    if not any(below(target, d) for d in allowed):
        return f"{layer} may not include {owner or target}"
    # A sub-folder with a row of its own may see more than the folder above it. Including it must
    # not be a way to get at what the includer itself may not see.
    if owner and owner != layer and not is_test:
        hidden = [d for d in rules.layers[owner]["may_include"]
                  if not any(below(d, a) for a in allowed)]
        if hidden:
            return f"{layer} may not include {owner}, which sees {sorted(hidden)}"
    return None


def check_file(rules, root, file):
    path = file.relative_to(root).as_posix()
    layer = rules.layer_of(path)
    if layer is None:
        return [f"{path}: no row in layers.toml speaks for it"]
    is_test = bool(TEST_FILE.search(path))
    libraries = set(rules.layers[layer].get("third_party", []))
    libraries |= TEST_LIBRARIES if is_test else set()
    problems = []
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        problem = None
        if not match:
            # Highway re-includes a file through a macro; nothing else may hide its target.
            if COMPUTED.match(line) and "highway" not in libraries:
                problem = "an include whose target is a macro"
        elif match[1] is not None:
            problem = check_quoted(rules, root, layer, match[1], is_test)
        else:
            library = rules.third_party(match[2])
            if library and library not in libraries:
                problem = f"{layer} may not use {library}"
            elif library is None and resolve(root, match[2]):
                problem = f"<{match[2]}> is a file of ours: use quotes"
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=here.parent)
    parser.add_argument("--layers", type=pathlib.Path, default=here / "layers.toml")
    args = parser.parse_args()
    rules = Rules(tomllib.loads(args.layers.read_text()))
    cycle = rules.cycle()
    problems = [f"layers.toml has a cycle: {' -> '.join(cycle)}"] if cycle else []
    tops = sorted({name.split("/")[0] for name in rules.layers})
    files = [f for top in tops for f in sorted((args.root / top).rglob("*"))
             if f.suffix in SOURCES and f.is_file()]
    for file in files:
        problems += check_file(rules, args.root, file)
    print("\n".join(problems) if problems else
          f"layers: {len(files)} files, {len(rules.layers)} layers, no forbidden include")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

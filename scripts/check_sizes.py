#!/usr/bin/env python3
"""Fails on files over 800 lines and functions over 100; prints count, median and largest file.

Generated tables (`*.gen.*`) and the public headers under include/ are apart. `--list N` prints the N
largest files.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = {".h", ".hpp", ".cc", ".cpp", ".c", ".py", ".def", ".inc"}
MAX_FILE, MAX_FUNCTION = 800, 100
NOT_A_FUNCTION = re.compile(
    r"\s*(namespace|struct|class|union|enum|extern|typedef|using|constexpr|const|static const|inline constexpr|static constexpr|template\s*<[^>]*>\s*struct|#|//)")


def tracked():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = (ROOT / line for line in out.splitlines())
    return sorted(f for f in files if f.suffix in SOURCES and f.is_file())


def functions(lines):
    """Yields (first line, length) of blocks that start with a signature and end at its indent."""
    start, indent = None, ""
    for number, line in enumerate(lines, 1):
        if start is None:
            match = re.match(r"( {0,2})[A-Za-z_~].*\{$", line)
            if match and ")" in line + (lines[number - 2] if number > 1 else "") and \
                    not NOT_A_FUNCTION.match(line):
                start, indent = number, match[1]
        elif line.startswith(indent + "}"):
            yield start, number - start + 1
            start = None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", type=int, default=0, metavar="N")
    args = parser.parse_args()
    problems, sizes = [], []
    for file in tracked():
        name = file.relative_to(ROOT).as_posix()
        lines = file.read_text(errors="replace").splitlines()
        if ".gen." in name or name.startswith("include/"):
            continue
        sizes.append((len(lines), name))
        if len(lines) > MAX_FILE:
            problems.append(f"{name}: {len(lines)} lines, {MAX_FILE} allowed")
        if file.suffix in {".cc", ".h", ".cpp", ".hpp"}:
            problems += [f"{name}:{first}: a function of {length} lines, {MAX_FUNCTION} allowed"
                         for first, length in functions(lines) if length > MAX_FUNCTION]
    for lines, name in sorted(sizes, reverse=True)[:args.list]:
        print(f"{lines:5} {name}")
    print("\n".join(problems) if problems else
          f"{len(sizes)} files, median {statistics.median(s for s, _ in sizes):.0f} lines, "
          f"largest {max(sizes)[0]} ({max(sizes)[1]})")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

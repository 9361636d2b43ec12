#!/usr/bin/env python3
"""Fails where a word of scripts/forbidden.toml appears."""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = "scripts/forbidden.toml"


def matches(name, patterns):
    return any(fnmatch.fnmatch(name, p) for p in patterns)


def main():
    rules = [(re.compile(r["pattern"]), r) for r in tomllib.loads((ROOT / LIST).read_text())["word"]]
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    problems, count = [], 0
    for name in out.splitlines():
        file = ROOT / name
        if name == LIST or not file.is_file() or file.stat().st_size > 2_000_000:
            continue
        data = file.read_bytes()
        if b"\0" in data:
            continue
        count += 1
        here = [(p, r) for p, r in rules
                if matches(name, r.get("where", ["*"])) and not matches(name, r.get("except", []))]
        for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
            problems += [f"{name}:{number}: {m[0].strip()!r}: {r['reason']}"
                         for p, r in here if (m := p.search(line))]
    print("\n".join(problems) if problems else f"{count} files, {len(rules)} patterns, none found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails when a Markdown document links to a file or heading of the repository that is not there."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def anchors(file):
    text = re.sub(r"```.*?```", "", file.read_text(), flags=re.S)
    heads = re.findall(r"^#+\s+(.*?)\s*$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def main():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    problems, links = [], 0
    for name in out.splitlines():
        file = ROOT / name
        if not file.is_file():
            continue
        text = re.sub(r"```.*?```", "", file.read_text(), flags=re.S)
        for match in LINK.finditer(text):
            target = match[1] or match[2]
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            goal = (file.parent / path).resolve() if path else file
            if not goal.exists():
                problems.append(f"{name}: {target} does not exist")
            elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
                problems.append(f"{name}: {target}: no such heading")
    print("\n".join(problems) if problems else f"{links} links, all lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

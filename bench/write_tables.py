#!/usr/bin/env python3
"""Puts the results of `make bench` into docs/benchmarks.md, between its markers.

Usage: write_tables.py [RESULTS_FOLDER [PAGE]]   (build/bench, docs/benchmarks.md)
"""
import json
import pathlib
import re
import sys


def models(results: dict) -> str:
    threads = results["threads"]
    lines = [
        f"{results['date']} UTC, {results['cpu']}, {threads[0]} thread(s). "
        f"Peer: ONNX Runtime {results['libraries'][1]['version']}.",
        "",
        "| model | run us | peer us | ratio | load ms | peer ms | ratio | memory MiB | peer MiB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for model in results["models"]:
        if "error" in model:
            lines.append(f"| {model['name']} | {model['error']} |" + " |" * 7)
            continue
        a, b = model["a"], model["b"]
        lines.append(
            f"| {model['name']} | {a['run_cpu_us']:.1f} | {b['run_cpu_us']:.1f} "
            f"| {model['ratio']:.2f} | {a['load_cpu_us'] / 1e3:.2f} | {b['load_cpu_us'] / 1e3:.2f} "
            f"| {model['load_ratio']:.2f} | {a['resident_bytes'] / 2**20:.1f} "
            f"| {b['resident_bytes'] / 2**20:.1f} |")
    lines.append(f"| **geometric mean** | | | **{results['geometric_mean']:.3f}** | | "
                 f"| **{results['load_geometric_mean']:.3f}** | | |")
    return "\n".join(lines)


def threads(results: dict) -> str:
    counts = results["threads"]
    lines = [
        f"{results['date']} UTC, {results['cpu']}, {counts[0]} threads beside {counts[1]}. "
        "CPU: the mean of the process.",
        "",
        "| model | one thread us | wall ratio | CPU ratio |",
        "|---|---:|---:|---:|",
    ]
    for model in results["models"]:
        if "error" in model:
            lines.append(f"| {model['name']} | {model['error']} | | |")
            continue
        a, b = model["a"], model["b"]
        lines.append(f"| {model['name']} | {b['run_wall_us']:.1f} "
                     f"| {a['run_wall_us'] / b['run_wall_us']:.2f} | {model['ratio']:.2f} |")
    return "\n".join(lines)


def one_node(results: dict) -> str:
    if "one_node" not in results:
        return ""
    lines = ["| | ours | peer |", "|---|---:|---:|"]
    a, b = results["one_node"]["a"], results["one_node"]["b"]
    lines.append(f"| run, fresh output | {a['run_us']:.2f} us | {b['run_us']:.2f} us |")
    lines.append(f"| run, given output | {a['run_in_place_us']:.2f} us "
                 f"| {b['run_in_place_us']:.2f} us |")
    lines.append(f"| load | {a['load_us']:.0f} us | {b['load_us']:.0f} us |")
    lines.append(f"| CPU in {a['idle_seconds']:.0f} s after a run | {a['idle_cpu_ms']:.1f} ms "
                 f"| {b['idle_cpu_ms']:.1f} ms |")
    return "\n".join(lines)


def kernels(results: dict) -> str:
    lines = [
        f"{results['context']['date'][:16].replace('T', ' ')}. Roof: FMA peak (Gflop/s) or "
        "bandwidth (GB/s) taken in turns.",
        "",
        "| kernel | us | rate | roof | share | wanted | implementation |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in results["benchmarks"]:
        name = row["name"].split("/min_time")[0]
        if row.get("error_occurred"):
            lines.append(f"| {name} | {row['error_message']} | | | | | |")
            continue
        rate = row.get("Gflop/s", row.get("GB/s", 0))
        wanted = f"{row['wanted']:.0%}" if "wanted" in row else ""
        lines.append(f"| {name} | {row['least_us']:.1f} | {rate:.1f} | {row['roof']:.1f} "
                     f"| {row['share']:.0%} | {wanted} | {row.get('label', '')} |")
    return "\n".join(lines)


def replace(page: str, mark: str, text: str) -> str:
    pattern = re.compile(rf"(<!-- {mark} -->\n).*?(\n<!-- /{mark} -->)", re.S)
    if not pattern.search(page):
        sys.exit(f"the page has no place for {mark}")
    return pattern.sub(lambda match: match[1] + text + match[2], page)


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bench")
    page_path = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/benchmarks.md")
    page = page_path.read_text()
    if (folder / "e2e.json").exists():
        results = json.loads((folder / "e2e.json").read_text())
        page = replace(page, "models", models(results))
        if table := one_node(results):
            page = replace(page, "one-node", table)
    if (folder / "threads.json").exists():
        page = replace(page, "threads", threads(json.loads((folder / "threads.json").read_text())))
    if (folder / "micro.json").exists():
        page = replace(page, "kernels", kernels(json.loads((folder / "micro.json").read_text())))
    page_path.write_text(page)


if __name__ == "__main__":
    main()
